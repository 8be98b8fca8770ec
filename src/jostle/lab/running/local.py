"""Workers on this machine, one process each, seen from the process that gives them work."""

import multiprocessing
import os
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing import resource_tracker
from multiprocessing.connection import wait
from typing import Any, Self

from jostle.lab.running.worker import Lost, News, Task, work

ONE_THREAD = {
    # The compiler's dearer optimisations take a fifth of its time, and no program is faster.
    "XLA_FLAGS": "--xla_cpu_multi_thread_eigen=false --xla_backend_optimization_level=1",
    "NPROC": "1",  # the size of XLA's thread pools
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
}
"""One thread a process: threads of several processes would fight for the same cores, and sums
would depend on how many there are."""


def one_thread() -> dict[str, str]:
    """``ONE_THREAD``, and what the user tells XLA, whose word is the last."""
    flags = f"{ONE_THREAD['XLA_FLAGS']} {os.environ.get('XLA_FLAGS', '')}".strip()
    return {**ONE_THREAD, "XLA_FLAGS": flags}


class LocalWorkers:
    """A number of worker processes; leaving the ``with`` block ends them at once.

    They are started afresh (not forked, which JAX's threads would not survive) and do not see
    Ctrl-C: whoever started them decides what it means.
    """

    def __init__(self, count: int):
        self._processes: list[Any] = [None] * count
        self._connections: list[Any] = [None] * count
        self._lost: list[int] = []
        for worker in range(count):
            self.start(worker)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        for process in self._processes:
            process.kill()  # nothing of value is in them: what was finished has been sent
        for process, connection in zip(self._processes, self._connections, strict=True):
            process.join()
            connection.close()

    def __len__(self) -> int:
        return len(self._processes)

    def start(self, worker: int) -> None:
        """Start a process, in place of one that is gone."""
        context = multiprocessing.get_context("spawn")
        with _environment(one_thread()), _no_interrupts(), _without_main():
            ours, theirs = context.Pipe()
            process = context.Process(
                target=work, args=(theirs,), name=f"jostle-{worker}", daemon=True
            )
            process.start()
            theirs.close()  # so that we notice when the process, the only other owner, dies
        self._processes[worker], self._connections[worker] = process, ours

    def process(self, worker: int) -> int:
        """The number of a worker's process."""
        return int(self._processes[worker].pid)

    def send(self, worker: int, task: Task) -> None:
        """Give a worker its next task."""
        try:
            self._connections[worker].send(task)
        except OSError:
            self._lost.append(worker)

    def receive(self) -> Iterator[tuple[int, News]]:
        """Wait for news, then yield a piece from each worker that has some."""
        while self._lost:
            yield self._obituary(self._lost.pop())
        for connection in wait(self._connections):
            worker = self._connections.index(connection)
            try:
                yield worker, self._connections[worker].recv()
            except (EOFError, OSError):
                yield self._obituary(worker)

    def _obituary(self, worker: int) -> tuple[int, Lost]:
        process = self._processes[worker]
        process.join(timeout=5)
        self._connections[worker].close()
        code = process.exitcode
        how = f"with exit code {code}"
        if code is not None and code < 0:
            how = f"by signal {signal.Signals(-code).name}"
        hint = "; perhaps the machine ran out of memory" if code == -9 else ""
        return worker, Lost(f"a worker process ended {how}{hint}")


@contextmanager
def _environment(variables: dict[str, str]) -> Iterator[None]:
    """Environment variables as the processes started meanwhile shall find them."""
    before = dict(os.environ)
    os.environ.update(variables)
    try:
        yield
    finally:
        os.environ.clear()
        os.environ.update(before)


@contextmanager
def _no_interrupts() -> Iterator[None]:
    """Hold Ctrl-C back: processes started meanwhile never see it, this one does afterwards."""
    if not hasattr(signal, "pthread_sigmask") or (
        threading.current_thread() is not threading.main_thread()
    ):
        yield
        return
    resource_tracker.ensure_running()  # starting it later would let Ctrl-C through again
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


@contextmanager
def _without_main() -> Iterator[None]:
    """Keep processes started meanwhile from running the user's script again.

    They need nothing of it, and a script without ``if __name__ == "__main__"`` would start workers
    of its own in each of them.
    """
    main = vars(sys.modules["__main__"])
    hidden: dict[str, Any] = {name: main[name] for name in ("__file__", "__spec__") if name in main}
    main.pop("__file__", None)
    main["__spec__"] = None
    try:
        yield
    finally:
        main.update(hidden)
