"""The findings on the paper's claims, in words."""

from functools import singledispatch

from jostle.lab.analysis.claims import (
    Evidence,
    ExponentEvidence,
    PairedEvidence,
    Side,
    SpreadEvidence,
    TimeEvidence,
)
from jostle.lab.render.text import DIGITS, difference, fixed, interval, label, labels, significant


@singledispatch
def describe(evidence: Evidence) -> str:
    """What a test found, as a phrase."""
    raise TypeError(f"evidence: expected one of {Evidence}, got {type(evidence).__name__}")


@describe.register
def _paired(evidence: PairedEvidence) -> str:
    side, other = evidence.side, evidence.other
    plan = side.comparison.plan
    digits = DIGITS[plan.measure]
    against = _policy(other) if other.comparison is side.comparison else _located(other)
    several = [each.best_of for each in (side, other) if each.best_of is not None]
    best = f", {'each ' * (len(several) > 1)}the best of {several[0]}" if several else ""
    early = "" if evidence.at == 1 else f" after {evidence.at * plan.rounds:,.0f} rounds"
    return (
        f"{_located(side)} {evidence.relation} {against} ({fixed(evidence.other_mean, digits)})"
        f"{best}{early}: {difference(evidence.difference, digits)}"
    )


@describe.register
def _spread(evidence: SpreadEvidence) -> str:
    digits = DIGITS[evidence.side.comparison.plan.measure]
    return (
        f"standard deviation of {_located(evidence.side)} {fixed(evidence.deviation, digits)}, "
        f"{_policy(evidence.other)} {fixed(evidence.other_deviation, digits)}"
    )


@describe.register
def _exponent(evidence: ExponentEvidence) -> str:
    reach = interval(evidence.low, evidence.high, 2)
    return f"{_located(evidence.side)}: t^{fixed(evidence.exponent, 2)} ({reach})"


@describe.register
def _time(evidence: TimeEvidence) -> str:
    ratio = significant(evidence.ratio, 2)
    sides = f"{_located(evidence.side)} against {_located(evidence.other)}"
    return f"{evidence.part}, {sides}: {ratio} times"


def _policy(side: Side) -> str:
    return labels(side.comparison.plan.policies)[side.policy]


def _located(side: Side) -> str:
    return f"{_policy(side)} on {label(side.comparison.plan.environment)}"
