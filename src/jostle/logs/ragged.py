"""Rows that show different numbers of arms, and arms that have names in place of numbers.

Such rows come from ``Journal``. A log shows as many arms in every row: shorter rows are filled up
with absent arms, and names become numbers in their alphabetical order.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from jostle.types import NOBODY

FILLERS: dict[str, Any] = {"probabilities": 0.0, "features": 0.0, "mask": False, "arms": NOBODY}
"""The columns with one entry per arm, and what an absent arm has there."""


def filled(values: list[Any], name: str) -> list[Any]:
    """Lists as long as the longest of them, if the column has one entry per arm."""
    if name not in FILLERS or not all(isinstance(value, list) for value in values):
        return values
    longest = max(len(value) for value in values)
    first = next((value[0] for value in values if value), None)
    absent = [FILLERS[name]] * len(first) if isinstance(first, list) else FILLERS[name]
    return [value + [absent] * (longest - len(value)) for value in values]


def names_in(columns: Mapping[str, Any]) -> set[str]:
    """The names of arms; none if arms have numbers."""
    arms = columns.get("arms")
    if arms is None or arms.dtype != object:
        return set()
    return {str(name) for name in arms.ravel() if name != NOBODY}


def completed(
    columns: Mapping[str, Any], shown: int | None, labels: Sequence[str] | None
) -> dict[str, Any]:
    """The columns with ``shown`` arms in every row, and numbers for names of arms."""
    found = dict(columns)
    if labels and names_in(columns):
        codes: dict[Any, int] = {name: code for code, name in enumerate(labels)}
        codes[NOBODY] = NOBODY
        numbers = [[codes[name] for name in row] for row in found["arms"]]
        found["arms"] = np.array(numbers, np.int64)
    if "mask" not in found:  # then all rows show all arms
        return found
    for name, absent in FILLERS.items():
        missing = (shown or 0) - found[name].shape[1] if name in found else 0
        if missing > 0:
            rest = [(0, 0)] * (found[name].ndim - 2)
            sides = [(0, 0), (0, missing), *rest]
            found[name] = np.pad(found[name], sides, constant_values=absent)
    return found
