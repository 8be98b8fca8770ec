"""The kinds of figure an experiment can have: how each is drawn, summarised and described.

To add a kind, add a record here and its name to the kinds that ``jostle.lab.spec`` accepts.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from jostle.core.validation import lookup
from jostle.lab.render import headline
from jostle.lab.render.ablation_table import ablation_table
from jostle.lab.render.cell_table import CellTable
from jostle.lab.render.data_table import environment_table
from jostle.lab.render.figures import ablation, curves, front, speed
from jostle.lab.render.headline import Headline, each_panel
from jostle.lab.render.speed_table import speed_table
from jostle.lab.render.text import WHICH_IS_BETTER
from jostle.lab.results.outcome import Outcome
from jostle.lab.spec.plan import MEASURES

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@dataclass(frozen=True)
class FigureRenderer:
    """How an experiment of this kind is shown."""

    headlines: Callable[[Outcome], list[Headline]]
    """What it shows, one sentence per panel."""
    measured: Callable[[Outcome], str]
    """What was measured, in a sentence; empty if nothing was."""
    draw: "Callable[[Outcome], Figure] | None" = None
    """Draws the figure; None if there is only a table."""
    interactive: bool = False
    """Whether the report has an interactive chart for each panel in place of the figure."""
    summarised: bool = False
    """Whether its policies belong in the table that puts experiments side by side."""
    table: Callable[[Outcome], CellTable] | None = None
    """A table of the whole experiment, in place of one for each panel."""
    markdown: Callable[[Outcome], str] | None = None
    """What the Markdown page has between the headlines and the panels' tables."""
    panel_tables: bool = True
    """Whether the Markdown page has a table for each panel."""


def _final_value(outcome: Outcome) -> str:
    measure = outcome.experiment.measure
    return f"Measured: {MEASURES[measure]}; {WHICH_IS_BETTER[measure]}."


def _time(outcome: Outcome) -> str:
    rounds = sorted({plan.timed_rounds for plan in outcome.plans})
    after = " to ".join(f"{each:,}" for each in dict.fromkeys((rounds[0], rounds[-1])))
    return (
        "Measured: the time that choosing an arm and learning from its reward take, after "
        f"{after} rounds."
    )


def _nothing(_outcome: Outcome) -> str:
    return ""


RENDERERS = {
    "curves": FigureRenderer(
        each_panel(headline.best_policy),
        _final_value,
        curves.draw,
        interactive=True,
        summarised=True,
    ),
    "front": FigureRenderer(each_panel(headline.worth_its_time), _final_value, front.draw),
    "changes": FigureRenderer(
        each_panel(headline.effects_of_changes),
        _final_value,
        ablation.draw,
        markdown=ablation_table,
    ),
    "bars": FigureRenderer(each_panel(headline.fastest_and_slowest), _time, speed.draw_bars),
    "growth": FigureRenderer(
        headline.growth_with_size,
        _time,
        speed.draw_growth,
        markdown=speed_table,
        panel_tables=False,
    ),
    "statistics": FigureRenderer(headline.environment_count, _nothing, table=environment_table),
}
"""The kinds by the names that ``Experiment.figure`` takes."""


def renderer_of(outcome: Outcome) -> FigureRenderer:
    """The kind of figure that the experiment asks for."""
    kind: FigureRenderer = lookup("figure", outcome.experiment.figure, RENDERERS)
    return kind
