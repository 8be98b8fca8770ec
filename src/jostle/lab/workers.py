"""Worker processes, seen from the process that gives them work."""

import multiprocessing
import os
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing import resource_tracker
from multiprocessing.connection import Connection, wait
from typing import Any, Self

from jostle.lab.worker import Task, work

ONE_THREAD = {
    "XLA_FLAGS": "--xla_cpu_multi_thread_eigen=false",
    "NPROC": "1",  # the size of XLA's thread pools
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
}
"""One thread a process: threads of several processes would fight for the same cores, and sums
would depend on how many there are."""


class WorkerError(Exception):
    """A worker could not do its task; ``details`` is its traceback, if it lived to send one."""

    def __init__(self, message: str, details: str = ""):
        super().__init__(message)
        self.details = details


class Workers:
    """A number of worker processes; leaving the ``with`` block ends them at once.

    They are started afresh (not forked, which JAX's threads would not survive) and do not see
    Ctrl-C: whoever started them decides what it means.
    """

    def __init__(self, count: int):
        context = multiprocessing.get_context("spawn")
        self._processes: list[Any] = []
        self._connections: list[Connection] = []
        self._doing: list[Task | None] = [None] * count
        with _environment(ONE_THREAD), _no_interrupts():
            for number in range(count):
                ours, theirs = context.Pipe()
                process = context.Process(
                    target=work, args=(theirs,), name=f"jostle-{number}", daemon=True
                )
                process.start()
                theirs.close()  # so that we notice when the process, the only other owner, dies
                self._processes.append(process)
                self._connections.append(ours)

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

    def send(self, worker: int, task: Task) -> None:
        """Give a worker its next task."""
        self._doing[worker] = task
        try:
            self._connections[worker].send(task)
        except OSError:
            raise self._death(worker) from None

    def receive(self) -> Iterator[tuple[int, Any]]:
        """Wait for news, then yield a piece from each worker that has some."""
        for connection in wait(self._connections):
            worker = self._connections.index(connection)  # type: ignore[arg-type]
            try:
                news = self._connections[worker].recv()
            except (EOFError, OSError):
                raise self._death(worker) from None
            yield worker, news

    def _death(self, worker: int) -> WorkerError:
        process = self._processes[worker]
        process.join(timeout=5)
        code = process.exitcode
        how = f"with exit code {code}"
        if code is not None and code < 0:
            how = f"by signal {signal.Signals(-code).name}"
        hint = "; perhaps the machine ran out of memory" if code == -9 else ""
        return WorkerError(f"a worker process ended {how} while {self.doing(worker)}{hint}")

    def doing(self, worker: int) -> str:
        """What a worker is at, in words."""
        task = self._doing[worker]
        if task is None:
            return "starting"
        trial = getattr(task, "trial", None)
        return (
            f"timing {task[0]}" if trial is None else f"playing {trial.policy}, seed {trial.seed}"
        )


@contextmanager
def _environment(variables: dict[str, str]) -> Iterator[None]:
    """Environment variables as the processes started meanwhile shall find them."""
    before = dict(os.environ)
    flags = f"{before.get('XLA_FLAGS', '')} {variables['XLA_FLAGS']}".strip()
    os.environ.update({**variables, "XLA_FLAGS": flags})
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
