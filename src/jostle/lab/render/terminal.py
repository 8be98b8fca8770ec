"""An experiment's tables and headlines in a terminal."""

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from jostle.lab.render.figure_kinds import renderer_of
from jostle.lab.render.ranking_table import TERMINAL, RankingTable, caption, ranking_table
from jostle.lab.render.text import timed_text
from jostle.lab.results.model import Comparison
from jostle.lab.results.outcome import Outcome


def show(console: Console, outcome: Outcome) -> None:
    """Print a table for each panel, the headlines, and what the columns mean."""
    shown: set[str] = set()
    for comparison in outcome.comparisons:
        plan = comparison.plan
        table = _selected(comparison)
        shown.update(table.keys)
        console.print()
        title = f"{plan.environment}, {plan.rounds:,} rounds"
        if plan.timed_after is not None:
            title += f", timed {timed_text(plan)}"
        console.print(_as_rich(table, title))
    for headline in renderer_of(outcome).headlines(outcome):
        console.print("\n" + headline.text, markup=False, highlight=False)
    if outcome.comparisons:
        console.print("\n" + caption(shown) + "\n", style="dim", highlight=False)


def comparison_table(comparison: Comparison, title: str) -> Table:
    """The table of one comparison: what fits into 80 characters; the report has the rest."""
    return _as_rich(_selected(comparison), title)


def _selected(comparison: Comparison) -> RankingTable:
    table = ranking_table(comparison, TERMINAL)
    if "choosing_ms" in table.keys:  # then the time of a whole round has to make room
        columns = [column for column in table.columns if column.key != "round_ms"]
        return table._replace(columns=columns)
    return table


def _as_rich(table: RankingTable, title: str) -> Table:
    made = Table(title=escape(title), title_justify="left")
    for column in table.columns:
        if column.key == "policy":
            made.add_column(column.title, justify="left", overflow="fold")
        else:
            words = column.title.replace(" ", "\n", 1)
            made.add_column(words, justify="right", overflow="fold", no_wrap=True)
    for number, row in enumerate(table.rows):
        cells = [escape(column.text(row)) for column in table.columns]
        made.add_row(*cells, style=None if number else "bold")
    return made
