"""The effects of an ablation as a Markdown table: one line per change, one column per panel."""

from jostle.lab.analysis.ablation import Effect, effects
from jostle.lab.analysis.ranking import rows
from jostle.lab.render.text import (
    DIGITS,
    UNKNOWN,
    change_label,
    markdown_table,
    mean_error,
    panel_labels,
    percent_difference,
)
from jostle.lab.results.model import Comparison
from jostle.lab.results.outcome import Outcome


def ablation_table(outcome: Outcome) -> str:
    """All changes on all environments; effects beyond the noise of the seeds are in bold."""
    first = outcome.plans[0].policies[0]
    columns = [
        {
            change_label(effect.policy, comparison.plan.policies): effect
            for effect in effects(comparison)
        }
        for comparison in outcome.comparisons
    ]
    changes = dict.fromkeys(change for column in columns for change in column)
    unchanged = ["none", *(_unchanged(comparison, first) for comparison in outcome.comparisons)]
    lines = [[change, *(_effect(column.get(change)) for column in columns)] for change in changes]
    return markdown_table([f"change to {first}", *panel_labels(outcome)], [unchanged, *lines])


def _unchanged(comparison: Comparison, policy: str) -> str:
    row = next((row for row in rows(comparison) if row.policy == policy), None)
    if row is None:
        return UNKNOWN
    return mean_error(row.mean, row.error, DIGITS[comparison.plan.measure])


def _effect(effect: Effect | None) -> str:
    if effect is None:
        return UNKNOWN
    text = percent_difference(effect.percent)
    return f"**{text}**" if effect.percent.significant else text
