"""Workers on a Ray cluster, or on a private Ray that is started on this machine."""

import logging
import os
import sys
from collections.abc import Iterator
from typing import Any, Self

from jostle.lab.running.local import one_thread
from jostle.lab.running.worker import DONE, Lost, Message, Task, TaskRunner, WorkerError

HINT = "Ray is not installed; install it with: pip install 'jostle[ray]'"


class RayWorkers:
    """A number of Ray actors that do what local worker processes do, with the same results.

    Arguments:
        count: the number of actors, of one core each.
        address: the address of a running cluster, whose machines need jostle and the data too. By
            default Ray is started on this machine and stopped at the end.
    """

    def __init__(self, count: int, address: str | None = None):
        try:
            import ray
        except ImportError:
            raise WorkerError(HINT) from None
        self._ray: Any = ray
        self._ours = not ray.is_initialized()
        if self._ours:
            self._connect(count, address)
        # Lost actors are replaced here and not by Ray, because the new one has to be sent the task
        # of the lost one.
        self._actor_class = ray.remote(num_cpus=1, max_restarts=0)(_Actor)
        self._actors: list[Any] = [None] * count
        self._streams: dict[Any, int] = {}  # the stream of messages of each busy worker
        for worker in range(count):
            self.start(worker)

    def _connect(self, count: int, address: str | None) -> None:
        # Workers find the user's own modules where this process finds them.
        paths = os.pathsep.join([path or os.getcwd() for path in sys.path])
        variables = {**one_thread(), "PYTHONPATH": paths}
        here: dict[str, Any] = {"address": address}
        if address is None:
            here = {"num_cpus": count, "include_dashboard": False}
        try:
            self._ray.init(
                **here,
                runtime_env={"env_vars": variables},
                configure_logging=False,
                logging_level=logging.ERROR,
                log_to_driver=False,
            )
        except (ConnectionError, ValueError, RuntimeError) as error:
            raise WorkerError(f"cannot connect to Ray at {address!r}: {error}") from None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        for actor in self._actors:
            self._ray.kill(actor)
        if self._ours:
            self._ray.shutdown()

    def __len__(self) -> int:
        return len(self._actors)

    def start(self, worker: int) -> None:
        """Start an actor, replacing one that was lost."""
        self._actors[worker] = self._actor_class.remote()

    def process(self, worker: int) -> int:
        """The process id of a worker, on whatever machine it runs."""
        return int(self._ray.get(self._actors[worker].process.remote()))

    def send(self, worker: int, task: Task) -> None:
        """Send a worker its next task."""
        do = self._actors[worker].do.options(num_returns="streaming")
        self._streams[do.remote(task)] = worker

    def receive(self) -> Iterator[tuple[int, Message]]:
        """Wait for messages, then yield one from each worker that has sent any."""
        waiting: list[Any] = list(self._streams)
        for stream in self._ray.wait(waiting, num_returns=1, fetch_local=False)[0]:
            worker = self._streams[stream]
            try:
                message = self._ray.get(next(stream))
            except self._ray.exceptions.RayError as error:
                del self._streams[stream]
                yield worker, Lost(f"a Ray worker was lost: {str(error).splitlines()[0]}")
                continue
            if message == DONE:
                del self._streams[stream]
            yield worker, message


class _Actor:
    """A worker: ``do`` yields messages until the task is done."""

    def __init__(self) -> None:
        self._tasks = TaskRunner()

    def do(self, task: Task) -> Iterator[Message]:
        """Do a task in a thread and yield its messages as they come."""
        import queue
        import threading

        messages: queue.SimpleQueue[Message] = queue.SimpleQueue()
        threading.Thread(target=self._tasks.do, args=(task, messages.put), daemon=True).start()
        while True:
            message = messages.get()
            yield message
            if message == DONE:
                return

    def process(self) -> int:
        """The process id of this actor."""
        return os.getpid()
