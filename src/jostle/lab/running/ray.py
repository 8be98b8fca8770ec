"""Workers on a Ray cluster, or on a Ray of our own on this machine: the same work, anywhere."""

import logging
import os
import sys
from collections.abc import Iterator
from typing import Any, Self

from jostle.lab.running.local import one_thread
from jostle.lab.running.worker import DONE, Labour, Lost, News, Task, WorkerError

HINT = "Ray is not installed; pip install 'jostle[ray]' brings it"


class RayWorkers:
    """A number of Ray actors that do what local worker processes do, and give the same numbers.

    Arguments:
        count: how many, of one core each.
        address: of a running cluster, whose machines need jostle (and the data) as well; without
            one, a Ray of our own is started on this machine and stopped at the end.
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
        # An actor that is gone is replaced by us, not by Ray: what it was doing has to be sent to
        # the new one, and we are who knows it.
        self._actor_class = ray.remote(num_cpus=1, max_restarts=0)(_Actor)
        self._actors: list[Any] = [None] * count
        self._streams: dict[Any, int] = {}  # of news, from each worker at work
        for worker in range(count):
            self.start(worker)

    def _connect(self, count: int, address: str | None) -> None:
        # Modules of the user's own are looked for where we look for them.
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
            raise WorkerError(f"no Ray at {address!r}: {error}") from None

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
        """Start an actor, in place of one that is gone."""
        self._actors[worker] = self._actor_class.remote()

    def process(self, worker: int) -> int:
        """The number of a worker's process, on whatever machine it is."""
        return int(self._ray.get(self._actors[worker].process.remote()))

    def send(self, worker: int, task: Task) -> None:
        """Give a worker its next task."""
        do = self._actors[worker].do.options(num_returns="streaming")
        self._streams[do.remote(task)] = worker

    def receive(self) -> Iterator[tuple[int, News]]:
        """Wait for news, then yield a piece from each worker that has some."""
        waiting: list[Any] = list(self._streams)
        for stream in self._ray.wait(waiting, num_returns=1, fetch_local=False)[0]:
            worker = self._streams[stream]
            try:
                news = self._ray.get(next(stream))
            except self._ray.exceptions.RayError as error:
                del self._streams[stream]
                yield worker, Lost(f"a Ray worker is gone: {str(error).splitlines()[0]}")
                continue
            if news == DONE:
                del self._streams[stream]
            yield worker, news


class _Actor:
    """A worker: ``do`` yields news until the task is done."""

    def __init__(self) -> None:
        self._labour = Labour()

    def do(self, task: Task) -> Iterator[News]:
        """Do a task in a thread and yield its news as they come."""
        import queue
        import threading

        news: queue.SimpleQueue[News] = queue.SimpleQueue()
        threading.Thread(target=self._labour.do, args=(task, news.put), daemon=True).start()
        while True:
            piece = news.get()
            yield piece
            if piece == DONE:
                return

    def process(self) -> int:
        """The number of this actor's process."""
        return os.getpid()
