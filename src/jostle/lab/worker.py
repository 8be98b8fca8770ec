"""What a worker process does: play trials and time policies, one after another, and send news."""

import signal
import traceback
from multiprocessing.connection import Connection
from typing import Any, Literal, NamedTuple

from jostle.lab.plan import Advanced, Timed, Trial


class Play(NamedTuple):
    """A task: play a trial and, if asked to, keep what is needed to time its policy later."""

    trial: Trial
    keep: bool


class Time(NamedTuple):
    """A task: time a policy of which a trial was kept."""

    policy: str


class Failed(NamedTuple):
    """News: the task raised an error."""

    message: str
    details: str


Task = Play | Time
DONE: Literal["done"] = "done"
"""News: ready for another task."""


def work(connection: Connection) -> None:
    """Do what arrives on ``connection`` until it closes."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    # JAX is imported here, in the process whose environment variables say how it shall run.
    from jostle.lab.play import play
    from jostle.lab.timing import Stopwatch

    stopwatches: dict[str, Any] = {}

    def do(task: Task) -> None:
        if isinstance(task, Time):
            connection.send(Timed(task.policy, stopwatches[task.policy].measure()))
            return
        trial = task.trial
        played = play(trial, lambda rounds: connection.send(Advanced(trial, rounds)))
        connection.send(played.run)
        if task.keep:
            stopwatches[trial.policy] = Stopwatch(played)

    try:
        while True:
            task = connection.recv()
            try:
                do(task)
                connection.send(DONE)
            except OSError:
                raise
            except Exception as error:  # the policy may be anybody's
                message = f"{type(error).__name__}: {error}".splitlines()[0]
                connection.send(Failed(message, traceback.format_exc()))
    except (EOFError, OSError):
        return  # the other end is gone, and with it all need for this process
