"""The environments of an experiment in numbers: its settings and what the data catalogue says."""

from typing import Any

from jostle.datasets import catalog
from jostle.datasets.catalog.entry import HetRecSet, TableSet
from jostle.lab.render.html import markup
from jostle.lab.render.text import labels
from jostle.lab.results.outcome import Outcome

PAPER_INPUTS = {
    "adult": "2 x 15",
    "mushroom": "2 x 23",
    "shuttle": "7 x 9",
    "magic": "2 x 12",
    "letter": "16 x 26",
    "covertype": "54 x 7",
}
"""The "input dimension" in the paper's appendix; docs/data.md says where it differs and why."""

NUMBERS = ("rows", "features", "classes", "users", "items")
NOTE = (
    "Rows, features and classes are those of the published sets. The paper's appendix states an "
    "input dimension for each, which does not quite agree with the sets (one more for Adult and "
    "Mushroom, two for Magic); we use the features of the sets."
)


def facts(outcome: Outcome) -> list[dict[str, Any]]:
    """A line for each environment; what is not known is absent."""
    names = labels(outcome.manifest.environments)
    lines = []
    for text, settings in outcome.manifest.environments.items():
        entry = catalog.CATALOG.get(settings.get("name", text.partition(":")[0]))
        line: dict[str, Any] = {"environment": names[text]}
        if isinstance(entry, TableSet):
            line |= {"data set": entry.title}
            line |= {"rows": entry.rows, "features": entry.features, "classes": entry.classes}
            line["input in the paper"] = PAPER_INPUTS.get(entry.name)
        elif isinstance(entry, HetRecSet):
            line |= {"data set": entry.title, "users": entry.users, "items": entry.items}
        told = {key: value for key, value in settings.items() if key not in ("name", *line)}
        lines.append(line | {"settings": _told(told)})
    return lines


def section(outcome: Outcome) -> str:
    """The HTML of the table."""
    lines = facts(outcome)
    order = ("environment", "data set", *NUMBERS, "input in the paper", "settings")
    heads = [head for head in order if any(line.get(head) is not None for line in lines)]
    cells = [[_cell(line.get(head)) for head in heads] for line in lines]
    note = markup.paragraph(NOTE, "note") if "input in the paper" in heads else ""
    return markup.table(heads, cells) + note


def _told(settings: dict[str, str]) -> str:
    return ", ".join(f"{key.replace('_', ' ')} {value}" for key, value in settings.items())


def _cell(value: Any) -> markup.Cell:
    if value is None:
        return markup.Cell("-")
    return markup.Cell(f"{value:,}" if isinstance(value, int) else str(value), value)
