"""The paper's claims as Markdown: a table of verdicts, and a section with the tests of each."""

from collections.abc import Iterable
from functools import singledispatch
from typing import NamedTuple

from jostle.lab.analysis.claim_evidence import (
    Evidence,
    ExponentEvidence,
    PairedEvidence,
    Side,
    SpreadEvidence,
    TimeEvidence,
)
from jostle.lab.analysis.claim_tests import Results
from jostle.lab.analysis.claims import HOLDS, UNPLAYED, Claim, Decision, Judgement
from jostle.lab.analysis.data_sets import caveat
from jostle.lab.analysis.paper_forms import JOSTLE_FORMS, PAPER_FORMS
from jostle.lab.render.text import (
    DIGITS,
    UNKNOWN,
    count,
    fixed,
    interval,
    label,
    labels,
    markdown_table,
    significant,
    timed_text,
)

ABOUT = (
    "Each claim is judged twice: with the policies in the paper's forms (its networks and its "
    "training), and with jostle's networks and training. A claim holds if all of its tests do, "
    "does not hold if one of them fails, and otherwise the seeds cannot tell. If only some of its "
    "tests have been run, it can be refuted but not confirmed. Tests that compare seeds have two- "
    "sided p-values, corrected for the number of such tests in the claim by Holm's method "
    "(Scandinavian Journal of Statistics 6, 1979); a test is decided if its corrected p-value is "
    "below 0.05. Intervals are 95% intervals of each estimate by itself, not corrected."
)
ABOUT_TESTS = (
    "*Behind* means worse by more than a factor, *not behind* means within it. The estimate is "
    "then the lead by which the test passes: the mean over seeds of the difference, after the "
    "factor. Whether results vary more from seed to seed is tested by the ratio of standard "
    "deviations (Pitman and Morgan, Biometrika 31, 1939, a test for paired values). Exponents are "
    "fitted to the second half of each run; if a policy first pulls each arm of the pool once, "
    "rounds and regret count from the end of that sweep. The best of several strengths of "
    "exploration is picked on the runs that it is then compared on."
)


class Line(NamedTuple):
    """What a test compared and found, in words."""

    test: str
    sides: tuple[Side, ...]
    seeds: int | None
    measured: str
    estimate: str


def sections(claims: Iterable[Claim], results: Results) -> list[str]:
    """The claims, as parts of a Markdown page."""
    judged = [
        (claim, {forms: claim.judge(forms, results) for forms in claim.tests}) for claim in claims
    ]
    heads = ["claim of the paper", f"with {PAPER_FORMS}", f"with {JOSTLE_FORMS}"]
    verdicts = [
        [claim.text, *(f"**{both[forms].verdict}**" for forms in (PAPER_FORMS, JOSTLE_FORMS))]
        for claim, both in judged
    ]
    parts = ["## The paper's claims", ABOUT, markdown_table(heads, verdicts), ABOUT_TESTS]
    for claim, both in judged:
        parts += _section(claim, both)
    return parts


def _section(claim: Claim, judgements: dict[str, Judgement]) -> list[str]:
    parts = [f"### {claim.text}"]
    for forms, judgement in judgements.items():
        parts.append(f"With {forms}: **{judgement.verdict}**. {_extent(judgement)}")
        if judgement.decisions:
            heads = [
                "test",
                "experiment",
                "seeds",
                "measured",
                "estimate (interval)",
                "p",
                "verdict",
            ]
            parts.append(markdown_table(heads, map(_cells, judgement.decisions)))
    sides = [
        side
        for judgement in judgements.values()
        for each in judgement.decisions
        for side in describe(each.finding.evidence).sides
    ]
    warned = dict.fromkeys(caveat(side.outcome, side.comparison.plan.environment) for side in sides)
    parts += [text for text in warned if text]
    verdict = judgements[JOSTLE_FORMS].verdict
    if claim.remark and verdict not in (HOLDS, UNPLAYED):
        parts.append(f"Why, with {JOSTLE_FORMS}: {claim.remark}")
    return parts


def _extent(judgement: Judgement) -> str:
    """How many tests there were, and were run, and were corrected for."""
    run, corrected = len(judgement.decisions), judgement.corrected
    if not judgement.tests:
        return "No experiment plays them."
    if not run:
        return f"None of its {count(judgement.tests, 'test')} has been run."
    text = f"{run:,} of {count(judgement.tests, 'test')} run"
    if corrected > 1:
        text += f"; p-values corrected for {corrected:,} tests"
    return text + "."


def _cells(decision: Decision) -> list[str]:
    line = describe(decision.finding.evidence)
    where = dict.fromkeys(
        f"{side.outcome.experiment.name}, {label(side.comparison.plan.environment)}"
        for side in line.sides
    )
    return [
        line.test,
        " and ".join(where),
        UNKNOWN if line.seeds is None else f"{line.seeds:,}",
        line.measured,
        line.estimate,
        UNKNOWN if decision.adjusted is None else p_text(decision.adjusted),
        decision.verdict,
    ]


def p_text(p_value: float) -> str:
    """A p-value to two significant digits: "0.034", "<0.0001"."""
    return "<0.0001" if p_value < 1e-4 else significant(p_value, 2)


@singledispatch
def describe(evidence: Evidence) -> Line:
    """What a test compared and found."""
    raise TypeError(f"evidence: expected one of {Evidence}, got {type(evidence).__name__}")


@describe.register
def _paired(evidence: PairedEvidence) -> Line:
    side, other = evidence.side, evidence.other
    plan = side.comparison.plan
    digits = DIGITS[plan.measure]
    early = "" if evidence.at == 1 else f", after {evidence.at * plan.rounds:,.0f} rounds"
    factor = "" if evidence.factor == 1 else f", factor {evidence.factor:g}"
    ours, theirs = (fixed(mean, digits) for mean in evidence.means)
    lead = evidence.lead
    return Line(
        f"{_policy(side)} {evidence.relation} {_policy(other)}{factor}{early}",
        (side, other),
        evidence.seeds,
        f"{ours} and {theirs}",
        f"lead {lead.mean:+,.{digits}f} ({interval(lead.low, lead.high, digits)})",
    )


@describe.register
def _spread(evidence: SpreadEvidence) -> Line:
    digits = DIGITS[evidence.side.comparison.plan.measure]
    ours, theirs = (fixed(deviation, digits) for deviation in evidence.deviations)
    ratio, low, high = (significant(value, 2) for value in evidence.ratio)
    return Line(
        f"{_policy(evidence.side)} varies {evidence.factor:g} times as much as "
        f"{_policy(evidence.other)}",
        (evidence.side, evidence.other),
        evidence.seeds,
        f"standard deviations {ours} and {theirs}",
        f"{ratio} times ({low} to {high})",
    )


@describe.register
def _exponent(evidence: ExponentEvidence) -> Line:
    mean, low, high = evidence.exponent
    swept = f"without a sweep of {evidence.swept:,} rounds" if evidence.swept else "no sweep"
    return Line(
        f"regret of {_policy(evidence.side)} grows more slowly than t",
        (evidence.side,),
        evidence.seeds,
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
        f"{evidence.part}, {_policy(evidence.side)} against {_policy(evidence.other)}: "
        f"{' and '.join(limits)} times",
        (evidence.side, evidence.other),
        None,
        f"{significant(ours)} and {significant(theirs)} ms {timed_text(plan)}",
        f"{significant(evidence.ratio, 2)} times",
    )


def _policy(side: Side) -> str:
    name = labels(side.comparison.plan.policies)[side.policy]
    return name if side.best_of is None else f"{name}, the best of {side.best_of}"
