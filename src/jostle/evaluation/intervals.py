"""Asymptotic intervals: normal and bootstrap, for estimates and for differences between them."""

import math
from statistics import NormalDist

import numpy as np

from jostle.evaluation.estimators import Columns

RESAMPLES = 1000
GROUPS = 10_000
"""The bootstrap resamples at most this many groups of rows, drawn at random: with more groups its
intervals change by less than their own error."""

Bounds = tuple[float, float]


def standard_error(rows: np.ndarray) -> float:
    """The standard error of the mean of the rows' contributions."""
    return float(rows.std(ddof=1)) / math.sqrt(len(rows)) if len(rows) > 1 else math.inf


def normal(rows: np.ndarray, level: float) -> Bounds:
    """Mean plus and minus a multiple of the standard error."""
    half = NormalDist().inv_cdf((1 + level) / 2) * standard_error(rows)
    middle = float(rows.mean())
    return middle - half, middle + half


def bootstrap(
    first: Columns, second: Columns | None, level: float, seed: int = 0, resamples: int = RESAMPLES
) -> Bounds:
    """Percentiles of an estimate, or of a difference, over resampled rows."""
    generator = np.random.default_rng(seed)
    columns = [*_complete(first), *(_complete(second) if second is not None else ())]
    n = len(columns[0])
    if n < 2:  # one row says nothing about its own error
        return -math.inf, math.inf
    groups = min(n, GROUPS)
    sums = np.stack(columns)
    if n > groups:
        edges = np.linspace(0, n, groups + 1).astype(int)[:-1]
        sums = np.add.reduceat(sums[:, generator.permutation(n)], edges, axis=1)
    draws = np.empty((resamples, len(columns)))
    step = max(1, 2**22 // groups)
    for start in range(0, resamples, step):
        size = min(step, resamples - start)
        # Faster than a multinomial draw: count where each of ``groups`` draws falls.
        falls = generator.integers(groups, size=(size, groups)) + groups * np.arange(size)[:, None]
        counts = np.bincount(falls.reshape(-1), minlength=size * groups).reshape(size, groups)
        draws[start : start + step] = counts.astype(np.float64) @ sums.T / n
    values = _values(draws[:, :3])
    if second is not None:
        values = values - _values(draws[:, 3:])
    low, high = np.quantile(values, [(1 - level) / 2, (1 + level) / 2])
    return float(low), float(high)


def _complete(columns: Columns) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    present = next(column for column in columns if column is not None)
    zeros = np.zeros_like(present)
    mean, top, bottom = columns
    return (
        zeros if mean is None else mean,
        zeros if top is None else top,
        np.ones_like(present) if bottom is None else bottom,
    )


def _values(means: np.ndarray) -> np.ndarray:
    a, b, c = means.T
    return np.asarray(a + np.divide(b, c, out=np.zeros_like(b), where=c > 0))
