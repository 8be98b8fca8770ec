"""The table of an experiment's environments and data sets."""

from jostle.lab.analysis.data_sets import EnvironmentFacts, environment_facts
from jostle.lab.render.cell_table import Cell, CellTable
from jostle.lab.render.text import UNKNOWN, labels
from jostle.lab.results.outcome import Outcome

PAPER_INPUT = "input in the paper"
NOTE = (
    "Rows, features and classes are those of the published sets. The paper's appendix states an "
    "input dimension for each, which does not quite agree with the sets (one more for Adult and "
    "Mushroom, two for Magic); we use the features of the sets."
)


def environment_table(outcome: Outcome) -> CellTable:
    """One line per environment; columns that no environment fills are left out."""
    names = labels(outcome.manifest.environments)
    lines = [_line(facts, names[facts.environment]) for facts in environment_facts(outcome)]
    titles = [title for title in lines[0] if any(line[title] is not None for line in lines)]
    return CellTable(
        titles,
        [[_cell(line[title]) for title in titles] for line in lines],
        note=NOTE if PAPER_INPUT in titles else "",
    )


def _line(facts: EnvironmentFacts, name: str) -> dict[str, str | int | None]:
    settings = ", ".join(
        f"{key.replace('_', ' ')} {value}" for key, value in facts.settings.items()
    )
    return {
        "environment": name,
        "data set": facts.title,
        "rows": facts.rows,
        "features": facts.features,
        "classes": facts.classes,
        "users": facts.users,
        "items": facts.items,
        PAPER_INPUT: facts.paper_input,
        "settings": settings,
    }


def _cell(value: str | int | None) -> Cell:
    if value is None:
        return Cell(UNKNOWN)
    return Cell(f"{value:,}" if isinstance(value, int) else value, value)
