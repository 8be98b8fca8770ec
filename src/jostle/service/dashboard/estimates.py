"""Mean rewards with intervals, and quantiles, from the sums that the service keeps."""

import math
from collections.abc import Iterable, Sequence
from itertools import accumulate
from typing import NamedTuple

from jostle.service.messages import Moments

NORMAL = 1.96
"""Standard errors on each side of an interval of 95 %."""
SHRINKAGE = 5.0
"""Observations that the variance of the whole span counts for in each bucket.

A bucket in which all rewards are equal, as without a click, would have an interval of no length.
"""
LEAST = 20.0
"""Effective observations below which a mean is no estimate."""


class Estimate(NamedTuple):
    """A mean reward per decision with its interval of 95 %."""

    value: float
    low: float
    high: float


def merged(moments: Iterable[Moments]) -> Moments:
    """The sums over several buckets."""
    total = Moments()
    for each in moments:
        for name in Moments.__struct_fields__:
            setattr(total, name, getattr(total, name) + getattr(each, name))
    return total


def estimate(moments: Moments, spread: float | None = None) -> Estimate | None:
    """The self-normalised mean of weighted rewards; None if there are too few for one.

    With v = sum of w r / sum of w, the variance is sum of w^2 (r - v)^2 / (sum of w)^2 (the delta
    method): the variance of rewards, weighted by w^2, over the effective number of observations.
    ``spread`` is that variance over a longer time (``spread_of``).
    """
    size = moments.weight**2 / moments.weight2 if moments.weight > 0 else 0.0
    if size < LEAST:
        return None
    value, variance = moments.reward / moments.weight, spread_of(moments)
    if spread is not None:
        variance = (size * variance + SHRINKAGE * spread) / (size + SHRINKAGE)
    half = NORMAL * math.sqrt(variance / size)
    return Estimate(value, value - half, value + half)


def spread_of(moments: Moments) -> float:
    """The variance of rewards, weighted by w^2: sum of w^2 (r - v)^2 / sum of w^2."""
    if moments.weight <= 0:
        return 0.0
    value = moments.reward / moments.weight
    mixed = moments.weight2_reward2 - 2 * value * moments.weight2_reward
    return max(mixed / moments.weight2 + value**2, 0.0)  # rounding may leave it below 0


def quantile(counts: Sequence[int], edges: Sequence[float], share: float) -> float | None:
    """A quantile from counts between edges, linear inside them; None if nothing was counted.

    ``counts`` has one number more than ``edges``: the last is of what lies beyond the last edge,
    for which that edge is returned.
    """
    total = sum(counts)
    if not total:
        return None
    target = share * total
    bounds = [0.0, *edges, edges[-1]]
    for place, reached in enumerate(accumulate(counts)):
        if reached >= target and counts[place]:
            inside = (target - (reached - counts[place])) / counts[place]
            return bounds[place] + inside * (bounds[place + 1] - bounds[place])
    return bounds[-1]


def groups(length: int, most: int) -> list[slice]:
    """At most ``most`` slices of equal length that cover a list, the newest last and complete."""
    size = max(math.ceil(length / most), 1)
    stops = range(length, 0, -size)
    return [slice(max(stop - size, 0), stop) for stop in stops][::-1]
