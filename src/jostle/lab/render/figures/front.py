"""The figure of regret or reward against milliseconds per round, with its Pareto front."""

from typing import TYPE_CHECKING

import numpy as np

from jostle.core.plotting import INK, SOFT
from jostle.lab.analysis.pareto import pareto_front
from jostle.lab.analysis.ranking import Row, rows
from jostle.lab.render.figures.axes_grid import (
    Ending,
    axes_grid,
    figure_title,
    label_lines,
    panel_title,
    room_for,
    say_empty,
)
from jostle.lab.render.palette import strokes
from jostle.lab.render.text import axis_number, labels
from jostle.lab.results.model import Comparison
from jostle.lab.results.outcome import Outcome
from jostle.lab.spec.plan import MEASURES, REGRET

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


def draw(outcome: Outcome) -> "Figure":
    """One axes per panel: a point for each policy, and a line through those on the front."""
    panels = outcome.comparisons
    names = [name for each in panels for name in labels(each.plan.policies).values()]
    figure, grid = axes_grid(len(panels), 3, (3.9, 3.3), room_for(names))
    for comparison, axes in zip(panels, grid, strict=True):
        _panel(axes, comparison)
    figure_title(figure, outcome.experiment.title)
    return figure


def _panel(axes: "Axes", comparison: Comparison) -> None:
    plan = comparison.plan
    axes.set_title(panel_title(plan), parse_math=False, color=INK)
    points = [row for row in rows(comparison) if row.round_ms]
    if not points:
        say_empty(axes, "no run is finished")
        return
    axes.set(xscale="log", xlabel="milliseconds per round", ylabel=MEASURES[plan.measure])
    axes.grid()
    cost = [float(row.round_ms or 0) for row in points]
    sign = 1 if plan.measure == REGRET else -1
    best = pareto_front(cost, [sign * row.mean for row in points])
    axes.plot([cost[i] for i in best], [points[i].mean for i in best], color=SOFT, linewidth=1)
    looks, names = strokes(plan.policies), labels(plan.policies)
    endings = []
    for x, row in zip(cost, points, strict=True):
        colour = looks[row.policy].colour
        axes.errorbar(x, row.mean, yerr=row.error or 0, color=colour, marker="o", capsize=2)
        endings.append(Ending(x, row.mean, names[row.policy], colour))
    _number_axes(axes, cost, points)
    label_lines(axes, endings)


def _number_axes(axes: "Axes", cost: list[float], points: list[Row]) -> None:
    """Plain numbers, few of them, and room around the points."""
    from matplotlib.ticker import LogLocator, NullFormatter

    axes.set_xlim(0.8 * min(cost), 1.25 * max(cost))
    high = max(row.mean + (row.error or 0) for row in points)
    low = min(row.mean - (row.error or 0) for row in points)
    margin = 0.06 * (high - low or max(abs(high), 1.0))
    axes.set_ylim(low - margin, high + margin)
    few_decades = np.log10(max(cost) / min(cost)) < 1.5
    axes.xaxis.set_major_locator(LogLocator(subs=(1, 2, 5) if few_decades else (1,)))
    axes.xaxis.set_minor_formatter(NullFormatter())
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_major_formatter(axis_number)
