"""Every environment and policy of many experiments in one table."""

import re
from collections.abc import Iterable

from jostle.lab.analysis.ranking import rows
from jostle.lab.render.text import labels
from jostle.lab.results.model import Comparison
from jostle.lab.results.outcome import Outcome
from jostle.lab.spec.plan import REGRET

UNSAID = re.compile(r"(?<=[:,])(width=\d+|covariance=diagonal),?")
"""Widths are the experiment's, and a covariance is diagonal unless it is full."""


def glance(outcomes: Iterable[Outcome]) -> str:
    """A Markdown table: a line for each panel, a column for each policy, the best in bold."""
    cells = {
        (outcome.experiment.name, comparison.plan.environment): _cells(comparison)
        for outcome in outcomes
        if outcome.experiment.figure == "curves"
        for comparison in outcome.comparisons
    }
    policies = list(dict.fromkeys(policy for line in cells.values() for policy in line))
    heads = ["experiment", "environment", *(labels(policies)[policy] for policy in policies)]
    lines = [f"| {' | '.join(heads)} |", "|---" * len(heads) + "|"]
    for (experiment, environment), line in cells.items():
        told = [experiment, labels([environment])[environment]]
        told += [line.get(policy, "") for policy in policies]
        lines.append(f"| {' | '.join(told)} |")
    return "\n".join(lines)


def _cells(comparison: Comparison) -> dict[str, str]:
    """Mean ± standard error (runs, if they are fewer than others have) by policy."""
    found = {row.policy: row for row in rows(comparison)}
    most = max((row.runs for row in found.values()), default=0)
    digits = ",.1f" if comparison.plan.measure == REGRET else ",.2f"
    cells = {}
    for policy in comparison.plan.policies:
        if policy not in found:
            continue
        row = found[policy]
        error = "" if row.error is None else f" ± {row.error:{digits}}"
        few = f" ({row.runs} run{'s' * (row.runs > 1)})" if row.runs < most else ""
        text = f"{row.mean:{digits}}{error}"
        name = UNSAID.sub("", policy).rstrip(":,")
        cells[name] = (f"**{text}**" if row.rank == 1 else text) + few
    return cells
