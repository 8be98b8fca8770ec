"""Whether one policy's results vary more from seed to seed than another's: a paired test.

Pitman's and Morgan's test (Biometrika 31, 1939): x and y have the same variance exactly if x + y
and x - y are not correlated, which is tested as any correlation is. It is exact for normally
distributed pairs, and accounts for what x and y have in common because they met the same stream.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from jostle.lab.analysis.intervals import LEVEL


class SpreadRatio(NamedTuple):
    """The standard deviation of one policy over that of another, with its interval."""

    ratio: float
    low: float
    high: float


def spread_ratio(first: ArrayLike, second: ArrayLike, level: float = LEVEL) -> SpreadRatio:
    """The ratio of the standard deviations of three or more pairs.

    The interval holds the factors f for which ``spread_p_value(first, second, f)`` is at least
    1 - level. In squares they are w (k - sqrt(k^2 - 1)) to w (k + sqrt(k^2 - 1)), with w the ratio
    of the variances, r the correlation, q the quantile of Student's t with n - 2 degrees of freedom
    and k = 1 + 2 (1 - r^2) q^2 / (n - 2).
    """
    from scipy import stats

    x, y = np.asarray(first, float), np.asarray(second, float)
    variances = x.var(ddof=1), y.var(ddof=1)
    if min(variances) == 0:
        ratio = 1.0 if variances[0] == variances[1] else float(np.inf if variances[0] else 0)
        return SpreadRatio(ratio, ratio, ratio)
    w = variances[0] / variances[1]
    r = float(np.corrcoef(x, y)[0, 1])
    q = float(stats.t.ppf((1 + level) / 2, len(x) - 2))
    k = 1 + 2 * (1 - r**2) * q**2 / (len(x) - 2)
    root = np.sqrt(k**2 - 1)
    # k - root, written so that it does not lose its digits where k is large
    low, high = np.sqrt(w / (k + root)), np.sqrt(w * (k + root))
    return SpreadRatio(float(np.sqrt(w)), float(low), float(high))


def spread_p_value(first: ArrayLike, second: ArrayLike, factor: float = 1.0) -> float:
    """The two-sided p-value of a ratio of standard deviations of ``factor``, from paired values."""
    from scipy import stats

    x, y = np.asarray(first, float), factor * np.asarray(second, float)
    total, gap = x + y, x - y
    if min(total.var(), gap.var()) == 0:
        return 1.0  # all pairs on a line of slope 1 or -1: the variances are the same
    r = float(np.corrcoef(total, gap)[0, 1])
    freedom = len(x) - 2
    if 1 - r**2 <= 0:
        return 0.0
    return float(2 * stats.t.sf(abs(r) * np.sqrt(freedom / (1 - r**2)), freedom))
