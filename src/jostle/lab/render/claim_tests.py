"""The tests behind a verdict in words: what each compared, measured and estimated."""

from collections.abc import Iterable, Sequence
from functools import singledispatch
from typing import NamedTuple

from jostle.lab.analysis.claim_evidence import (
    BEHIND,
    Evidence,
    ExponentEvidence,
    PairedEvidence,
    Side,
    SpreadEvidence,
    TimeEvidence,
)
from jostle.lab.render.text import (
    DIGITS,
    fixed,
    interval,
    labels,
    listed,
    significant,
    timed_text,
)

VERBS = {"choosing": "choose", "learning": "learn"}


class Line(NamedTuple):
    """What a test compared and found, in words."""

    subject: str
    relation: str
    object: str
    limits: str
    sides: tuple[Side, ...]
    seeds: tuple[int, ...]
    """Those that both sides have; none for times."""
    measured: str
    estimate: str

    @property
    def test(self) -> str:
        """What was tested, as a clause."""
        return _clause([self.subject], self.relation, [self.object], self.limits)


def clauses(lines: Iterable[Line]) -> list[str]:
    """The tests in as few clauses as say them: those that share a subject or an object together."""
    lines = list(lines)
    by_object: dict[tuple[str, ...], list[str]] = {}
    by_subject: dict[tuple[str, ...], list[str]] = {}
    for line in lines:
        by_object.setdefault((line.relation, line.object, line.limits), []).append(line.subject)
        by_subject.setdefault((line.subject, line.relation, line.limits), []).append(line.object)
    if len(by_subject) < len(by_object):
        return [
            _clause([subject], relation, objects, limits)
            for (subject, relation, limits), objects in by_subject.items()
        ]
    return [
        _clause(subjects, relation, [each], limits)
        for (relation, each, limits), subjects in by_object.items()
    ]


def _clause(subjects: Sequence[str], relation: str, objects: Sequence[str], limits: str) -> str:
    several = len(objects) > 1 and all(objects)
    ours, theirs = (listed(list(dict.fromkeys(each))) for each in (subjects, objects))
    return " ".join(filter(None, (ours, relation, "each of" if several else "", theirs, limits)))


@singledispatch
def describe(evidence: Evidence) -> Line:
    """What a test compared and found."""
    raise TypeError(f"evidence: expected one of {Evidence}, got {type(evidence).__name__}")


@describe.register
def _paired(evidence: PairedEvidence) -> Line:
    side, other = evidence.side, evidence.other
    plan = side.comparison.plan
    digits = DIGITS[plan.measure]
    limits = []
    if evidence.factor != 1:
        more = "by more than" if evidence.relation == BEHIND else "to within"
        limits.append(f"{more} a factor of {evidence.factor:g}")
    if evidence.at != 1:
        limits.append(f"after {evidence.at * plan.rounds:,.0f} rounds")
    ours, theirs = (fixed(mean, digits) for mean in evidence.means)
    lead = evidence.lead
    # The same policy on both sides differs in its environment, which the table names.
    where = (
        "" if side.comparison is other.comparison else f" on {other.comparison.plan.environment}"
    )
    return Line(
        _policy(side),
        evidence.relation,
        f"{_policy(other)}{where}",
        " ".join(limits),
        (side, other),
        _shared(side, other),
        f"{ours} and {theirs}",
        f"lead {lead.mean:+,.{digits}f} ({interval(lead.low, lead.high, digits)})",
    )


@describe.register
def _spread(evidence: SpreadEvidence) -> Line:
    digits = DIGITS[evidence.side.comparison.plan.measure]
    ours, theirs = (fixed(deviation, digits) for deviation in evidence.deviations)
    ratio, low, high = (significant(value, 2) for value in evidence.ratio)
    return Line(
        _policy(evidence.side),
        f"varies {evidence.factor:g} times as much as",
        _policy(evidence.other),
        "",
        (evidence.side, evidence.other),
        _shared(evidence.side, evidence.other),
        f"standard deviations {ours} and {theirs}",
        f"{ratio} times ({low} to {high})",
    )


@describe.register
def _exponent(evidence: ExponentEvidence) -> Line:
    mean, low, high = evidence.exponent
    swept = f"without a sweep of {evidence.swept:,} rounds" if evidence.swept else "no sweep"
    return Line(
        f"regret of {_policy(evidence.side)}",
        "grows more slowly than t",
        "",
        "",
        (evidence.side,),
        _shared(evidence.side),
        swept,
        f"t^{fixed(mean, 2)} ({interval(low, high, 2)})",
    )


@describe.register
def _time(evidence: TimeEvidence) -> Line:
    ours, theirs = (
        side.comparison.times[side.policy]._asdict()[evidence.part]
        for side in (evidence.side, evidence.other)
    )
    plan = evidence.side.comparison.plan  # both sides are timed after as many rounds
    limits = [f"at least {evidence.least:g}"] if evidence.least else []
    limits += [f"at most {evidence.most:g}"] if evidence.most < float("inf") else []
    return Line(
        _policy(evidence.side),
        f"takes {' and '.join(limits)} times as long to {VERBS[evidence.part]} as",
        _policy(evidence.other),
        "",
        (evidence.side, evidence.other),
        (),
        f"{significant(ours)} and {significant(theirs)} ms {timed_text(plan)}",
        f"{significant(evidence.ratio, 2)} times",
    )


def _policy(side: Side) -> str:
    name = labels(side.comparison.plan.policies)[side.policy]
    if side.best_of is None:
        return name
    best = f"the best of {side.best_of}"
    return f"{name[:-1]}; {best})" if name.endswith(")") else f"{name} ({best})"


def _shared(*sides: Side) -> tuple[int, ...]:
    found = [{run.trial.seed for run in side.comparison.of(side.policy)} for side in sides]
    return tuple(sorted(set.intersection(*found)))
