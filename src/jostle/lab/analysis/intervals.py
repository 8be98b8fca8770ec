"""Which differences to the best policy are beyond the noise of the seeds."""

from functools import lru_cache
from typing import NamedTuple

import numpy as np

from jostle.lab.results.model import Comparison

FEWEST = 3  # shared seeds below which nothing is said
RESAMPLES = 10_000
LEVEL = 0.95

METHOD = (
    f"Policies that share a seed met the same stream, so they are compared seed by seed: the mean "
    f"of the differences to the best policy, with a {LEVEL:.0%} interval from a paired bootstrap "
    f"({RESAMPLES:,} resamples of the seeds, fixed generator), widened as Student's t is wider "
    "than the normal, because seeds are few. A difference is called beyond the noise when its "
    "interval leaves out 0. Each is tested by itself, against a best that the same runs picked: of "
    "twenty true ties, one or more would pass for a difference. With fewer than "
    f"{FEWEST} shared seeds nothing is tested."
)


class Gap(NamedTuple):
    """How far a policy is from the best: the mean of its own minus the best's, an interval."""

    mean: float
    low: float
    high: float
    seeds: int

    @property
    def clear(self) -> bool:
        """Whether it is beyond the noise of the seeds."""
        return self.low > 0 or self.high < 0


def gap(comparison: Comparison, policy: str, best: str) -> Gap | None:
    """The paired difference over the seeds that both have finished; None when they are too few."""
    ours, theirs = (
        dict(
            zip(
                [run.trial.seed for run in comparison.of(name)],
                comparison.finals(name),
                strict=True,
            )
        )
        for name in (policy, best)
    )
    shared = sorted(ours.keys() & theirs.keys())
    if len(shared) < FEWEST:
        return None
    low, high = interval(differences := np.array([ours[seed] - theirs[seed] for seed in shared]))
    return Gap(float(differences.mean()), low, high, len(shared))


def gaps(comparison: Comparison) -> dict[str, Gap | None]:
    """The gap of every policy but the best, the best of them first."""
    best, *others = comparison.policies() or [""]
    return {policy: gap(comparison, policy, best) for policy in others}


def interval(values: np.ndarray) -> tuple[float, float]:
    """A bootstrap interval of the mean of ``values``.

    Percentiles of resampled means are too narrow for few values: their variance lacks the factor
    n / (n - 1), and their tails are the normal's. Stretching them about the mean mends both.
    """
    count, mean = len(values), float(np.mean(values))
    means = values[_resamples(count)].mean(axis=1)
    tail = (1 - LEVEL) / 2
    low, high = np.quantile(means, [tail, 1 - tail]) - mean
    return float(mean + _stretch(count) * low), float(mean + _stretch(count) * high)


@lru_cache(maxsize=4)
def _resamples(count: int) -> np.ndarray:
    return np.random.default_rng(0).integers(count, size=(RESAMPLES, count))


def _stretch(count: int) -> float:
    from scipy.special import ndtri, stdtrit

    tail = (1 - LEVEL) / 2
    return float(np.sqrt(count / (count - 1)) * stdtrit(count - 1, tail) / ndtri(tail))
