"""The figure of an ablation: the effect of each change with its interval, better or worse."""

from typing import TYPE_CHECKING

from jostle.core.plotting import INK, SOFT
from jostle.lab.analysis.ablation import BETTER, LEVEL, WORSE, Effect, effects
from jostle.lab.render.figures.axes_grid import (
    LETTER,
    axes_grid,
    figure_title,
    panel_title,
    say_empty,
)
from jostle.lab.render.palette import COLOURS, GREY
from jostle.lab.render.text import change_label
from jostle.lab.results.model import Comparison
from jostle.lab.results.outcome import Outcome

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

COLOUR = {BETTER: COLOURS[0], WORSE: COLOURS[3], LEVEL: GREY}
TICKS = [-100, -10, 0, 10, 100, 1000, 10_000]
NEAR = 10.0
"""Percent within which the axis is linear; beyond, it is logarithmic."""


def draw(outcome: Outcome) -> "Figure":
    """One axes per panel, one line per change, in the order of the experiment."""
    panels = [(each, _labelled(each)) for each in outcome.comparisons]
    most = max(len(found) for _, found in panels)
    longest = max((len(text) for _, found in panels for text, _ in found), default=0)
    size = 4.4, 0.6 + 0.24 * most
    figure, grid = axes_grid(len(panels), 2, size, room=0.3, left=0.4 + LETTER * longest)
    for (comparison, found), axes in zip(panels, grid, strict=True):
        _panel(axes, comparison, found)
    figure_title(figure, outcome.experiment.title)
    return figure


def _labelled(comparison: Comparison) -> list[tuple[str, Effect]]:
    policies = comparison.plan.policies
    return [(change_label(effect.policy, policies), effect) for effect in effects(comparison)]


def _panel(axes: "Axes", comparison: Comparison, found: list[tuple[str, Effect]]) -> None:
    from matplotlib.ticker import FixedLocator, NullLocator

    plan = comparison.plan
    axes.set_title(panel_title(plan), parse_math=False, color=INK)
    if not found:
        say_empty(axes, "too few runs are finished")
        return
    places = range(len(found), 0, -1)
    for place, (_, effect) in zip(places, found, strict=True):
        mean, low, high, _ = effect.percent
        reach = [[mean - low], [high - mean]]
        colour = COLOUR[effect.verdict]
        axes.errorbar(mean, place, xerr=reach, color=colour, marker="o", capsize=2)
    axes.axvline(0, color=SOFT, linewidth=0.8)
    axes.set_xscale("symlog", linthresh=NEAR)
    axes.xaxis.set_major_locator(FixedLocator(TICKS))
    axes.xaxis.set_minor_locator(NullLocator())
    axes.xaxis.set_major_formatter(lambda value, _: f"{value:+,.0f}%" if value else "0")
    axes.set(xlabel=f"change of {plan.measure}", ylim=(0.4, len(found) + 0.6))
    axes.set_yticks(list(places), [text for text, _ in found], parse_math=False)
    axes.grid(axis="x")
