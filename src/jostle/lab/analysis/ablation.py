"""The effect of each change to the first policy: paired differences, as a share of its mean."""

from typing import NamedTuple

from jostle.lab.analysis.intervals import PairedDifference, paired_difference
from jostle.lab.results.model import Comparison
from jostle.lab.spec.plan import REGRET

BETTER, WORSE, LEVEL = "better", "worse", "level"


class Effect(NamedTuple):
    """How a policy differs from the first, in percent of the first policy's mean."""

    policy: str
    percent: PairedDifference
    verdict: str
    """``BETTER`` or ``WORSE`` if the difference is significant, ``LEVEL`` if not."""


def effects(comparison: Comparison) -> list[Effect]:
    """Each policy against the first, in the order of the plan; those with enough seeds."""
    first, *others = comparison.plan.policies
    finals = comparison.finals(first)
    if not len(finals) or not finals.mean():
        return []
    percent = 100 / abs(float(finals.mean()))
    found = []
    for policy in others:
        difference = paired_difference(comparison, policy, first)
        if difference is not None:
            mean, low, high, seeds = difference
            scaled = PairedDifference(percent * mean, percent * low, percent * high, seeds)
            found.append(Effect(policy, scaled, verdict(comparison, difference)))
    return found


def verdict(comparison: Comparison, difference: PairedDifference) -> str:
    """Whether a difference is an improvement, by what the comparison measures."""
    if not difference.significant:
        return LEVEL
    return BETTER if (difference.mean < 0) == (comparison.plan.measure == REGRET) else WORSE
