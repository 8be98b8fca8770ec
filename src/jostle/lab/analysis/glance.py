"""The few policies and many environments of the page that shows all results at a glance."""

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from jostle.core.grammar import parse
from jostle.lab.analysis.ranking import Row
from jostle.lab.analysis.summary_table import PAPER_FORM, SummaryLine, summary_lines
from jostle.lab.results.outcome import Outcome
from jostle.lab.spec.plan import REGRET

EXPERIMENTS = ("field", "field-offers", "practical", "fresh")
"""Those that play every policy with its defaults, uniform choices among them."""
POLICIES = (
    "npr",
    "npr.descent",
    "neural-ucb",
    "neural-ucb.descent",
    "neural-ts",
    "neural-ts.descent",
    "lin-ucb",
    "lin-ts",
    "vw.squarecb",
    "vw.bag",
    "uniform",
)
"""The columns: the library's own, its nearest rivals, and chance."""
CHANCE = "uniform"
ROUNDING = 1e-6
"""Means that differ by no more are the same: regrets are sums of float32 numbers."""


class GlanceLine(NamedTuple):
    """One environment: the rows of the policies that were played on it."""

    experiment: str
    environment: str
    rows: Mapping[str, Row]
    """By the algorithm's name, in the order of ``POLICIES``."""

    @property
    def best(self) -> list[str]:
        """The algorithms with the lowest mean regret, ties to rounding included."""
        lowest = min(row.mean for row in self.rows.values())
        return [name for name, row in self.rows.items() if row.mean <= lowest * (1 + ROUNDING)]

    @property
    def most_runs(self) -> int:
        """The runs of the policy that has most."""
        return max(row.runs for row in self.rows.values())

    @property
    def fewest_runs(self) -> int:
        """The runs of the policy that has fewest."""
        return min(row.runs for row in self.rows.values())

    def share(self, policy: str) -> float | None:
        """The regret of a policy as a part of that of uniform choices; None if unknown."""
        chance, row = self.rows.get(CHANCE), self.rows.get(policy)
        return row.mean / chance.mean if row and chance and chance.mean > 0 else None


def glance_lines(outcomes: Iterable[Outcome]) -> list[GlanceLine]:
    """A line for each environment on which at least two of the policies have finished runs."""
    by_name = {outcome.experiment.name: outcome for outcome in outcomes}
    played = [by_name[name] for name in EXPERIMENTS if name in by_name]
    lines = [_line(line) for line in summary_lines(played) if line.measure == REGRET]
    return [line for line in lines if len(line.rows) > 1]


def in_paper_form(row: Row) -> bool:
    """Whether these are runs of the form that the policy's paper has."""
    return parse(row.policy).name.endswith(PAPER_FORM)


def _line(line: SummaryLine) -> GlanceLine:
    rows = {policy: line.rows[policy] for policy in POLICIES if policy in line.rows}
    return GlanceLine(line.experiment, line.environment, rows)
