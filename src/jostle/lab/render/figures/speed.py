"""The figures of time: bars of choosing and learning per policy, and lines as a size grows."""

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

from jostle.core.plotting import INK, SOFT
from jostle.lab.analysis.speed import RoundTime, Scaling, round_times, scalings
from jostle.lab.render.figures.axes_grid import (
    Ending,
    axes_grid,
    figure_title,
    label_lines,
    room_for,
    say_empty,
)
from jostle.lab.render.palette import COLOURS, strokes
from jostle.lab.render.text import axis_number, label, labels, significant, size_word, timed_text
from jostle.lab.results.model import Comparison
from jostle.lab.results.outcome import Outcome

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

PARTS = {"choosing": COLOURS[0], "learning": COLOURS[1]}
DECADES = 2.0
"""Values that span more decades than this need a logarithmic axis."""
NOTHING = "nothing was timed"


def draw_bars(outcome: Outcome) -> "Figure":
    """Milliseconds per round, one axes per panel: choosing and learning side by side."""
    found = [round_times(comparison) for comparison in outcome.comparisons]
    names = [labels(comparison.plan.policies) for comparison in outcome.comparisons]
    most = max(map(len, found), default=0)
    shown = [
        those[each.policy] for those, panel in zip(names, found, strict=True) for each in panel
    ]
    size = (4.2, max(1.2, 0.42 * most))
    figure, grid = axes_grid(len(found), 2, size, room=0.75, left=max(0.85, room_for(shown)))
    for axes, comparison, panel in zip(grid, outcome.comparisons, found, strict=True):
        _bars(axes, comparison, panel)
    figure_title(figure, outcome.experiment.title)
    return figure


def _bars(axes: "Axes", comparison: Comparison, panel: list[RoundTime]) -> None:
    plan = comparison.plan
    name = label(plan.environment)
    title = f"{name}: time of a round {timed_text(plan)}"
    axes.set_title(title, parse_math=False, color=INK, pad=22)
    if not panel:
        say_empty(axes, NOTHING)
        axes.set_axis_off()
        return
    log = _spans_decades(value for each in panel for value in (each.choosing, each.learning))
    if log:
        axes.set_xscale("log")
    places = np.arange(len(panel))
    for offset, (part, colour) in zip((-0.19, 0.19), PARTS.items(), strict=True):
        values = [each._asdict()[part] for each in panel]
        axes.barh(places + offset, values, height=0.34, color=colour, label=part)
        for place, value in zip(places + offset, values, strict=True):
            axes.annotate(
                significant(value),
                (value, place),
                xytext=(4, 0),
                textcoords="offset points",
                va="center",
                fontsize=8,
                color=SOFT,
            )
    names = labels(plan.policies)
    axes.set_yticks(places, [names[each.policy] for each in panel], parse_math=False)
    axes.tick_params(axis="y", length=0)
    axes.invert_yaxis()
    axes.grid(axis="x")
    axes.xaxis.set_major_formatter(axis_number)
    axes.set_xlabel("milliseconds per round" + (", log scale" if log else ""))
    axes.legend(
        loc="lower left", bbox_to_anchor=(-0.01, 1.0), ncols=2, frameon=False, borderaxespad=0.1
    )


def draw_growth(outcome: Outcome) -> "Figure":
    """Lines over the size, one per policy: choosing on the left, learning on the right."""
    found = scalings(outcome)
    word = size_word(outcome.experiment)
    room = room_for([name for each in found for name in labels(each.policies).values()])
    figure, grid = axes_grid(2 * len(found), 2, (3.9, 3.3), room)
    for number, scaling in enumerate(found):
        for side, part in enumerate(PARTS):
            _growth(grid[2 * number + side], scaling, part, word)
    figure_title(figure, outcome.experiment.title)
    return figure


def _growth(axes: "Axes", scaling: Scaling, part: str, word: str) -> None:
    from matplotlib.ticker import LogLocator

    axes.set_title(f"{label(scaling.environment)}: {part}", parse_math=False, color=INK)
    if not scaling.curves:
        say_empty(axes, NOTHING)
        axes.set_axis_off()
        return
    axes.set(xscale="log", yscale="log", xlabel=word, ylabel="milliseconds per round")
    axes.grid()
    looks, names = strokes(scaling.policies), labels(scaling.policies)
    endings, all_values = [], []
    for curve in scaling.curves:
        values: list[float] = curve._asdict()[part]
        all_values += values
        colour, dash = looks[curve.policy]
        style: dict[str, Any] = {"color": colour, "linewidth": 2, "marker": "o", "markersize": 5}
        axes.plot(curve.sizes, values, linestyle=(0, dash) if dash else "-", **style)
        if values[-1] > 0:  # what took no measurable time has no place on a log axis
            endings.append(Ending(curve.sizes[-1], values[-1], names[curve.policy], colour))
    sizes = sorted({size for curve in scaling.curves for size in curve.sizes})
    axes.set_xticks(sizes, [f"{size:,}" for size in sizes])
    if not _spans_decades(all_values):
        axes.yaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))  # one decade may hold all
    axes.minorticks_off()
    axes.yaxis.set_major_formatter(axis_number)
    label_lines(axes, endings)


def _spans_decades(values: Iterable[float]) -> bool:
    """Whether the values span more decades than a linear axis can show."""
    positive = [value for value in values if value > 0]
    return bool(positive) and max(positive) > 10**DECADES * min(positive)
