"""What a worker does, in a process of its own: play trials and time policies, and send news."""

import signal
import traceback
from collections.abc import Callable, Iterator
from multiprocessing.connection import Connection
from typing import Any, Literal, NamedTuple, Protocol

from jostle.lab.results.model import Advanced, Broken, Event, Timed
from jostle.lab.spec.experiment import Tuning
from jostle.lab.spec.plan import Trial


class Play(NamedTuple):
    """A task: play a trial and, if asked to, keep what is needed to time its policy later."""

    trial: Trial
    tuning: Tuning
    keep: bool = False


class Time(NamedTuple):
    """A task: time the policy of a trial, which is played first unless it was kept."""

    trial: Trial
    tuning: Tuning
    keep: bool = False
    """Whether it will be asked for again."""


Task = Play | Time
DONE: Literal["done"] = "done"
"""News: ready for another task."""


class Lost(NamedTuple):
    """News: the worker is gone."""

    message: str


News = Event | Lost | Literal["done"]


class WorkerError(Exception):
    """Work cannot go on."""


class Workers(Protocol):
    """What an engine offers."""

    def __len__(self) -> int: ...
    def start(self, worker: int) -> None:
        """Start a worker in place of one that is gone."""

    def send(self, worker: int, task: Task) -> None:
        """Give a worker its next task."""

    def receive(self) -> Iterator[tuple[int, News]]:
        """Wait for news, then yield a piece from each worker that has some."""


class Labour:
    """Does tasks, one after another, and keeps what later ones need."""

    def __init__(self) -> None:
        self._stopwatches: dict[tuple[str, str], Any] = {}

    def do(self, task: Task, send: Callable[[Any], None]) -> None:
        """Do a task and send what comes of it, an error if need be, then ``DONE``."""
        try:
            self._do(task, send)
        except OSError:
            raise
        except Exception as error:  # the policy may be anybody's
            message = f"{type(error).__name__}: {error}".splitlines()[0]
            send(Broken(task.trial, message, traceback.format_exc()))
        send(DONE)

    def _do(self, task: Task, send: Callable[[Any], None]) -> None:
        # JAX is imported here, in the process whose environment variables say how it shall run.
        from jostle.lab.running.programs import make_room
        from jostle.lab.running.timing import Stopwatch
        from jostle.lab.running.trial import play

        make_room()
        trial = task.trial
        if isinstance(task, Play):
            played = play(trial, task.tuning, lambda share: send(Advanced(trial, share)))
            send(played.run)
            if task.keep:
                self._stopwatches[trial.program] = Stopwatch(played)
            return
        stopwatch = self._stopwatches.pop(trial.program, None)
        if stopwatch is None:
            stopwatch = Stopwatch(play(trial, task.tuning))
        send(Timed(*trial.program, stopwatch.measure()))
        if task.keep:
            self._stopwatches[trial.program] = stopwatch


def work(connection: Connection) -> None:
    """Do what arrives on ``connection`` until it closes."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    labour = Labour()
    try:
        while True:
            labour.do(connection.recv(), connection.send)
    except (EOFError, OSError):
        return  # the other end is gone, and with it all need for this process
