"""What is compared, and what came of it. Plain data: nothing here needs JAX."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

MOST_POINTS = 500  # of a stored curve: more than a screen can show, and small on disk


class Trial(NamedTuple):
    """One policy on one environment with one seed: names only, so that any process can play it."""

    environment: str
    policy: str
    rounds: int
    seed: int


class Run(NamedTuple):
    """A trial that was played to its end."""

    trial: Trial
    curve: np.ndarray
    """Cumulative regret at the rounds of ``thinned(rounds)``."""
    reward: float
    """The sum of all rewards."""
    round_ms: float | None
    """Wall time of a whole round, environment included, while other trials ran beside it."""

    @property
    def regret(self) -> float:
        """Cumulative regret at the end."""
        return float(self.curve[-1])


class Times(NamedTuple):
    """Milliseconds a round, each measured by itself."""

    choosing: float
    learning: float


class Advanced(NamedTuple):
    """News: a trial has played this many rounds."""

    trial: Trial
    rounds: int


class Timed(NamedTuple):
    """News: a policy was timed."""

    policy: str
    times: Times


Event = Advanced | Run | Timed


@dataclass(frozen=True)
class Plan:
    """Policies x seeds on one environment."""

    environment: str
    policies: tuple[str, ...]
    rounds: int
    seeds: tuple[int, ...]

    def trials(self) -> list[Trial]:
        """Every trial, seed by seed, so that a comparison cut short is still a fair one."""
        return [
            Trial(self.environment, policy, self.rounds, seed)
            for seed in self.seeds
            for policy in self.policies
        ]


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

    def policies(self) -> list[str]:
        """The policies that have a finished run, the lowest mean regret first."""
        means = {
            policy: float(np.mean([run.regret for run in self.of(policy)]))
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
