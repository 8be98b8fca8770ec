"""Several tests at once: p-values corrected for their number."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray


def holm(p_values: Sequence[float]) -> NDArray[np.float64]:
    """The p-values adjusted by Holm's method, in the given order.

    S. Holm, "A simple sequentially rejective multiple test procedure", Scandinavian Journal of
    Statistics 6, 1979: the smallest of n is multiplied by n, the next by n - 1, and so on, and none
    becomes smaller than the one before it. To reject what is at most alpha rejects any true
    hypothesis with a probability of at most alpha, however the tests depend on each other.
    """
    found = np.asarray(p_values, float)
    order = np.argsort(found, kind="stable")
    scaled = np.maximum.accumulate(found[order] * np.arange(len(found), 0, -1))
    adjusted = np.empty_like(found)
    adjusted[order] = np.minimum(scaled, 1.0)
    return adjusted
