"""The table of a comparison: one set of rows, shown in a terminal or in a page."""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from rich.markup import escape as plain
from rich.table import Table

from jostle.lab.analysis.intervals import LEVEL, gaps
from jostle.lab.render.html import markup
from jostle.lab.render.text import labels
from jostle.lab.results.model import Comparison, Run
from jostle.lab.spec.plan import REGRET

NOTE = (
    "Mean over the runs, at the last round, and its standard error. Difference: to the best "
    "policy, seed by seed, with its 95% interval. Milliseconds a round: wall time of all of it, "
    "environment included, while other runs went on beside it; choosing and learning are timed "
    "apart after the runs, in compiled loops on one thread that start from the state at the end of "
    "the first run, the best of many repeats; without compilation and without the environment. "
    "Memory: the policy's state at the end."
)
"""What was measured and how: goes wherever the table goes."""


ONLY_ON_THE_PAGE = ("rank", "difference_low", "state_bytes")


class Row(NamedTuple):
    """One policy. What is not known is None."""

    policy: str
    rank: int
    mean: float
    error: float | None
    difference: float | None
    """To the best: its own minus the best's."""
    difference_low: float | None
    difference_high: float | None
    round_ms: float | None
    choosing_ms: float | None
    learning_ms: float | None
    state_bytes: float | None
    runs: int


class Column(NamedTuple):
    """How a field of a row is shown."""

    field: str
    title: str
    show: Callable[[Row], str]


def rows(comparison: Comparison) -> list[Row]:
    """A row for each policy that has a finished run, the best first."""
    ranked = comparison.policies()
    means = [float(comparison.finals(policy).mean()) for policy in ranked]
    behind = gaps(comparison)
    made = []
    for policy, mean in zip(ranked, means, strict=True):
        gap, times, runs = behind.get(policy), comparison.times.get(policy), comparison.of(policy)
        made.append(
            Row(
                policy,
                rank=1 + means.index(mean),  # equals share a rank
                mean=mean,
                error=standard_error(comparison.finals(policy)),
                difference=gap.mean if gap else None,
                difference_low=gap.low if gap else None,
                difference_high=gap.high if gap else None,
                round_ms=_mean(runs, "round_ms"),
                choosing_ms=times.choosing if times else None,
                learning_ms=times.learning if times else None,
                state_bytes=_mean(runs, "state_bytes") or None,
                runs=len(runs),
            )
        )
    return made


def standard_error(values: np.ndarray) -> float | None:
    """Of the mean of ``values``; one value has none."""
    return float(np.std(values, ddof=1) / np.sqrt(len(values))) if len(values) > 1 else None


def as_rich(comparison: Comparison, title: str) -> Table:
    """For a terminal: what fits into 80 characters; the page has the rest."""
    shown = rows(comparison)
    table = Table(title=plain(title), title_justify="left")
    columns = [
        column for column in _columns(comparison, shown) if column.field not in ONLY_ON_THE_PAGE
    ]
    if any(column.field == "choosing_ms" for column in columns):
        columns = [column for column in columns if column.field != "round_ms"]
    for column in columns:
        name = column.field == "policy"
        words = column.title if name else column.title.replace(" ", "\n", 1)
        justify = "left" if name else "right"
        table.add_column(words, justify=justify, overflow="fold", no_wrap=not name)  # type: ignore[arg-type]
    for number, row in enumerate(shown):
        cells = [plain(column.show(row)) for column in columns]
        table.add_row(*cells, style="bold" if number == 0 else None)
    return table


def as_html(comparison: Comparison) -> str:
    """For a page; the cells carry their exact values, to sort by."""
    shown = rows(comparison)
    columns = _columns(comparison, shown)
    return markup.table(
        [column.title for column in columns],
        [
            [markup.Cell(column.show(row), getattr(row, column.field)) for column in columns]
            for row in shown
        ],
        sorted_by=columns[1].title,
    )


def _columns(comparison: Comparison, shown: list[Row]) -> list[Column]:
    """Those that have anything to show."""
    measure = comparison.plan.measure
    digits = ",.1f" if measure == REGRET else ",.3f"
    names = labels(comparison.plan.policies)

    def interval(row: Row) -> str:
        if row.difference_low is None or row.difference_high is None:
            return "-"
        return f"{row.difference_low:{digits}} to {row.difference_high:{digits}}"

    columns = [
        Column("policy", "policy", lambda row: names[row.policy]),
        Column("rank", "rank", lambda row: str(row.rank)),
        Column("mean", f"mean {measure}", _number("mean", digits)),
        Column("error", "std. error", _number("error", digits)),
        Column("difference", "difference", _number("difference", "+" + digits)),
        Column("difference_low", f"{LEVEL:.0%} interval", interval),
        Column("round_ms", "ms a round", _number("round_ms", ",.3f")),
        Column("choosing_ms", "ms choosing", _number("choosing_ms", ",.4f")),
        Column("learning_ms", "ms learning", _number("learning_ms", ",.4f")),
        Column("state_bytes", "memory", lambda row: memory_text(row.state_bytes)),
        Column("runs", "runs", lambda row: str(row.runs)),
    ]
    return [
        column for column in columns if any(getattr(row, column.field) is not None for row in shown)
    ]


def _number(field: str, digits: str) -> Callable[[Row], str]:
    def show(row: Row) -> str:
        value: float | None = getattr(row, field)
        if value is None:
            return "-"
        text = format(value, digits)
        # What is there but too small to show is not shown as nothing.
        nothing = value > 0 and float(text.replace(",", "")) == 0
        return f"<{text.lstrip('+')[:-1]}1" if nothing else text

    return show


def memory_text(size: float | None) -> str:
    """Bytes as people say them."""
    if size is None:
        return "-"
    for unit in ("B", "KiB", "MiB"):
        if size < 1024:
            return f"{size:.3g} {unit}"
        size /= 1024
    return f"{size:,.3g} GiB"


def _mean(runs: list[Run], field: str) -> float | None:
    values: list[Any] = [getattr(run, field) for run in runs]
    known = [value for value in values if value is not None]
    return float(np.mean(known)) if known else None
