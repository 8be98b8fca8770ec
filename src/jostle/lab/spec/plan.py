"""Trials and plans: what is played in one panel of an experiment, by name only."""

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

REGRET, REWARD = "regret", "reward"
MEASURES = {REGRET: "cumulative regret", REWARD: "cumulative reward / that of a random choice"}


class Trial(NamedTuple):
    """One policy on one environment with one seed, all by name, so that any process can play it."""

    environment: str
    policy: str
    rounds: int
    seed: int

    @property
    def program(self) -> tuple[str, str]:
        """The compiled program it needs, which trials that differ only in their seed share."""
        return self.environment, self.policy


class Timing(NamedTuple):
    """The timing of a trial's policy, in the state that it has after some number of rounds."""

    trial: Trial
    after: int | None = None
    """The rounds after which, if not those of the trial."""


@dataclass(frozen=True)
class Plan:
    """Policies x seeds on one environment: one panel of the experiment's figure."""

    environment: str
    policies: tuple[str, ...]
    rounds: int
    seeds: tuple[int, ...]
    measure: str = REGRET
    chance: float | None = None
    """The expected reward per round of a random choice, by which "reward" is divided."""
    size: int | None = None
    """The size of this panel, in an experiment over sizes."""
    fewer: Mapping[str, int] = field(default_factory=dict)
    """The number of runs of the policies that do not get one per seed."""
    timed_after: int | None = None
    """The number of rounds after which policies are timed, if not those that are played."""

    @property
    def timed_rounds(self) -> int:
        """The number of rounds after which policies are timed."""
        return self.timed_after or self.rounds

    def as_mapping(self) -> dict[str, Any]:
        """Plain values; without ``timed_after`` where there is none, as in older folders."""
        content = dataclasses.asdict(self)
        if self.timed_after is None:
            del content["timed_after"]
        return content

    def trials(self) -> list[Trial]:
        """Every trial, seed by seed, so that an interrupted comparison is still a fair one.

        Policies that get fewer runs, because they are expensive, come last.
        """
        cheap = [policy for policy in self.policies if policy not in self.fewer]
        all_seeds = [(policy, seed) for seed in self.seeds for policy in cheap]
        some_seeds = [
            (policy, seed)
            for number, seed in enumerate(self.seeds)
            for policy in self.policies
            if number < self.fewer.get(policy, 0)
        ]
        return [
            Trial(self.environment, policy, self.rounds, seed)
            for policy, seed in (*all_seeds, *some_seeds)
        ]
