"""The figure of regret or reward by round: mean curves with bands of one standard error."""

from typing import TYPE_CHECKING, Any

from jostle.core.plotting import INK, SOFT
from jostle.lab.analysis.curves import Curve, curves, frame
from jostle.lab.render.figures.axes_grid import (
    Ending,
    axes_grid,
    figure_title,
    label_lines,
    room_for,
    say_empty,
)
from jostle.lab.render.palette import strokes
from jostle.lab.render.text import axis_number, beyond_frame, labels, panel_labels
from jostle.lab.results.model import Comparison, thinned
from jostle.lab.results.outcome import Outcome
from jostle.lab.spec.plan import MEASURES, REGRET

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


def draw(outcome: Outcome) -> "Figure":
    """One axes per panel, three per row; four stand two by two."""
    panels = outcome.comparisons
    drawn = [curves(comparison) for comparison in panels]
    shown = [
        labels(comparison.plan.policies)[curve.policy]
        for comparison, found in zip(panels, drawn, strict=True)
        for curve in found
    ]
    size = (6.0, 3.7) if len(panels) == 1 else (4.3, 3.3)
    figure, grid = axes_grid(len(panels), 2 if len(panels) == 4 else 3, size, room_for(shown))
    for name, comparison, found, axes in zip(
        panel_labels(outcome), panels, drawn, grid, strict=True
    ):
        axes.set_title(_title(name, found), parse_math=False, color=INK)
        _panel(axes, comparison, found)
    figure_title(figure, outcome.experiment.title)
    return figure


def _panel(axes: "Axes", comparison: Comparison, drawn: list[Curve]) -> None:
    plan = comparison.plan
    axes.set_xlabel("round")
    axes.set_ylabel(MEASURES[plan.measure])
    axes.grid(axis="y")
    axes.set_xlim(0, plan.rounds)
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_major_formatter(axis_number)
    if not drawn:
        say_empty(axes, "no run is finished")
        return
    shown = frame(comparison, drawn)
    rounds = thinned(plan.rounds)[shown.begin :]
    looks, names = strokes(plan.policies), labels(plan.policies)
    for curve in reversed(drawn):  # the best on top
        colour, dash = looks[curve.policy]
        mean, error = curve.mean[shown.begin :], curve.error[shown.begin :]
        axes.fill_between(rounds, mean - error, mean + error, color=colour, alpha=0.18, linewidth=0)
        line: dict[str, Any] = {"color": colour, "linewidth": 2, "solid_capstyle": "round"}
        axes.plot(rounds, mean, linestyle=(0, dash) if dash else "-", **line)
    axes.set_ylim(shown.low, shown.high)
    if plan.measure != REGRET:
        axes.axhline(1, color=SOFT, linewidth=0.8, zorder=1)
    endings = []
    for curve in drawn:
        final, name = float(curve.mean[-1]), names[curve.policy]
        text = beyond_frame(name, final) if final > shown.high else name
        end = min(final, shown.high)
        endings.append(Ending(plan.rounds, end, text, looks[curve.policy].colour))
    label_lines(axes, endings)


def _title(name: str, drawn: list[Curve]) -> str:
    runs = max((curve.runs for curve in drawn), default=0)
    if not runs:
        return name
    return f"{name}: {f'mean of {runs} runs ± one standard error' if runs > 1 else 'one run'}"
