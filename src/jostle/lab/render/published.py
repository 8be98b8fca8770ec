"""NPR on the data sets beside full information and published results, as Markdown."""

from collections.abc import Mapping

from jostle.lab.analysis.published_figures import Published, published_lines
from jostle.lab.analysis.ranking import Row
from jostle.lab.render.text import (
    DIGITS,
    UNKNOWN,
    difference,
    label,
    markdown_table,
    mean_error,
)
from jostle.lab.results.outcome import Outcome
from jostle.lab.spec.plan import REGRET

TITLE = "Beside full information and published results"
ABOUT = (
    "Mistakes with the practical encoding, each policy with its defaults. Full information: the "
    "same `npr.descent` when the right class is revealed after each choice and it learns that "
    "class (reward 1) and a wrong one (reward 0), in two updates per round instead of one "
    "([skyline](skyline.md)). The difference, seed by seed with its 95% interval, is what it pays "
    "for having to explore; the mistakes that are left are the price of learning."
)
ABOUT_SOURCES = (
    "Published figures have sources that state the rounds; for the other data sets we know none. "
    "We have read the listings that are named, not the papers' own tables, and do not know how "
    "the features were encoded, so the figures show an order of magnitude and decide nothing."
)
HEADS = (
    "data set",
    "`npr.descent`",
    "best other policy",
    "`npr.descent`, full information",
    "difference",
    "published",
)


def published_section(results: Mapping[str, Outcome]) -> list[str]:
    """A section with the table and its sources; empty without results."""
    table = published_table(results)
    if not table:
        return []
    sources = {line.published.source: None for line in published_lines(results) if line.published}
    notes = [f"{ABOUT_SOURCES} Sources: {'; '.join(sources)}."] if sources else []
    return [f"## {TITLE}", ABOUT, table, *notes]


def published_table(results: Mapping[str, Outcome]) -> str:
    """One line per data set; empty without results."""

    def cell(row: Row | None) -> str:
        return mean_error(row.mean, row.error, DIGITS[REGRET]) if row else UNKNOWN

    lines = [
        [
            line.data_set,
            cell(line.npr),
            f"{cell(line.best_other)} ({label(line.best_other.policy)})",
            cell(line.full_information),
            difference(line.spared, DIGITS[REGRET]) if line.spared else UNKNOWN,
            _published_cell(line.published),
        ]
        for line in published_lines(results)
    ]
    return markdown_table(HEADS, lines) if lines else ""


def _published_cell(published: Published | None) -> str:
    if published is None:
        return UNKNOWN
    return f"{published.mistakes:,g} in {published.rounds:,} rounds"
