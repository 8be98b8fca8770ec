"""What is measured at the end against the time of a round: which settings are worth their cost."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from jostle.lab.analysis.ranking import Row, rows
from jostle.lab.render.figures.axes_grid import (
    INK,
    SOFT,
    Ending,
    name_lines,
    room_for,
    sheet,
    title,
)
from jostle.lab.render.palette import strokes
from jostle.lab.render.text import labels
from jostle.lab.results.model import Comparison
from jostle.lab.results.outcome import Outcome
from jostle.lab.spec.plan import MEASURES, REGRET


def draw(outcome: Outcome) -> Any:
    """One axes a panel: a point for each policy, and a line through those on the front."""
    panels = outcome.comparisons
    names = [name for each in panels for name in labels(each.plan.policies).values()]
    figure, axes = sheet(len(panels), 3, (3.9, 3.3), room_for(names))
    for comparison, where in zip(panels, axes, strict=True):
        _panel(where, comparison)
    title(figure, outcome.experiment.title)
    return figure


def front(cost: Sequence[float], loss: Sequence[float]) -> list[int]:
    """Which points no other beats at no higher cost, the cheapest first."""
    found: list[int] = []
    for index in sorted(range(len(cost)), key=lambda i: (cost[i], loss[i])):
        if not found or loss[index] < loss[found[-1]]:
            found.append(index)
    return found


def _panel(axes: Any, comparison: Comparison) -> None:
    plan = comparison.plan
    name = labels([plan.environment])[plan.environment]
    axes.set_title(f"{name}, {plan.rounds:,} rounds", parse_math=False, color=INK)
    points = [row for row in rows(comparison) if row.round_ms]
    if not points:
        axes.text(0.5, 0.5, "no run is finished", transform=axes.transAxes, ha="center", color=SOFT)
        return
    axes.set(xscale="log", xlabel="milliseconds a round", ylabel=MEASURES[plan.measure])
    axes.grid()
    cost = [float(row.round_ms or 0) for row in points]
    sign = 1 if plan.measure == REGRET else -1
    best = front(cost, [sign * row.mean for row in points])
    axes.plot([cost[i] for i in best], [points[i].mean for i in best], color=SOFT, linewidth=1)
    drawn, names = strokes(plan.policies), labels(plan.policies)
    for x, row in zip(cost, points, strict=True):
        colour = drawn[row.policy].colour
        axes.errorbar(x, row.mean, yerr=row.error or 0, color=colour, marker="o", capsize=2)
    _number_axes(axes, cost, points)
    name_lines(
        axes,
        [
            Ending(x, row.mean, names[row.policy], drawn[row.policy].colour)
            for x, row in zip(cost, points, strict=True)
        ],
    )


def _number_axes(axes: Any, cost: list[float], points: list[Row]) -> None:
    """Plain numbers, few of them, and room around the points."""
    from matplotlib.ticker import LogLocator, NullFormatter

    axes.set_xlim(0.8 * min(cost), 1.25 * max(cost))
    high = max(row.mean + (row.error or 0) for row in points)
    low = min(row.mean - (row.error or 0) for row in points)
    margin = 0.06 * (high - low or max(abs(high), 1.0))
    axes.set_ylim(low - margin, high + margin)
    few = np.log10(max(cost) / min(cost)) < 1.5
    axes.xaxis.set_major_locator(LogLocator(subs=(1, 2, 5) if few else (1,)))
    axes.xaxis.set_minor_formatter(NullFormatter())
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_major_formatter(lambda value, _: f"{value:,.10g}")
