"""What one change at a time does: a point with its interval for each, better or worse by colour."""

from typing import Any

from jostle.lab.analysis.ablation import Change, changes
from jostle.lab.render.figures.axes_grid import INK, LETTER, SOFT, sheet, title
from jostle.lab.render.palette import COLOURS, GREY
from jostle.lab.render.text import labels
from jostle.lab.results.model import Comparison
from jostle.lab.results.outcome import Outcome

COLOUR = {"better": COLOURS[0], "worse": COLOURS[3], "level": GREY}
TICKS = [-100, -10, 0, 10, 100, 1000, 10_000]
NEAR = 10.0  # percent within which the scale is linear; beyond, it is logarithmic


def draw(outcome: Outcome) -> Any:
    """One axes a panel, a line for each change, in the order of the experiment."""
    panels = [(each, changes(each)) for each in outcome.comparisons]
    most = max(len(found) for _, found in panels)
    longest = max((len(change.label) for _, found in panels for change in found), default=0)
    size = 4.4, 0.6 + 0.24 * most
    figure, axes = sheet(len(panels), 2, size, room=0.3, left=0.4 + LETTER * longest)
    for (comparison, found), where in zip(panels, axes, strict=True):
        _panel(where, comparison, found)
    title(figure, outcome.experiment.title)
    return figure


def _panel(axes: Any, comparison: Comparison, found: list[Change]) -> None:
    from matplotlib.ticker import FixedLocator, NullLocator

    plan = comparison.plan
    name = labels([plan.environment])[plan.environment]
    axes.set_title(f"{name}, {plan.rounds:,} rounds", parse_math=False, color=INK)
    if not found:
        text = "too few runs are finished"
        axes.text(0.5, 0.5, text, transform=axes.transAxes, ha="center", color=SOFT)
        return
    places = range(len(found), 0, -1)
    for place, change in zip(places, found, strict=True):
        mean, low, high, _ = change.percent
        reach = [[mean - low], [high - mean]]
        colour = COLOUR[change.verdict]
        axes.errorbar(mean, place, xerr=reach, color=colour, marker="o", capsize=2)
    axes.axvline(0, color=SOFT, linewidth=0.8)
    axes.set_xscale("symlog", linthresh=NEAR)
    axes.xaxis.set_major_locator(FixedLocator(TICKS))
    axes.xaxis.set_minor_locator(NullLocator())
    axes.xaxis.set_major_formatter(lambda value, _: f"{value:+,.0f}%" if value else "0")
    axes.set(xlabel=f"change of {plan.measure}", ylim=(0.4, len(found) + 0.6))
    axes.set_yticks(list(places), [change.label for change in found], parse_math=False)
    axes.grid(axis="x")
