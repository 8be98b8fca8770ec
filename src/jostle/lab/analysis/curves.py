"""Mean curves with their standard errors: what a figure draws and a page shows."""

import math
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from jostle.lab.render.palette import Stroke, strokes
from jostle.lab.render.text import labels
from jostle.lab.results.model import Comparison, thinned
from jostle.lab.spec.plan import REGRET

FAR = 2.0  # times the next: so far off, a curve of regret may leave the frame


class Curve(NamedTuple):
    """The mean of what is measured for a policy, its standard error, and its look."""

    policy: str
    label: str
    mean: np.ndarray
    error: np.ndarray
    runs: int
    stroke: Stroke


def curves(comparison: Comparison) -> list[Curve]:
    """A curve for each policy that has a finished run, the best first."""
    looks, names = strokes(comparison.plan.policies), labels(comparison.plan.policies)
    drawn = []
    for policy in comparison.policies():
        runs = comparison.curves(policy)
        spread = runs.std(axis=0, ddof=1) if len(runs) > 1 else np.zeros(runs.shape[1])
        error = spread / np.sqrt(len(runs))
        drawn.append(
            Curve(policy, names[policy], runs.mean(axis=0), error, len(runs), looks[policy])
        )
    return drawn


class Frame(NamedTuple):
    """What part of the curves a plot shows."""

    begin: int
    """The first point that is drawn."""
    settled: int
    """The first point that the limits must hold."""
    low: float
    high: float


def frame(comparison: Comparison, drawn: list[Curve]) -> Frame:
    """The frame that shows most.

    Regret begins at 0; if the worst, up to a third of all, are far off, they may leave at the top,
    so that the others can be told apart. A ratio of rewards begins wild, with one reward or none:
    its first hundredth is not drawn, and its first twentieth may be cut off.
    """
    if comparison.plan.measure == REGRET:
        tops = sorted(float((curve.mean + curve.error).max()) for curve in drawn)
        for near, far in pairwise(tops[math.ceil(len(tops) * 2 / 3) - 1 :]):
            if far > FAR * near > 0:
                return Frame(0, 0, 0.0, 1.15 * near)
        return Frame(0, 0, 0.0, 1.04 * tops[-1] or 1.0)
    rounds = thinned(comparison.plan.rounds)
    begin, settled = (int(np.searchsorted(rounds, rounds[-1] / part)) for part in (100, 20))
    low = min(1.0, *(float((curve.mean - curve.error)[settled:].min()) for curve in drawn))
    high = max(1.0, *(float((curve.mean + curve.error)[settled:].max()) for curve in drawn))
    margin = 0.04 * (high - low) or 0.05
    return Frame(begin, settled, low - margin, high + margin)
