"""Workers: the tasks they are sent, the messages they send back, and how they do the work."""

import signal
import traceback
from collections.abc import Callable, Iterator
from multiprocessing.connection import Connection
from typing import Any, Literal, NamedTuple, Protocol

from jostle.lab.results.model import Advanced, Broken, Event, Timed
from jostle.lab.spec.experiment import Tuning
from jostle.lab.spec.plan import Timing, Trial


class Play(NamedTuple):
    """A task: play a trial."""

    trial: Trial
    tuning: Tuning
    keep: bool = False
    """Whether to keep what is needed to time its policy later."""


class Time(NamedTuple):
    """A task: time the policy of a trial, which is played first unless it was kept."""

    timing: Timing
    tuning: Tuning
    keep: bool = False
    """Whether the policy will be timed again."""

    @property
    def trial(self) -> Trial:
        """The trial whose policy is timed."""
        return self.timing.trial


Task = Play | Time
DONE: Literal["done"] = "done"
"""Message: ready for another task."""


class Lost(NamedTuple):
    """Message: the worker was lost."""

    message: str


Message = Event | Lost | Literal["done"]


class WorkerError(Exception):
    """The workers cannot go on."""


class Workers(Protocol):
    """What an engine provides."""

    def __len__(self) -> int: ...
    def start(self, worker: int) -> None:
        """Start a worker, replacing one that was lost."""

    def send(self, worker: int, task: Task) -> None:
        """Send a worker its next task."""

    def receive(self) -> Iterator[tuple[int, Message]]:
        """Wait for messages, then yield one from each worker that has sent any."""


class TaskRunner:
    """Does tasks one after another and keeps what later ones need."""

    def __init__(self) -> None:
        self._stopwatches: dict[tuple[str, str], Any] = {}

    def do(self, task: Task, send: Callable[[Any], None]) -> None:
        """Do a task; send its events, an error if it raises one, then ``DONE``."""
        try:
            self._do(task, send)
        except OSError:
            raise
        except Exception as error:  # the policy may be the user's own
            message = f"{type(error).__name__}: {error}".splitlines()[0]
            send(Broken(task.trial, message, traceback.format_exc()))
        send(DONE)

    def _do(self, task: Task, send: Callable[[Any], None]) -> None:
        # JAX is imported here, in the worker, whose environment variables configure it.
        from jostle.lab.running.programs import make_room
        from jostle.lab.running.timing import stopwatch
        from jostle.lab.running.trial import play

        make_room()
        trial = task.trial
        if isinstance(task, Play):
            played = play(trial, task.tuning, lambda share: send(Advanced(trial, share)))
            send(played.run)
            if task.keep:
                self._stopwatches[trial.program] = stopwatch(played)
            return
        kept = self._stopwatches.pop(trial.program, None)
        watch = stopwatch(play(trial, task.tuning)) if kept is None else kept
        after = task.timing.after
        send(Timed(*trial.program, watch.measure(after), after))
        if task.keep:
            self._stopwatches[trial.program] = watch


def work(connection: Connection) -> None:
    """Do the tasks that arrive on ``connection`` until it closes."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    tasks = TaskRunner()
    try:
        while True:
            tasks.do(connection.recv(), connection.send)
    except (EOFError, OSError):
        return  # the process that sent the tasks has ended
