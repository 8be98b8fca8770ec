"""The policies of many experiments side by side: one line per panel, one column per algorithm."""

from collections.abc import Iterable
from typing import NamedTuple

from jostle.core.grammar import parse
from jostle.lab.analysis.ranking import Row, rows
from jostle.lab.results.outcome import Outcome

PAPER_FORM = ".paper"
IMPLIED = ("width", "fitting")
"""Settings that name no column of their own: a line states the width of its networks, and how they
are fitted belongs to the form."""
PAPERS, JOSTLES, BOTH = "paper", "jostle", "both"


class SummaryLine(NamedTuple):
    """One panel of an experiment."""

    experiment: str
    environment: str
    forms: str
    """Whether the neural policies are in the paper's forms, in jostle's, or some in either."""
    widths: tuple[int, ...]
    """Of all networks, from the narrowest; empty if there are none."""
    measure: str
    rows: dict[str, Row]
    """By the algorithm's name: without its form and without implied settings."""

    @property
    def most_runs(self) -> int:
        """The runs of the policy that has most."""
        return max((row.runs for row in self.rows.values()), default=0)


def summary_lines(outcomes: Iterable[Outcome]) -> list[SummaryLine]:
    """A line for each panel, its policies in the order of the plan."""
    return [
        _line(outcome, number) for outcome in outcomes for number in range(len(outcome.comparisons))
    ]


def _line(outcome: Outcome, number: int) -> SummaryLine:
    comparison = outcome.comparisons[number]
    plan = comparison.plan
    settings = outcome.manifest.policies[plan.environment]
    ranked = {row.policy: row for row in rows(comparison)}
    short = {name: _algorithm(name) for name in plan.policies}
    if len(set(short.values())) < len(short):  # one algorithm in several forms or widths
        short = {name: name for name in plan.policies}
    widths = {settings[name]["width"] for name in plan.policies if "width" in settings[name]}
    return SummaryLine(
        outcome.experiment.name,
        plan.environment,
        _forms(name for name in plan.policies if "width" in settings[name]),
        tuple(sorted(widths)),
        plan.measure,
        {short[name]: ranked[name] for name in plan.policies if name in ranked},
    )


def _forms(networks: Iterable[str]) -> str:
    found = {PAPER_FORM in name for name in networks}
    if len(found) == 2:
        return BOTH
    return PAPERS if True in found else JOSTLES


def _algorithm(policy: str) -> str:
    """The name without ``.paper``, width and fitting; a covariance is diagonal unless full."""
    name, settings = parse(policy)
    kept = [
        f"{key}={value}"
        for key, value in settings.items()
        if key not in IMPLIED and (key, value) != ("covariance", "diagonal")
    ]
    return ":".join(filter(None, (name.removesuffix(PAPER_FORM), ",".join(kept))))
