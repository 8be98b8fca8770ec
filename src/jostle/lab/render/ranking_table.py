"""The table of a comparison: its columns, how their cells read, and the caption that explains them.

The terminal, the HTML report and the Markdown page each show a selection of the same columns.
"""

from collections.abc import Callable, Iterable
from typing import NamedTuple

from jostle.lab.analysis.intervals import LEVEL
from jostle.lab.analysis.ranking import Row, rows
from jostle.lab.render.text import (
    DIGITS,
    UNKNOWN,
    bytes_text,
    fixed,
    interval,
    labels,
    mean_error,
    significant,
)
from jostle.lab.results.model import Comparison

TIMES = ("round_ms", "choosing_ms", "learning_ms")
TERMINAL = ("policy", "mean", "error", "difference", *TIMES, "runs")
"""What fits into 80 characters."""
PAGE = ("policy", "rank", "mean", "error", "difference", "interval", *TIMES, "state_bytes", "runs")
MARKDOWN = ("policy", "mean_error", "runs", *TIMES)

CAPTIONS = {
    "mean": "Mean over the runs at the last round.",
    "mean_error": "Mean over the runs at the last round ± its standard error.",
    "error": "Std. error: of that mean.",
    "difference": "Difference: to the best policy, seed by seed.",
    "interval": f"Interval: the {LEVEL:.0%} interval of the difference.",
    "round_ms": "ms per round: wall time of a whole round, environment included, while other runs "
    "were in progress on the same machine.",
    "choosing_ms": "ms choosing and learning: each timed by itself after the runs, in a compiled "
    "loop on one thread that starts from the state after the rounds of the first run, or after as "
    "many as are named, the best of many repeats; without compilation and without the "
    "environment.",
    "state_bytes": "Memory: the policy's state at the end.",
}
"""What each column means and how it was measured, in the order in which a caption says it."""


class Column(NamedTuple):
    """One column of the table."""

    key: str
    title: str
    text: Callable[[Row], str]
    value: Callable[[Row], str | float | None]
    """What the column is sorted by."""


class RankingTable(NamedTuple):
    """The rows of a comparison, the best first, and the columns that have anything to show."""

    rows: list[Row]
    columns: list[Column]

    @property
    def keys(self) -> list[str]:
        """Which columns are there."""
        return [column.key for column in self.columns]


def ranking_table(comparison: Comparison, selection: Iterable[str]) -> RankingTable:
    """The table with the columns of ``selection``, in that order, leaving out empty ones."""
    found = rows(comparison)
    columns = _columns(comparison)
    chosen = [columns[key] for key in selection]
    filled = [column for column in chosen if any(column.value(row) is not None for row in found)]
    return RankingTable(found, filled)


def caption(shown: Iterable[str]) -> str:
    """Explains the columns that are ``shown``, and no others."""
    keys = set(shown)
    return " ".join(text for key, text in CAPTIONS.items() if key in keys)


def _columns(comparison: Comparison) -> dict[str, Column]:
    measure = comparison.plan.measure
    digits = DIGITS[measure]
    names = labels(comparison.plan.policies)

    def range_text(row: Row) -> str:
        if row.difference_low is None or row.difference_high is None:
            return UNKNOWN
        return interval(row.difference_low, row.difference_high, digits)

    columns = (
        Column("policy", "policy", lambda row: names[row.policy], lambda row: row.policy),
        Column("rank", "rank", lambda row: str(row.rank), lambda row: row.rank),
        Column(
            "mean", f"mean {measure}", lambda row: fixed(row.mean, digits), lambda row: row.mean
        ),
        Column(
            "mean_error",
            measure,
            lambda row: mean_error(row.mean, row.error, digits),
            lambda row: row.mean,
        ),
        Column("error", "std. error", lambda row: fixed(row.error, digits), lambda row: row.error),
        Column(
            "difference",
            "difference",
            lambda row: fixed(row.difference, digits, sign=True),
            lambda row: row.difference,
        ),
        Column("interval", f"{LEVEL:.0%} interval", range_text, lambda row: row.difference_low),
        Column(
            "round_ms",
            "ms per round",
            lambda row: significant(row.round_ms),
            lambda row: row.round_ms,
        ),
        Column(
            "choosing_ms",
            "ms choosing",
            lambda row: significant(row.choosing_ms),
            lambda row: row.choosing_ms,
        ),
        Column(
            "learning_ms",
            "ms learning",
            lambda row: significant(row.learning_ms),
            lambda row: row.learning_ms,
        ),
        Column(
            "state_bytes",
            "memory",
            lambda row: bytes_text(row.state_bytes),
            lambda row: row.state_bytes,
        ),
        Column("runs", "runs", lambda row: str(row.runs), lambda row: row.runs),
    )
    return {column.key: column for column in columns}
