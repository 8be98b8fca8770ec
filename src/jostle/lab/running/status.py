"""The status of a running experiment: written by its process, read by ``jostle status``."""

import os
import socket
import time
from typing import Any

from jostle.lab.results.folder import Store
from jostle.lab.results.model import Advanced, Broken, Event, Run
from jostle.lab.results.outcome import Outcome
from jostle.lab.spec.plan import Trial

SECONDS = 1.0  # between two updates of the file


class StatusWriter:
    """Keeps the status file of a folder up to date."""

    def __init__(self, store: Store, outcome: Outcome):
        self._store = store
        self._outcome = outcome
        self._started = time.time()
        self._before = len(outcome.runs())
        self._playing: dict[Trial, float] = {}
        self._written = 0.0
        self.write()

    def update(self, event: Event) -> None:
        """Take an event into account; the file is written about once per second."""
        if isinstance(event, Advanced):
            self._playing[event.trial] = event.share
        elif isinstance(event, Run | Broken):
            self._playing.pop(event.trial, None)
        if time.time() - self._written > SECONDS:
            self.write()

    def write(self) -> None:
        """Write the status file."""
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
                    {**trial._asdict(), "share": share} for trial, share in self._playing.items()
                ],
                "seconds left": self._left(done, total),
            }
        )

    def _left(self, done: int, total: int) -> float | None:
        """An estimate from the pace so far; a rough one, since trials differ in length."""
        played = done - self._before + sum(self._playing.values())
        if played <= 0:
            return None
        pace = (self._written - self._started) / played
        return pace * (total - self._before - played)


def lines(status: dict[str, Any] | None, outcome: Outcome, running: bool) -> list[str]:
    """The status of a folder in sentences."""
    done, total = len(outcome.runs()), len(outcome.trials())
    text = [f"{outcome.experiment.name}: {done} of {total} trials are finished"]
    if not running:
        if not outcome.finished:
            text.append("it is not running; run the same command again to continue")
        return text
    if status is None:
        return [*text, "a process has just started to work on it"]
    text.append(f"process {status['process']} on {status['machine']} is working on it")
    text += [
        f"  {trial['policy']} on {trial['environment']}, seed {trial['seed']}: {trial['share']:.0%}"
        for trial in status["in flight"]
    ]
    if status["seconds left"] is not None:
        text.append(f"about {_duration(status['seconds left'])} left")
    return text


def _duration(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    if hours:
        return f"{hours} h {minutes} min"
    return f"{minutes} min {rest} s" if minutes else f"{rest} s"
