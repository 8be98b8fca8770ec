"""Centre and scale of each number, learned from the first closed decisions and then fixed.

A linear model without a history cannot encode its past again, so moments that kept moving would
change what its weights mean. The rule, for each name by itself:

- before 8 closed decisions have held the name, a number is squashed to asinh(x);
- after 8, 16, 32, ... of them its moments are computed from all values seen so far;
- after ``warmup`` of them (256 by default) they are computed for the last time.

The moments are robust: values are clipped to their 1st and 99th percentile, centre and scale are
the mean and standard deviation of what results, and standardised values are clipped to [-3, 3].
A number that has only been 0 or 1 stays as it is, and so does one that has not varied, less its
value.
"""

from typing import Any

import numpy as np

CLIP = 3.0
TAIL = 0.01
FIRST = 8
"""Closed decisions after which a name has moments."""
MOST_VALUES = 8192
"""Values kept per name until its moments are fixed: a decision may show thousands of actions."""
MOST_NAMES = 2048
"""Names that have moments. Numbers of any further names stay squashed."""


class Moments:
    """The centre and scale of every number that has been in enough closed decisions."""

    def __init__(self, warmup: int):
        self.warmup = warmup
        self._fixed: dict[int, tuple[float, float]] = {}
        self._learning: dict[int, tuple[int, list[float]]] = {}  # decisions so far, values

    def get(self, name: int) -> tuple[float, float] | None:
        """The centre and scale of a name, by its hash; None if too few decisions have held it."""
        return self._fixed.get(name)

    def learns(self, name: int) -> bool:
        """Whether another closed decision with this name could change anything."""
        if name in self._learning:
            return True
        return name not in self._fixed and len(self._fixed) + len(self._learning) < MOST_NAMES

    def collect(self, numbers: dict[int, list[float]]) -> None:
        """Count the numbers of one closed decision, without computing any moments yet."""
        for name, values in numbers.items():
            if self.learns(name):
                before, kept = self._learning.get(name, (0, []))
                kept.extend(values[: MOST_VALUES - len(kept)])
                self._learning[name] = (before + 1, kept)

    def observe(self, numbers: dict[int, list[float]]) -> bool:
        """Count the numbers of one closed decision; return whether any moments have changed."""
        self.collect(numbers)
        changed = False
        for name in numbers:
            if name not in self._learning:
                continue
            seen, values = self._learning[name]
            last = seen >= self.warmup
            if last or (seen >= FIRST and seen & (seen - 1) == 0):
                self._fixed[name] = robust(values)
                changed = True
            if last:
                del self._learning[name]
        return changed

    def finish(self) -> None:
        """Compute the moments of all names that have any values, and fix them."""
        for name, (_, values) in self._learning.items():
            self._fixed[name] = robust(values)
        self._learning.clear()

    def as_data(self) -> list[Any]:
        """For a file."""
        fixed = [[name, *pair] for name, pair in self._fixed.items()]
        underway = [[name, seen, list(values)] for name, (seen, values) in self._learning.items()]
        return [fixed, underway]

    @classmethod
    def from_data(cls, warmup: int, data: list[Any]) -> "Moments":
        """What ``as_data`` returned."""
        moments = cls(warmup)
        moments._fixed = {name: (centre, scale) for name, centre, scale in data[0]}
        moments._learning = {name: (seen, list(values)) for name, seen, values in data[1]}
        return moments


def robust(values: list[float]) -> tuple[float, float]:
    """The centre and the scale of values, a few of which may be far out."""
    array = np.asarray(values, np.float64)
    if np.isin(array, (0.0, 1.0)).all():
        return 0.0, 1.0
    # In units of the largest value, since squares of very large numbers overflow.
    unit = float(np.abs(array).max())
    array /= unit
    low, high = np.quantile(array, (TAIL, 1 - TAIL))
    if low == high:  # a name that rarely differs from its usual value still tells when it does
        low, high = array.min(), array.max()
    clipped = np.clip(array, low, high)
    scale = float(clipped.std()) * unit
    return float(clipped.mean()) * unit, scale if scale > 0 else 1.0
