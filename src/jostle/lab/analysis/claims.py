"""Claims judged by results: verdicts on all tests of a claim together.

Where several tests decide about a claim, their p-values are corrected for their number by Holm's
method, so that the probability of any false decision in a claim is at most 5%.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

from jostle.lab.analysis.claim_evidence import Finding
from jostle.lab.analysis.claim_tests import Results, Test
from jostle.lab.analysis.intervals import LEVEL
from jostle.lab.analysis.multiple_tests import holm

HOLDS, FAILS, UNDECIDED = "holds", "does not hold", "cannot tell"
UNPLAYED = "not played"


class Decision(NamedTuple):
    """The verdict on one test, in view of all tests of its claim."""

    verdict: str
    adjusted: float | None
    """The p-value after Holm's correction; None for times."""
    finding: Finding


class Judgement(NamedTuple):
    """The verdict on a claim, and how it came about."""

    verdict: str
    decisions: list[Decision]
    """Those of the tests that could be run."""
    tests: int
    """How many tests the claim has."""
    missing: tuple[str, ...] = ()
    """The experiments whose runs the other tests lack."""

    @property
    def corrected(self) -> int:
        """For how many tests the p-values are corrected."""
        return sum(each.adjusted is not None for each in self.decisions)


@dataclass(frozen=True)
class Claim:
    """A sentence of the paper, and the tests that must all pass for it to hold."""

    text: str
    tests: Mapping[str, tuple[Test, ...]]
    """By the forms of the policies that play: the paper's, or jostle's."""
    remark: str = ""
    """Why it does not hold with jostle's forms, if it does not."""

    def judge(self, forms: str, results: Results) -> Judgement:
        """The verdict with these forms of the policies, and on each test."""
        tests = self.tests[forms]
        found = [(test, test(results)) for test in tests]
        decisions = decide([finding for _, finding in found if finding is not None])
        lacking = (name for test, finding in found if finding is None for name in test.experiments)
        missing = tuple(dict.fromkeys(lacking))
        return Judgement(_verdict(decisions, len(tests)), decisions, len(tests), missing)


def decide(findings: list[Finding]) -> list[Decision]:
    """The verdict on each of several tests, with p-values corrected for their number."""
    adjusted = iter(holm([each.p_value for each in findings if each.p_value is not None]))
    decisions = []
    for finding in findings:
        p_value = None if finding.p_value is None else float(next(adjusted))
        certain = p_value is None or p_value < 1 - LEVEL
        verdict = (HOLDS if finding.passes else FAILS) if certain else UNDECIDED
        decisions.append(Decision(verdict, p_value, finding))
    return decisions


def _verdict(decisions: list[Decision], tests: int) -> str:
    """One failed test refutes a claim; to hold, it needs all of its tests run and passed."""
    if not decisions:
        return UNPLAYED
    verdicts = {each.verdict for each in decisions}
    if FAILS in verdicts:
        return FAILS
    return HOLDS if verdicts == {HOLDS} and len(decisions) == tests else UNDECIDED
