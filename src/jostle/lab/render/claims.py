"""The page of the paper's claims: a table of verdicts, and a section with the tests of each."""

from collections import Counter
from collections.abc import Iterable

from jostle.lab.analysis.claim_tests import Results
from jostle.lab.analysis.claims import FAILS, HOLDS, UNDECIDED, UNPLAYED, Claim, Decision, Judgement
from jostle.lab.analysis.data_sets import caveat
from jostle.lab.analysis.paper_forms import JOSTLE_FORMS, PAPER_FORMS
from jostle.lab.render.claim_tests import Line, clauses, describe
from jostle.lab.render.text import (
    UNKNOWN,
    count,
    label,
    listed,
    markdown_table,
    numbers_text,
    significant,
)

NPR_IS = {PAPER_FORMS: "npr.paper", JOSTLE_FORMS: "npr.descent"}
"""The policy that stands for the paper's NPR."""
ABOUT = (
    "Each claim is judged twice: with the policies in the paper's forms (its networks and its "
    "training), and with jostle's networks and training. NPR of the paper is Algorithm 1: "
    "`npr.paper` in the paper's forms and `npr.descent` in jostle's. `npr`, which solves for the "
    "perturbation ([how](../npr.md)), is another algorithm, and no verdict on this page is about "
    "it."
)
ABOUT_VERDICTS = (
    "A claim *holds* if all of its tests do, *does not hold* if one of them fails, and otherwise "
    "the seeds *cannot tell*. If only some of its tests have been run, it can be refuted but not "
    "confirmed. Tests that compare seeds have two-sided p-values, corrected for the number of such "
    "tests in the claim by Holm's method (Scandinavian Journal of Statistics 6, 1979); a test is "
    "decided if its corrected p-value is below 0.05. Intervals are 95% intervals of each estimate "
    "by itself, not corrected."
)
ABOUT_TESTS = (
    "*Behind* means worse by more than a factor, *not behind* means within it. The estimate is "
    "then the lead by which the test passes: the mean over seeds of the difference, after the "
    "factor. Whether results vary more from seed to seed is tested by the ratio of standard "
    "deviations (Pitman and Morgan, Biometrika 31, 1939, a test for paired values). Exponents are "
    "fitted to the second half of each run; if a policy first pulls each arm of the pool once, "
    "rounds and regret count from the end of that sweep. The best of several strengths of "
    "exploration is picked on the runs that it is then compared on. Under *measured* are the means "
    "over the seeds of the two sides, in the order in which the test names them: regret, unless a "
    "unit follows."
)
FOUND = {HOLDS: ("holds", "hold"), FAILS: ("does not hold", "do not hold")}
"""Verdicts of one test and of several; what cannot be told is the same for both."""
IN_ORDER = (HOLDS, FAILS, UNDECIDED)
HEADS = ("test", "experiment", "seeds", "measured", "estimate (95% interval)", "p", "verdict")


def claims_page(claims: Iterable[Claim], results: Results) -> list[str]:
    """The parts of the page."""
    judged = [
        (claim, {forms: claim.judge(forms, results) for forms in claim.tests}) for claim in claims
    ]
    heads = ["claim of the paper", *(f"{forms}: `{npr}`" for forms, npr in NPR_IS.items())]
    verdicts = [
        [claim.text, *(_verdict(both[forms]) for forms in NPR_IS)] for claim, both in judged
    ]
    parts = ["# The paper's claims", ABOUT, ABOUT_VERDICTS, markdown_table(heads, verdicts)]
    parts.append(ABOUT_TESTS)
    for claim, both in judged:
        parts += _section(claim, both)
    return parts


def _verdict(judgement: Judgement) -> str:
    """A cell of the table of verdicts: the verdict, and how many tests and seeds are behind it."""
    if not judgement.decisions:
        return judgement.verdict
    run, seeds = len(judgement.decisions), _seeds(_lines(judgement))
    extent = f"{run} of {count(judgement.tests, 'test')}{f', {seeds}' if seeds else ''}"
    return f"**{judgement.verdict}** ({extent})"


def _section(claim: Claim, judgements: dict[str, Judgement]) -> list[str]:
    parts = [f"## {claim.text}"]
    for forms, judgement in judgements.items():
        extent = _extent(judgement, NPR_IS[forms])
        parts.append(f"With {forms}: **{judgement.verdict}**. {extent}")
        if judgement.decisions:
            parts.append(markdown_table(HEADS, map(_cells, judgement.decisions)))
    sides = [
        side
        for judgement in judgements.values()
        for line in _lines(judgement)
        for side in line.sides
    ]
    warned = dict.fromkeys(caveat(side.outcome, side.comparison.plan.environment) for side in sides)
    parts += [text for text in warned if text]
    verdict = judgements[JOSTLE_FORMS].verdict
    if claim.remark and verdict not in (HOLDS, UNPLAYED):
        parts.append(f"Why, with {JOSTLE_FORMS}: {claim.remark}")
    return parts


def _lines(judgement: Judgement) -> list[Line]:
    return [describe(each.finding.evidence) for each in judgement.decisions]


def _extent(judgement: Judgement, npr: str) -> str:
    """What was tested, with which policies, on which runs, and how many tests there were."""
    lines = _lines(judgement)
    if not judgement.tests:
        return "No experiment plays them."
    if not lines:
        needed = listed([f"`{name}`" for name in judgement.missing])
        return f"None of its {count(judgement.tests, 'test')} has been run; they need {needed}."
    verdicts = Counter(each.verdict for each in judgement.decisions)
    found = ", ".join(
        f"{verdicts[each]} {FOUND.get(each, (each, each))[verdicts[each] > 1]}"
        for each in IN_ORDER
        if verdicts[each]
    )
    text = f"Tested: {'; '.join(clauses(lines))}. NPR is `{npr}`. {_runs(lines)} "
    text += f"{len(lines):,} of {count(judgement.tests, 'test')} run: {found}"
    if judgement.corrected > 1:
        text += f"; p-values corrected for {judgement.corrected:,} tests"
    if judgement.missing:
        text += f"; the others lack runs of {listed([f'`{each}`' for each in judgement.missing])}"
    return text + "."


def _runs(lines: list[Line]) -> str:
    """The experiments, their rounds and tuning, and the seeds."""
    sides = [side for line in lines for side in line.sides]
    experiments = dict.fromkeys(
        f"`{side.outcome.experiment.name}` ({label(side.comparison.plan.environment)})"
        for side in sides
    )
    rounds = sorted({side.comparison.plan.rounds for side in sides})
    tunings = dict.fromkeys(side.outcome.experiment.tuning.method for side in sides)
    ways = [f"tuned by {each}" for each in tunings if each != "none"]
    untuned = [("partly not tuned" if ways else "nothing tuned")] if "none" in tunings else []
    tuned = listed(ways + untuned)
    seeds = _seeds(lines)
    where = f"Runs of {listed(list(experiments))}"
    played = f"{listed([f'{each:,}' for each in rounds])} rounds"
    return ", ".join(filter(None, (where, played, seeds, tuned))) + "."


def _seeds(lines: list[Line]) -> str:
    """The seeds of all tests: "seeds 0 to 4", or how many at least and at most."""
    found = {line.seeds for line in lines if line.seeds}
    if len(found) == 1:
        return f"seeds {numbers_text(next(iter(found)))}"
    sizes = sorted(len(each) for each in found)
    return f"{sizes[0]} to {sizes[-1]} seeds" if sizes else ""


def _cells(decision: Decision) -> list[str]:
    line = describe(decision.finding.evidence)
    where = dict.fromkeys(
        f"{side.outcome.experiment.name}, {label(side.comparison.plan.environment)}"
        for side in line.sides
    )
    return [
        line.test,
        " and ".join(where),
        f"{len(line.seeds):,}" if line.seeds else UNKNOWN,
        line.measured,
        line.estimate,
        UNKNOWN if decision.adjusted is None else p_text(decision.adjusted),
        decision.verdict,
    ]


def p_text(p_value: float) -> str:
    """A p-value to two significant digits: "0.034", "<0.0001"."""
    return "<0.0001" if p_value < 1e-4 else significant(p_value, 2)
