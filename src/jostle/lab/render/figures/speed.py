"""How long choosing and learning take: bars a policy, or lines over a size."""

from collections.abc import Iterable
from typing import Any

import numpy as np

from jostle.lab.analysis.speed import Growth, Rate, growths, rates
from jostle.lab.render.figures.axes_grid import (
    INK,
    SOFT,
    Ending,
    name_lines,
    room_for,
    sheet,
    title,
)
from jostle.lab.render.text import labels, sized_by
from jostle.lab.results.model import Comparison
from jostle.lab.results.outcome import Outcome

CHOOSING, LEARNING = "#0072B2", "#E69F00"
DECADES = 2.0  # from so many on, a linear axis hides the small


def bars(outcome: Outcome) -> Any:
    """Milliseconds a round, one axes a panel: choosing and learning side by side."""
    found = [rates(comparison) for comparison in outcome.comparisons]
    most = max(map(len, found), default=0)
    left = room_for([rate.label for panel in found for rate in panel])
    size = (4.2, max(1.2, 0.42 * most))
    figure, axes = sheet(len(found), 2, size, room=0.75, left=max(0.85, left))
    for where, comparison, panel in zip(axes, outcome.comparisons, found, strict=True):
        _bars(where, comparison, panel)
    title(figure, outcome.experiment.title)
    return figure


def _bars(axes: Any, comparison: Comparison, panel: list[Rate]) -> None:
    plan = comparison.plan
    name = labels([plan.environment])[plan.environment]
    axes.set_title(f"{name}: time of a round", parse_math=False, color=INK, pad=22)
    if not panel:
        _nothing(axes)
        return
    log = _wide(value for rate in panel for value in (rate.choosing, rate.learning))
    if log:
        axes.set_xscale("log")
    places = np.arange(len(panel))
    for offset, word, colour in ((-0.19, "choosing", CHOOSING), (0.19, "learning", LEARNING)):
        values = [getattr(rate, word) for rate in panel]
        axes.barh(places + offset, values, height=0.34, color=colour, label=word)
        for place, value in zip(places + offset, values, strict=True):
            axes.annotate(
                f"{value:.3g}",
                (value, place),
                xytext=(4, 0),
                textcoords="offset points",
                va="center",
                fontsize=8,
                color=SOFT,
            )
    axes.set_yticks(places, [rate.label for rate in panel], parse_math=False)
    axes.tick_params(axis="y", length=0)
    axes.invert_yaxis()
    axes.grid(axis="x")
    axes.xaxis.set_major_formatter(_plain)
    axes.set_xlabel("milliseconds a round" + (", log scale" if log else ""))
    axes.legend(
        loc="lower left", bbox_to_anchor=(-0.01, 1.0), ncols=2, frameon=False, borderaxespad=0.1
    )


def growth(outcome: Outcome) -> Any:
    """Log-log lines over the size, one a policy: choosing to the left, learning to the right."""
    found = growths(outcome)
    word = sized_by((*outcome.experiment.environments, *outcome.experiment.policies))
    room = room_for([line.label for panel in found for line in panel.lines])
    figure, axes = sheet(2 * len(found), 2, (3.9, 3.3), room)
    for number, panel in enumerate(found):
        for side, part in enumerate(("choosing", "learning")):
            _growth(axes[2 * number + side], panel, part, word)
    title(figure, outcome.experiment.title)
    return figure


def _growth(axes: Any, panel: Growth, part: str, word: str) -> None:
    from matplotlib.ticker import LogLocator

    axes.set_title(f"{panel.environment}: {part}", parse_math=False, color=INK)
    if not panel.lines:
        _nothing(axes)
        return
    axes.set(xscale="log", yscale="log", xlabel=word, ylabel="milliseconds a round")
    axes.grid()
    endings = []
    for line in panel.lines:
        values = getattr(line, part)
        colour, dash = line.stroke
        look: dict[str, Any] = {"color": colour, "linewidth": 2, "marker": "o", "markersize": 5}
        axes.plot(line.sizes, values, linestyle=(0, dash) if dash else "-", **look)
        if values[-1] > 0:  # what took no measurable time has no place on a log axis
            endings.append(Ending(line.sizes[-1], values[-1], line.label, colour))
    sizes = sorted({size for line in panel.lines for size in line.sizes})
    axes.set_xticks(sizes, [f"{size:,}" for size in sizes])
    if not _wide(value for line in panel.lines for value in getattr(line, part)):
        axes.yaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))  # a decade may hold all
    axes.minorticks_off()
    axes.yaxis.set_major_formatter(_plain)
    name_lines(axes, endings)


def _wide(values: Iterable[float]) -> bool:
    """Whether the values span more decades than a linear axis can show."""
    positive = [value for value in values if value > 0]
    return bool(positive) and max(positive) > 10**DECADES * min(positive)


def _plain(value: float, _: Any) -> str:
    return f"{value:,.10g}"


def _nothing(axes: Any) -> None:
    axes.text(0.5, 0.5, "nothing was timed", transform=axes.transAxes, ha="center", color=SOFT)
    axes.set_axis_off()
