"""The results of one panel: finished runs, timings, and the events that report them."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from jostle.lab.spec.plan import REGRET, Plan, Trial

MOST_POINTS = 200  # per stored curve: as many as a figure can show, and small on disk


class Candidate(NamedTuple):
    """Settings that took part in tuning, and how they did."""

    settings: Mapping[str, float]
    """The settings it changed; empty for the policy as named."""
    rounds: int
    """The number of rounds after which it was last compared."""
    regret: float
    """Its cumulative regret after those rounds."""
    diverged: bool = False
    """Whether its parameters were no longer finite by then."""


class Run(NamedTuple):
    """A finished trial."""

    trial: Trial
    regrets: np.ndarray
    """Cumulative regret at the rounds of ``thinned(rounds)``."""
    rewards: np.ndarray
    """Cumulative reward at the same rounds."""
    settings: Mapping[str, float] = {}
    """What tuning chose; empty if that was the policy as named, or if nothing was tuned."""
    candidates: tuple[Candidate, ...] = ()
    """All candidates of the tuning, if there was any."""
    seconds: float = 0.0
    """Wall time in all: compilation, tuning and playing."""
    round_ms: float | None = None
    """Wall time per round, environment included, while other trials ran beside it."""
    state_bytes: int = 0
    """The memory of the policy's state at the end."""
    diverged: bool = False
    """Whether the parameters of the policy are no longer finite at the end."""
    behaviour: Mapping[str, int] = {}
    """The behaviour numbers of the code that played it: simulation, environment, policy, tuning."""
    commit: str = ""
    """The commit of that code, or its version if it was not run from a clone."""

    @property
    def regret(self) -> float:
        """Cumulative regret at the last round."""
        return float(self.regrets[-1])


class Times(NamedTuple):
    """Milliseconds per round, measured separately."""

    choosing: float
    learning: float


class Advanced(NamedTuple):
    """Event: this share of a trial's rounds, tuning included, has been played."""

    trial: Trial
    share: float


class Timed(NamedTuple):
    """Event: a policy was timed on an environment."""

    environment: str
    policy: str
    times: Times
    after: int | None = None
    """The rounds after which, if not those of the run."""


class Broken(NamedTuple):
    """Event: a trial raised an error; its policy is not played again on that environment."""

    trial: Trial
    message: str
    details: str


Event = Advanced | Run | Timed | Broken


@dataclass
class Comparison:
    """A plan and its results so far."""

    plan: Plan
    runs: list[Run] = field(default_factory=list)
    times: dict[str, Times] = field(default_factory=dict)

    def add(self, event: Event) -> None:
        """Add a finished run or a timing; other events are ignored."""
        if isinstance(event, Run):
            self.runs.append(event)
        elif isinstance(event, Timed):
            self.times[event.policy] = event.times

    def of(self, policy: str) -> list[Run]:
        """The finished runs of a policy, by seed."""
        runs = [run for run in self.runs if run.trial.policy == policy]
        return sorted(runs, key=lambda run: run.trial.seed)

    def curve(self, run: Run) -> np.ndarray:
        """The measure at the rounds of ``thinned(rounds)``."""
        if self.plan.measure == REGRET:
            return run.regrets
        return run.rewards / (thinned(self.plan.rounds) * (self.plan.chance or 1.0))

    def curves(self, policy: str) -> np.ndarray:
        """The curves of all finished runs of a policy, one row per run, by seed."""
        return np.stack([self.curve(run) for run in self.of(policy)])

    def finals(self, policy: str) -> np.ndarray:
        """The measure at the last round, for all finished runs of a policy, by seed."""
        return np.array([self.curve(run)[-1] for run in self.of(policy)])

    def policies(self) -> list[str]:
        """The policies that have a finished run, best mean first."""
        sign = 1 if self.plan.measure == REGRET else -1
        means = {
            policy: sign * float(np.mean(self.finals(policy)))
            for policy in self.plan.policies
            if self.of(policy)
        }
        return sorted(means, key=lambda policy: means[policy])

    def missing(self) -> list[Trial]:
        """The trials that are not finished."""
        done = {run.trial for run in self.runs}
        return [trial for trial in self.plan.trials() if trial not in done]


def thinned(rounds: int, most: int = MOST_POINTS) -> np.ndarray:
    """At most ``most`` evenly spaced rounds from 1 to ``rounds``, both included."""
    return np.unique(np.linspace(1, rounds, min(rounds, most)).round().astype(int))
