"""The page that lists every experiment: forms, widths, NPR's result and the best other policy."""

from collections.abc import Callable, Sequence

from jostle.core.grammar import parse
from jostle.lab.analysis.ranking import Row
from jostle.lab.analysis.summary_table import BOTH, JOSTLES, PAPERS, SummaryLine, summary_lines
from jostle.lab.render.figure_kinds import renderer_of
from jostle.lab.render.text import (
    DIGITS,
    UNKNOWN,
    count,
    label,
    markdown_table,
    mean_error,
    numbers_text,
)
from jostle.lab.results.outcome import Outcome

FORMS = {PAPERS: "the paper's", JOSTLES: "jostle's", BOTH: "both"}
DIRECTIONS = (
    "Mean at the last round ± its standard error. Regret (on data: mistakes) is better low; the "
    "reward of Last.fm and Delicious, divided by that of a random choice, is better high. A line "
    "states the forms of its neural policies and the width of their networks: the same policy on "
    "the same environment has another result with networks of another width, or tuned."
)
ORDER = ("npr", "npr.paper", "npr.descent")
"""Which NPR a line shows, where there are several."""


def experiment_table(outcomes: Sequence[Outcome], page_of: Callable[[str], str]) -> str:
    """A line for each panel of the experiments that compare policies."""
    lines = []
    for outcome in outcomes:
        if renderer_of(outcome).summarised:
            lines += [
                _line(outcome, line, page_of) for line in summary_lines([outcome]) if line.rows
            ]
    heads = ["experiment", "environment", "forms", "width", "tuned by", "seeds"]
    return markdown_table([*heads, "NPR", "best other policy"], lines)


def other_experiments(outcomes: Sequence[Outcome], page_of: Callable[[str], str]) -> str:
    """A list of the experiments of another kind: times, ablations, statistics."""
    return "\n".join(
        f"- [{each.experiment.name}]({page_of(each.experiment.name)}.md): {each.experiment.title}."
        for each in outcomes
        if not renderer_of(each).summarised
    )


def _line(outcome: Outcome, line: SummaryLine, page_of: Callable[[str], str]) -> list[str]:
    rows = sorted(line.rows.values(), key=lambda row: row.rank)
    npr = _npr(rows)
    other = next((row for row in rows if parse(row.policy).name.partition(".")[0] != "npr"), None)
    tuning = outcome.experiment.tuning.method
    return [
        f"[{line.experiment}]({page_of(line.experiment)}.md)",
        label(line.environment),
        FORMS[line.forms] if line.widths else UNKNOWN,
        ", ".join(map(str, line.widths)) or UNKNOWN,
        "nothing" if tuning == "none" else tuning,
        numbers_text(outcome.experiment.seeds),
        _cell(line, npr),
        _cell(line, other),
    ]


def _npr(rows: Sequence[Row]) -> Row | None:
    """NPR as such if it was played, or the paper's, or by descent, or the best variant."""
    by_name = {row.policy: row for row in rows}
    for name in ORDER:
        if name in by_name:
            return by_name[name]
    family = (row for row in rows if parse(row.policy).name.partition(".")[0] == "npr")
    return next(family, None)


def _cell(line: SummaryLine, row: Row | None) -> str:
    if row is None:
        return UNKNOWN
    text = mean_error(row.mean, row.error, DIGITS[line.measure])
    few = f" ({count(row.runs, 'run')})" if row.runs < line.most_runs else ""
    return f"{text}, {label(row.policy)}{few}"
