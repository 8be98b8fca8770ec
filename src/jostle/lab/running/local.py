"""Worker processes on this machine: starting, feeding and replacing them."""

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

from jostle.core.compiler import as_flags
from jostle.lab.running.worker import Lost, Message, Task, work

ONE_THREAD = {
    "NPROC": "1",  # the size of XLA's thread pools
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
}
"""One thread per process: threads of several processes would compete for the same cores."""


def one_thread() -> dict[str, str]:
    """``ONE_THREAD``, and the compiler options of simulations for all that a worker compiles."""
    return {**ONE_THREAD, "XLA_FLAGS": as_flags(os.environ.get("XLA_FLAGS", ""))}


class LocalWorkers:
    """A number of worker processes, ended when the ``with`` block is left.

    They are spawned, not forked, since JAX's threads do not survive a fork. They ignore Ctrl-C,
    which is handled by the process that started them.
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
            process.kill()  # nothing is lost: finished work has been sent already
        for process, connection in zip(self._processes, self._connections, strict=True):
            process.join()
            connection.close()

    def __len__(self) -> int:
        return len(self._processes)

    def start(self, worker: int) -> None:
        """Start a process, replacing one that has ended."""
        context = multiprocessing.get_context("spawn")
        with _environment(one_thread()), _no_interrupts(), _without_main():
            ours, theirs = context.Pipe()
            process = context.Process(
                target=work, args=(theirs,), name=f"jostle-{worker}", daemon=True
            )
            process.start()
            theirs.close()  # the process is then the only other owner, so its end is noticed
        self._processes[worker], self._connections[worker] = process, ours

    def process(self, worker: int) -> int:
        """The process id of a worker."""
        return int(self._processes[worker].pid)

    def send(self, worker: int, task: Task) -> None:
        """Send a worker its next task."""
        try:
            self._connections[worker].send(task)
        except OSError:
            self._lost.append(worker)

    def receive(self) -> Iterator[tuple[int, Message]]:
        """Wait for messages, then yield one from each worker that has sent any."""
        while self._lost:
            yield self._lost_worker(self._lost.pop())
        for connection in wait(self._connections):
            worker = self._connections.index(connection)
            try:
                yield worker, self._connections[worker].recv()
            except (EOFError, OSError):
                yield self._lost_worker(worker)

    def _lost_worker(self, worker: int) -> tuple[int, Lost]:
        process = self._processes[worker]
        process.join(timeout=5)
        self._connections[worker].close()
        code = process.exitcode
        how = f"with exit code {code}"
        if code is not None and code < 0:
            how = f"by signal {signal.Signals(-code).name}"
        hint = " (the machine may have run out of memory)" if code == -9 else ""
        return worker, Lost(f"a worker process ended {how}{hint}")


@contextmanager
def _environment(variables: dict[str, str]) -> Iterator[None]:
    """Set environment variables for the processes started within."""
    before = dict(os.environ)
    os.environ.update(variables)
    try:
        yield
    finally:
        os.environ.clear()
        os.environ.update(before)


@contextmanager
def _no_interrupts() -> Iterator[None]:
    """Block Ctrl-C: processes started within never see it, this one sees it afterwards."""
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
    """Keep processes started within from importing the user's script.

    They do not need it, and a script without ``if __name__ == "__main__"`` would start workers of
    its own in each of them.
    """
    main = vars(sys.modules["__main__"])
    hidden: dict[str, Any] = {name: main[name] for name in ("__file__", "__spec__") if name in main}
    main.pop("__file__", None)
    main["__spec__"] = None
    try:
        yield
    finally:
        main.update(hidden)
