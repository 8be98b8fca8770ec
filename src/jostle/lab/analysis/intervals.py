"""Confidence intervals of means and of paired differences between policies.

Policies that share a seed met the same stream, so they are compared seed by seed with the paired
t-interval (Student, "The probable error of a mean", Biometrika 6, 1908): the mean of the
differences, plus or minus a quantile of Student's t times their standard error. It is exact for
normally distributed differences however few they are; percentile bootstraps of three to ten values
are too narrow.
"""

from collections.abc import Mapping
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from jostle.lab.results.model import Comparison

FEWEST_SEEDS = 3
"""With fewer shared seeds no interval is computed."""
LEVEL = 0.95
"""The confidence level of every interval."""


class PairedDifference(NamedTuple):
    """The mean of one policy's values minus another's, seed by seed, with its interval."""

    mean: float
    low: float
    high: float
    seeds: int

    @property
    def significant(self) -> bool:
        """Whether the interval excludes 0: the difference is beyond the noise of the seeds."""
        return self.low > 0 or self.high < 0


def standard_error(values: ArrayLike) -> float | None:
    """The standard error of the mean of ``values``; None for a single value."""
    array = np.asarray(values, float)
    if len(array) < 2:
        return None
    return float(np.std(array, ddof=1) / np.sqrt(len(array)))


def mean_interval(values: ArrayLike) -> tuple[float, float]:
    """The t-interval of the mean of two or more ``values``, at ``LEVEL``.

    Written with the quantile rather than ``scipy.stats.t.interval``, which gives NaN when all
    values are equal; the interval is then the value itself.
    """
    array = np.asarray(values, float)
    error = standard_error(array)
    if error is None:
        raise ValueError(f"values: expected at least two, got {len(array)}")
    mean, reach = float(array.mean()), _quantile(len(array) - 1) * error
    return mean - reach, mean + reach


def mean_p_value(values: ArrayLike, mean: float = 0.0) -> float:
    """The two-sided p-value of the hypothesis that the mean of ``values`` is ``mean``.

    It is below 1 - ``LEVEL`` exactly if ``mean_interval`` excludes ``mean``.
    """
    from scipy import stats

    array = np.asarray(values, float) - mean
    error = standard_error(array)
    if error is None:
        raise ValueError(f"values: expected at least two, got {len(array)}")
    if error == 0:
        return 1.0 if array.mean() == 0 else 0.0
    return float(2 * stats.t.sf(abs(array.mean()) / error, len(array) - 1))


def final_values(comparison: Comparison, policy: str) -> dict[int, float]:
    """What is measured at the last round of each finished run of ``policy``, by seed."""
    return {run.trial.seed: float(comparison.curve(run)[-1]) for run in comparison.of(policy)}


def paired_values(
    first: Mapping[int, float], second: Mapping[int, float]
) -> tuple[list[float], list[float]]:
    """The values of the seeds that both have, in the order of the seeds."""
    seeds = sorted(first.keys() & second.keys())
    return [first[seed] for seed in seeds], [second[seed] for seed in seeds]


def paired_difference(comparison: Comparison, policy: str, other: str) -> PairedDifference | None:
    """``policy`` minus ``other`` at the last round; None with fewer than ``FEWEST_SEEDS``."""
    return difference_of(final_values(comparison, policy), final_values(comparison, other))


def difference_of(
    first: Mapping[int, float], second: Mapping[int, float]
) -> PairedDifference | None:
    """The first minus the second, seed by seed; None with fewer than ``FEWEST_SEEDS``."""
    ours, theirs = paired_values(first, second)
    if len(ours) < FEWEST_SEEDS:
        return None
    differences = np.subtract(ours, theirs)
    return PairedDifference(float(differences.mean()), *mean_interval(differences), len(ours))


def differences_to_best(comparison: Comparison) -> dict[str, PairedDifference | None]:
    """The difference of every policy to the best one, the second best first."""
    ranked = comparison.policies()
    return {policy: paired_difference(comparison, policy, ranked[0]) for policy in ranked[1:]}


@lru_cache
def _quantile(freedom: int) -> float:
    from scipy import stats

    return float(stats.t.ppf((1 + LEVEL) / 2, freedom))
