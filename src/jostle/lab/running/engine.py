"""Engines: where trials are played, in processes on this machine or on a Ray cluster."""

import os
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Any

from jostle.core.validation import lookup, whole
from jostle.lab.running.local import LocalWorkers
from jostle.lab.running.worker import Workers

ENGINES = {
    "local": "processes on this machine",
    "ray": "a Ray cluster, or a private Ray on this machine",
}


class Engine:
    """A source of workers. In a ``with`` block of the engine, all experiments share the same ones.

    Arguments:
        name: "local" or "ray".
        jobs: the number of workers; by default one per core of this machine.
        address: the address of a Ray cluster.
    """

    def __init__(self, name: str = "local", jobs: int | None = None, address: str | None = None):
        lookup("engine", name, ENGINES)
        if address is not None and name != "ray":
            raise ValueError("address needs engine 'ray'")
        self.name = name
        self._jobs = whole("jobs", jobs) if jobs is not None else cores()
        self._address = address
        self._kept: Any = None

    def count(self, tasks: int) -> int:
        """The number of workers used for so many tasks."""
        return self._jobs if self._kept is not None else max(1, min(self._jobs, tasks))

    @contextmanager
    def workers(self, tasks: int) -> Iterator[Workers]:
        """Provide workers for so many tasks."""
        if self._kept is not None:
            yield self._kept
        else:
            with self._make(self.count(tasks)) as workers:
                yield workers

    def __enter__(self) -> "Engine":
        self._kept = self._make(self._jobs)
        return self

    def __exit__(self, *error: Any) -> None:
        self._kept.__exit__(*error)
        self._kept = None

    def _make(self, count: int) -> AbstractContextManager[Workers]:
        if self.name == "ray":
            from jostle.lab.running.ray import RayWorkers

            return RayWorkers(count, self._address)
        return LocalWorkers(count)


def cores() -> int:
    """The number of processes this machine can run at once."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
