"""The policies of many experiments side by side: one line per panel, one column per policy."""

import re
from collections.abc import Iterable
from typing import NamedTuple

from jostle.lab.analysis.ranking import Row, rows
from jostle.lab.results.outcome import Outcome

IMPLIED = re.compile(r"(?<=[:,])(width=\d+|covariance=diagonal),?")
"""Settings that name no column of their own: the experiment says the width, and a covariance is
diagonal unless it is full."""


class SummaryLine(NamedTuple):
    """One panel of an experiment."""

    experiment: str
    environment: str
    measure: str
    rows: dict[str, Row]
    """By the policy's name without its implied settings."""

    @property
    def most_runs(self) -> int:
        """The runs of the policy that has most."""
        return max((row.runs for row in self.rows.values()), default=0)


def summary_lines(outcomes: Iterable[Outcome]) -> list[SummaryLine]:
    """A line for each panel, its policies in the order of the plan."""
    found = []
    for outcome in outcomes:
        for comparison in outcome.comparisons:
            plan = comparison.plan
            ranked = {row.policy: row for row in rows(comparison)}
            named = {_short(name): ranked[name] for name in plan.policies if name in ranked}
            line = SummaryLine(outcome.experiment.name, plan.environment, plan.measure, named)
            found.append(line)
    return found


def _short(policy: str) -> str:
    return IMPLIED.sub("", policy).rstrip(":,")
