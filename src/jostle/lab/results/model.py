"""The results of one panel: finished runs, timings, and the events that report them."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from jostle.lab.spec.plan import REGRET, Plan, Trial

MOST_POINTS = 200  # of a stored curve: as many as a figure can show, and small on disk


class Candidate(NamedTuple):
    """A setting that took part in tuning, and how far it came."""

    settings: Mapping[str, float]
    """What it set; nothing for the settings as named."""
    rounds: int
    regret: float
    """Cumulative, after those rounds."""


class Run(NamedTuple):
    """A trial that was played to its end."""

    trial: Trial
    regrets: np.ndarray
    """Cumulative regret at the rounds of ``thinned(rounds)``."""
    rewards: np.ndarray
    """Cumulative reward at the same rounds."""
    settings: Mapping[str, float] = {}
    """What tuning chose; nothing when it chose the settings as named, or when nothing was tuned."""
    candidates: tuple[Candidate, ...] = ()
    """All that took part in tuning, if there was any."""
    seconds: float = 0.0
    """Wall time of everything: compilation, tuning, playing."""
    round_ms: float | None = None
    """Wall time of a whole round, environment included, while other trials ran beside it."""
    state_bytes: int = 0
    """The memory that the policy's state takes at the end."""

    @property
    def regret(self) -> float:
        """Cumulative regret at the end."""
        return float(self.regrets[-1])


class Times(NamedTuple):
    """Milliseconds a round, each measured by itself."""

    choosing: float
    learning: float


class Advanced(NamedTuple):
    """News: this share of a trial's rounds, those of its tuning among them, has been played."""

    trial: Trial
    share: float


class Timed(NamedTuple):
    """News: a policy was timed on an environment."""

    environment: str
    policy: str
    times: Times


class Broken(NamedTuple):
    """News: a trial raised an error, and no other of its policy will be tried there."""

    trial: Trial
    message: str
    details: str


Event = Advanced | Run | Timed | Broken


@dataclass
class Comparison:
    """A plan and what is known of it so far."""

    plan: Plan
    runs: list[Run] = field(default_factory=list)
    times: dict[str, Times] = field(default_factory=dict)

    def add(self, event: Event) -> None:
        """Take note of news."""
        if isinstance(event, Run):
            self.runs.append(event)
        elif isinstance(event, Timed):
            self.times[event.policy] = event.times

    def of(self, policy: str) -> list[Run]:
        """The finished runs of a policy, by seed."""
        runs = [run for run in self.runs if run.trial.policy == policy]
        return sorted(runs, key=lambda run: run.trial.seed)

    def curve(self, run: Run) -> np.ndarray:
        """What is measured, at the rounds of ``thinned(rounds)``."""
        if self.plan.measure == REGRET:
            return run.regrets
        return run.rewards / (thinned(self.plan.rounds) * (self.plan.chance or 1.0))

    def curves(self, policy: str) -> np.ndarray:
        """The curves of all finished runs of a policy, one a row, by seed."""
        return np.stack([self.curve(run) for run in self.of(policy)])

    def finals(self, policy: str) -> np.ndarray:
        """What is measured at the last round, for all finished runs of a policy, by seed."""
        return np.array([self.curve(run)[-1] for run in self.of(policy)])

    def policies(self) -> list[str]:
        """The policies that have a finished run, the best mean first."""
        sign = 1 if self.plan.measure == REGRET else -1
        means = {
            policy: sign * float(np.mean(self.finals(policy)))
            for policy in self.plan.policies
            if self.of(policy)
        }
        return sorted(means, key=lambda policy: means[policy])

    def missing(self) -> list[Trial]:
        """The trials that were not finished."""
        done = {run.trial for run in self.runs}
        return [trial for trial in self.plan.trials() if trial not in done]


def gather(plan: Plan, events: Iterable[Event]) -> Comparison:
    """Everything that happened, once it has."""
    comparison = Comparison(plan)
    for event in events:
        comparison.add(event)
    return comparison


def thinned(rounds: int, most: int = MOST_POINTS) -> np.ndarray:
    """Evenly spaced rounds from 1 to ``rounds``, the first and the last among them."""
    return np.unique(np.linspace(1, rounds, min(rounds, most)).round().astype(int))
