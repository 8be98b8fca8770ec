"""Trials, and which of them make up one panel of an experiment. Names only, no objects."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

REGRET, REWARD = "regret", "reward"
MEASURES = {REGRET: "cumulative regret", REWARD: "cumulative reward / that of a random choice"}


class Trial(NamedTuple):
    """One policy on one environment with one seed: names only, so that any process can play it."""

    environment: str
    policy: str
    rounds: int
    seed: int

    @property
    def program(self) -> tuple[str, str]:
        """What has to be compiled to play it; trials that differ in their seed share it."""
        return self.environment, self.policy


@dataclass(frozen=True)
class Plan:
    """Policies x seeds on one environment: a panel of an experiment's figure."""

    environment: str
    policies: tuple[str, ...]
    rounds: int
    seeds: tuple[int, ...]
    measure: str = REGRET
    chance: float | None = None
    """What a random choice earns a round, by which "reward" is divided."""
    size: int | None = None
    """The size this panel stands for, in an experiment over sizes."""
    fewer: Mapping[str, int] = field(default_factory=dict)
    """How many runs the policies get that do not get one for each seed."""

    def trials(self) -> list[Trial]:
        """Every trial, seed by seed, so that a comparison cut short is still a fair one."""
        return [
            Trial(self.environment, policy, self.rounds, seed)
            for number, seed in enumerate(self.seeds)
            for policy in self.policies
            if number < self.fewer.get(policy, len(self.seeds))
        ]
