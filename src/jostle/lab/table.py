"""The table of a comparison: one set of rows, shown in a terminal or in a page."""

from html import escape
from typing import NamedTuple

import numpy as np
from rich.markup import escape as plain
from rich.table import Table

from jostle.lab.plan import Comparison

NOTE = (
    "Regret: cumulative, at the last round; mean over the runs and its standard error. "
    "Milliseconds a round: wall time; choosing and learning are timed apart after the runs, in "
    "compiled loops on one thread that start from the state at the end of the first run, the best "
    "of many repeats; without compilation and without the environment."
)
"""What was measured and how: goes wherever the table goes."""


class Row(NamedTuple):
    """One policy. What is not known is None."""

    policy: str
    runs: int
    regret: float
    error: float | None
    choosing: float | None
    learning: float | None


class Column(NamedTuple):
    """How a field of a row is shown."""

    field: str
    title: str
    digits: str | None  # the format of a number, None for text


COLUMNS = (
    Column("policy", "policy", None),
    Column("regret", "mean regret", ",.1f"),
    Column("error", "std. error", ",.1f"),
    Column("choosing", "ms choosing", ",.4f"),
    Column("learning", "ms learning", ",.4f"),
    Column("runs", "runs", "d"),
)


def rows(comparison: Comparison) -> list[Row]:
    """A row for each policy that has a finished run, the lowest mean regret first."""
    return [_row(comparison, policy) for policy in comparison.policies()]


def standard_error(values: np.ndarray) -> float | None:
    """Of the mean of ``values``; one value has none."""
    return float(np.std(values, ddof=1) / np.sqrt(len(values))) if len(values) > 1 else None


def as_rich(rows: list[Row], title: str) -> Table:
    """For a terminal."""
    table = Table(title=plain(title), title_justify="left")
    for column in COLUMNS:
        left = column.digits is None
        table.add_column(column.title, justify="left" if left else "right", overflow="fold")
    for number, row in enumerate(rows):
        cells = [plain(_cell(row, column)) for column in COLUMNS]
        table.add_row(*cells, style="bold" if number == 0 else None)
    return table


def as_html(rows: list[Row]) -> str:
    """For a page; the cells carry their exact values, to sort by."""
    heads = "".join(
        f'<th scope="col"><button type="button">{escape(c.title)}</button></th>' for c in COLUMNS
    )
    lines = []
    for row in rows:
        cells = []
        for column in COLUMNS:
            value = getattr(row, column.field)
            exact = "" if value is None else escape(str(value))
            tag = 'th scope="row"' if column.digits is None else "td"
            cells.append(f'<{tag} data-value="{exact}">{escape(_cell(row, column))}</{tag[:2]}>')
        lines.append(f"<tr>{''.join(cells)}</tr>")
    return (
        f'<table id="table"><thead><tr>{heads}</tr></thead>\n'
        f"<tbody>{chr(10).join(lines)}</tbody></table>"
    )


def _row(comparison: Comparison, policy: str) -> Row:
    finals = np.array([run.regret for run in comparison.of(policy)])
    times = comparison.times.get(policy)
    return Row(
        policy,
        runs=len(finals),
        regret=float(finals.mean()),
        error=standard_error(finals),
        choosing=times.choosing if times else None,
        learning=times.learning if times else None,
    )


def _cell(row: Row, column: Column) -> str:
    value = getattr(row, column.field)
    if column.digits is None:
        return str(value)
    if value is None:
        return "-"
    text = format(value, column.digits)
    return f"<{text[:-1]}1" if value > 0 and float(text.replace(",", "")) == 0 else text
