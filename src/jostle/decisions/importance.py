"""Importance weights of logged decisions, from the probabilities with which they were taken."""

from typing import Any

import numpy as np

from jostle.core.validation import number, numeric

MOST_WEIGHT = 10.0
"""The largest weight, by default."""


def importance_weights(name: str, probabilities: Any, most: float = MOST_WEIGHT) -> np.ndarray:
    """1 / probability of each row, divided by their mean and then at most ``most``.

    Dividing by the mean keeps the rows from counting for more than they are, or the policy would
    believe that it knows more than it does. ``name`` is that of the probabilities, for errors.
    """
    number("most_weight", most, 1.0)
    p = numeric(name, probabilities).astype(np.float64)
    bad = ~((p > 0) & (p <= 1))
    if bad.any():
        row = int(np.flatnonzero(bad)[0])
        raise ValueError(
            f"{name} must hold probabilities above 0 and at most 1, but row {row} has {p[row]:g}"
        )
    weights: np.ndarray = np.minimum(1 / p / (1 / p).mean(), most)
    return weights


def effective_number(weights: np.ndarray) -> float:
    """(sum w)^2 / sum w^2, the number of rows of equal weight that say as much (Kish, 1965)."""
    return float(weights.sum() ** 2 / (weights**2).sum())
