"""Mean curves with standard errors, and which part of them a chart shows."""

import math
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from jostle.lab.results.model import Comparison, thinned
from jostle.lab.spec.plan import REGRET

FAR = 2.0
"""A regret this many times the next smaller one is far off, and its curve may leave the frame."""
MARGIN, MARGIN_BELOW_FAR = 0.04, 0.15
"""Room above the highest curve, as a share; more where curves leave, so that they are seen to."""


class Curve(NamedTuple):
    """What is measured for a policy, round by round: the mean over runs and its standard error."""

    policy: str
    mean: NDArray[np.float64]
    error: NDArray[np.float64]
    runs: int


class Reach(NamedTuple):
    """The part of the vertical axis that one curve needs, margins included."""

    low: float
    high: float
    leaves: bool
    """Whether the curve may leave the frame at the top."""


class Frame(NamedTuple):
    """The part of the curves that a chart shows."""

    begin: int
    """The first point that is drawn."""
    low: float
    high: float
    reaches: tuple[Reach, ...]
    """One for each curve. A chart that hides some curves fits the rest by ``limits``."""


def curves(comparison: Comparison) -> list[Curve]:
    """A curve for each policy that has a finished run, the best first."""
    found = []
    for policy in comparison.policies():
        runs = comparison.curves(policy)
        spread = runs.std(axis=0, ddof=1) if len(runs) > 1 else np.zeros(runs.shape[1])
        found.append(Curve(policy, runs.mean(axis=0), spread / np.sqrt(len(runs)), len(runs)))
    return found


def frame(comparison: Comparison, drawn: list[Curve]) -> Frame:
    """The frame that shows most of one or more curves.

    Regret starts at 0. If the worst curves, at most a third of all, are far off, they leave at the
    top, so that the others can be distinguished. A ratio of rewards is erratic at first, with one
    reward or none: its first hundredth is not drawn, and its first twentieth may be cut off.
    """
    if comparison.plan.measure == REGRET:
        begin, reaches = 0, _regret_reaches(drawn)
    else:
        begin, reaches = _reward_reaches(thinned(comparison.plan.rounds), drawn)
    return Frame(begin, *limits(reaches), tuple(reaches))


def limits(shown: list[Reach]) -> tuple[float, float]:
    """The limits that hold every curve of ``shown``, except those that leave if any other stays."""
    staying = [reach for reach in shown if not reach.leaves] or shown
    return min(reach.low for reach in staying), max(reach.high for reach in staying)


def _regret_reaches(drawn: list[Curve]) -> list[Reach]:
    tops = [float((curve.mean + curve.error).max()) for curve in drawn]
    ranked = sorted(tops)
    highest = math.inf
    for near, far in pairwise(ranked[math.ceil(len(tops) * 2 / 3) - 1 :]):
        if far > FAR * near > 0:
            highest = near
            break
    margin = MARGIN if math.isinf(highest) else MARGIN_BELOW_FAR
    least = min((top for top in tops if top > 0), default=1.0)  # a curve at 0 needs an axis too
    return [Reach(0.0, (1 + margin) * (top or least), top > highest) for top in tops]


def _reward_reaches(rounds: NDArray[np.int_], drawn: list[Curve]) -> tuple[int, list[Reach]]:
    begin, settled = (int(np.searchsorted(rounds, rounds[-1] / part)) for part in (100, 20))
    # The ratio of a random choice, 1, is always in view.
    lows = [min(1.0, float((curve.mean - curve.error)[settled:].min())) for curve in drawn]
    highs = [max(1.0, float((curve.mean + curve.error)[settled:].max())) for curve in drawn]
    margin = MARGIN * (max(highs) - min(lows)) or 0.05
    return begin, [
        Reach(low - margin, high + margin, False) for low, high in zip(lows, highs, strict=True)
    ]
