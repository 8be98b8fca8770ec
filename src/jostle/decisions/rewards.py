"""Rewards of one decision: how several become one number, and which have been counted."""

from typing import Any

import numpy as np

from jostle.core.validation import number, unknown

AGGREGATIONS = ("first", "last", "sum", "mean", "max", "min")
LARGEST_REWARD = 1e30
"""So that a sum of rewards stays a number that policies can learn from."""
MOST_IDS = 1000
"""Reward ids remembered per decision."""


def check_aggregation(name: Any) -> str:
    """The name of an aggregation, or an error."""
    if name not in AGGREGATIONS:
        raise ValueError(unknown("aggregation", name, AGGREGATIONS))
    return str(name)


def check_reward(name: str, value: Any) -> float:
    """A reward as a float, or an error."""
    number(name, value, -LARGEST_REWARD, LARGEST_REWARD)
    if np.ndim(value):
        raise TypeError(f"{name} must be one number, not an array")
    return float(value)


class Tally:
    """The rewards that one decision has had so far, in constant memory."""

    __slots__ = ("count", "ids", "value")

    def __init__(self, count: int = 0, value: float = 0.0, ids: list[str] | None = None):
        self.count = count
        self.value = value
        self.ids = set(ids or ())

    def is_duplicate(self, reward_id: str | None) -> bool:
        """Whether a reward with this id has been counted."""
        return reward_id is not None and reward_id in self.ids

    def add(self, aggregation: str, value: float, reward_id: str | None) -> None:
        """Count one more reward."""
        self.count += 1
        if self.count == 1 or aggregation == "last":
            self.value = value
        elif aggregation in ("sum", "mean"):
            self.value += value
        elif aggregation == "max":
            self.value = max(self.value, value)
        elif aggregation == "min":
            self.value = min(self.value, value)
        if reward_id is not None and len(self.ids) < MOST_IDS:
            self.ids.add(reward_id)

    def total(self, aggregation: str) -> float | None:
        """All rewards as one number; None if there were none."""
        if self.count == 0:
            return None
        return self.value / self.count if aggregation == "mean" else self.value

    def as_data(self) -> list[Any]:
        """For a file."""
        return [self.count, self.value, sorted(self.ids)]
