"""What an experiment under way says of itself, for whoever asks from another shell."""

import os
import socket
import time
from typing import Any

from jostle.lab.results.folder import Store
from jostle.lab.results.model import Advanced, Broken, Event, Run
from jostle.lab.results.outcome import Outcome
from jostle.lab.spec.plan import Trial

SECONDS = 1.0  # between two writings


class Heartbeat:
    """Keeps the status of a folder fresh."""

    def __init__(self, store: Store, outcome: Outcome):
        self._store = store
        self._outcome = outcome
        self._started = time.time()
        self._before = len(outcome.runs())
        self._flying: dict[Trial, float] = {}
        self._written = 0.0
        self.beat()

    def take(self, event: Event) -> None:
        """Note an event, and write now and then."""
        if isinstance(event, Advanced):
            self._flying[event.trial] = event.share
        elif isinstance(event, Run | Broken):
            self._flying.pop(event.trial, None)
        if time.time() - self._written > SECONDS:
            self.beat()

    def beat(self) -> None:
        """Write what goes on."""
        self._written = time.time()
        done, total = len(self._outcome.runs()), len(self._outcome.trials())
        self._store.show_status(
            {
                "process": os.getpid(),
                "machine": socket.gethostname(),
                "started": self._started,
                "updated": self._written,
                "done": done,
                "trials": total,
                "in flight": [
                    {**trial._asdict(), "share": share} for trial, share in self._flying.items()
                ],
                "seconds left": self._left(done, total),
            }
        )

    def _left(self, done: int, total: int) -> float | None:
        """A guess from the pace so far: trials are unlike, so it is no more than that."""
        played = done - self._before + sum(self._flying.values())
        if played <= 0:
            return None
        pace = (self._written - self._started) / played
        return pace * (total - self._before - played)


def lines(status: dict[str, Any] | None, outcome: Outcome, running: bool) -> list[str]:
    """The status of a folder in words."""
    done, total = len(outcome.runs()), len(outcome.trials())
    said = [f"{outcome.experiment.name}: {done} of {total} trials are finished"]
    if not running:
        if done < total:
            said.append("nobody works on it now; give the same command again to go on")
        return said
    if status is None:
        return [*said, "a process has just begun to work on it"]
    said.append(f"process {status['process']} on {status['machine']} works on it")
    said += [
        f"  {flight['policy']} on {flight['environment']}, seed {flight['seed']}: "
        f"{flight['share']:.0%}"
        for flight in status["in flight"]
    ]
    if status["seconds left"] is not None:
        said.append(f"about {_duration(status['seconds left'])} left")
    return said


def _duration(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    if hours:
        return f"{hours} h {minutes} min"
    return f"{minutes} min {rest} s" if minutes else f"{rest} s"
