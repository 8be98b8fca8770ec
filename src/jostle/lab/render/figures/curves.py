"""What is measured, round by round: mean curves with bands of one standard error, a panel each."""

from typing import Any

from jostle.lab.analysis.curves import Curve, curves, frame
from jostle.lab.render.figures.axes_grid import (
    INK,
    SOFT,
    Ending,
    name_lines,
    room_for,
    sheet,
    title,
)
from jostle.lab.render.text import labels
from jostle.lab.results.model import Comparison, thinned
from jostle.lab.results.outcome import Outcome
from jostle.lab.spec.plan import MEASURES, REGRET


def draw(outcome: Outcome) -> Any:
    """One axes a panel, side by side, three a row; four stand two by two."""
    panels = outcome.comparisons
    drawn = [curves(comparison) for comparison in panels]
    room = room_for([curve.label for panel in drawn for curve in panel])
    size = (6.0, 3.7) if len(panels) == 1 else (4.3, 3.3)
    figure, axes = sheet(len(panels), 2 if len(panels) == 4 else 3, size, room)
    for comparison, lines, where in zip(panels, drawn, axes, strict=True):
        _panel(where, comparison, lines)
    title(figure, outcome.experiment.title)
    return figure


def _panel(axes: Any, comparison: Comparison, drawn: list[Curve]) -> None:
    plan = comparison.plan
    axes.set_title(_title(comparison, drawn), parse_math=False, color=INK)
    axes.set_xlabel("round")
    axes.set_ylabel(MEASURES[plan.measure])
    axes.grid(axis="y")
    axes.set_xlim(0, plan.rounds)
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_major_formatter(lambda value, _: f"{value:,.10g}")
    if not drawn:
        axes.text(0.5, 0.5, "no run is finished", transform=axes.transAxes, ha="center", color=SOFT)
        return
    begin, _, floor, ceiling = frame(comparison, drawn)
    rounds = thinned(plan.rounds)[begin:]
    for curve in reversed(drawn):  # the best on top
        colour, dash = curve.stroke
        mean, error = curve.mean[begin:], curve.error[begin:]
        axes.fill_between(rounds, mean - error, mean + error, color=colour, alpha=0.18, linewidth=0)
        line: dict[str, Any] = {"color": colour, "linewidth": 2, "solid_capstyle": "round"}
        axes.plot(rounds, mean, linestyle=(0, dash) if dash else "-", **line)
    axes.set_ylim(floor, ceiling)
    if plan.measure != REGRET:
        axes.axhline(1, color=SOFT, linewidth=0.8, zorder=1)
    name_lines(axes, [_ending(curve, plan.rounds, ceiling) for curve in drawn])


def _ending(curve: Curve, rounds: int, ceiling: float) -> Ending:
    """Where a line is named; one that has left the frame is named at the top, with its value."""
    final, colour = float(curve.mean[-1]), curve.stroke.colour
    if final > ceiling:
        return Ending(rounds, ceiling, f"{curve.label} ↑ {final:,.0f}", colour)
    return Ending(rounds, final, curve.label, colour)


def _title(comparison: Comparison, drawn: list[Curve]) -> str:
    plan = comparison.plan
    name = labels([plan.environment])[plan.environment]
    if plan.size is not None and str(plan.size) not in name:
        name += f", size {plan.size:,}"
    runs = max((curve.runs for curve in drawn), default=0)
    if not runs:
        return name
    told = f"mean of {runs} runs ± one standard error" if runs > 1 else "one run"
    return f"{name}: {told}"
