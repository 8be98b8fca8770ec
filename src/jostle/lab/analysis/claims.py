"""Claims judged by results: the kinds of test, their verdicts, and the evidence for each.

A claim is a sentence and the tests that must all pass for it to hold. Tests of regret or reward
are paired by seed, with the intervals of ``jostle.lab.analysis.intervals``.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from jostle.lab.analysis.intervals import (
    FEWEST_SEEDS,
    PairedDifference,
    mean_interval,
    paired_values,
)
from jostle.lab.results.model import Comparison, thinned
from jostle.lab.results.outcome import Outcome
from jostle.lab.spec.plan import REGRET

HOLDS, FAILS, OPEN = "holds", "does not hold", "not decided"
UNTRIED, PARTLY = "not tried", "tried in part"
Results = Mapping[str, Outcome]
"""Outcomes by the names of their experiments."""
Values = NDArray[np.float64]


class Side(NamedTuple):
    """A policy in a comparison."""

    comparison: Comparison
    policy: str
    best_of: int | None = None
    """The number of policies of which it is the best, where a test names several."""


@dataclass(frozen=True)
class PairedEvidence:
    """A difference between two policies, seed by seed."""

    relation: str
    """``BEHIND`` or ``NOT_BEHIND``: what was tested."""
    side: Side
    other: Side
    difference: PairedDifference
    other_mean: float
    at: float
    """The share of the rounds after which they were compared."""


@dataclass(frozen=True)
class SpreadEvidence:
    """The standard deviations, over seeds, of two policies."""

    side: Side
    other: Side
    deviation: float
    other_deviation: float


@dataclass(frozen=True)
class ExponentEvidence:
    """The exponent of the round in the growth of a policy's regret, with its interval."""

    side: Side
    exponent: float
    low: float
    high: float


@dataclass(frozen=True)
class TimeEvidence:
    """How many times as long one policy takes as another."""

    side: Side
    other: Side
    part: str
    ratio: float


Evidence = PairedEvidence | SpreadEvidence | ExponentEvidence | TimeEvidence
BEHIND, NOT_BEHIND = "behind", "not behind"


class Finding(NamedTuple):
    """The verdict of a test and its evidence; a test that was not tried has none."""

    verdict: str
    evidence: Evidence | None = None


@dataclass(frozen=True)
class Where:
    """A panel of an experiment."""

    experiment: str
    panel: int = 0

    def find(self, results: Results) -> Comparison | None:
        """The comparison, if it is there."""
        outcome = results.get(self.experiment)
        return outcome.comparisons[self.panel] if outcome is not None else None


@dataclass(frozen=True)
class _Paired:
    """``policy`` against ``other``, seed by seed, after a share ``at`` of the rounds.

    Where several policies are named, the one with the best mean at the end stands for all.
    """

    where: Where
    policy: str | tuple[str, ...]
    other: str | tuple[str, ...]
    factor: float = 1.1
    other_where: Where | None = None
    at: float = 1.0

    relation: ClassVar[str]

    def __call__(self, results: Results) -> Finding:
        """Whether the test passes, or fails, beyond the noise of the seeds."""
        first = self.where.find(results)
        second = (self.other_where or self.where).find(results)
        if first is None or second is None:
            return Finding(UNTRIED)
        side, other = _side(first, self.policy), _side(second, self.other)
        if side is None or other is None:
            return Finding(UNTRIED)
        paired = paired_values(self._values(side), self._values(other))
        ours, theirs = np.array(paired[0]), np.array(paired[1])
        if len(ours) < FEWEST_SEEDS:
            return Finding(UNTRIED)
        low, high = mean_interval(self._lead(first.plan.measure == REGRET, ours, theirs))
        verdict = HOLDS if low > 0 else FAILS if high < 0 else OPEN
        differences = ours - theirs
        difference = PairedDifference(
            float(differences.mean()), *mean_interval(differences), len(differences)
        )
        evidence = PairedEvidence(
            self.relation, side, other, difference, float(theirs.mean()), self.at
        )
        return Finding(verdict, evidence)

    def _lead(self, lower_is_better: bool, ours: Values, theirs: Values) -> Values:
        """By how much the test passes, for each seed; negative where it fails."""
        raise NotImplementedError

    def _values(self, side: Side) -> dict[int, float]:
        comparison = side.comparison
        rounds = thinned(comparison.plan.rounds)
        point = int(np.searchsorted(rounds, self.at * comparison.plan.rounds))
        return {
            run.trial.seed: float(comparison.curve(run)[point])
            for run in comparison.of(side.policy)
        }


class Behind(_Paired):
    """``policy`` does worse than ``other``, by a factor of more than ``factor``."""

    relation = BEHIND

    def _lead(self, lower_is_better: bool, ours: Values, theirs: Values) -> Values:
        return ours - self.factor * theirs if lower_is_better else theirs / self.factor - ours


class NotBehind(_Paired):
    """``policy`` does as well as ``other`` or better, to within a factor of ``factor``."""

    relation = NOT_BEHIND

    def _lead(self, lower_is_better: bool, ours: Values, theirs: Values) -> Values:
        return self.factor * theirs - ours if lower_is_better else ours * self.factor - theirs


@dataclass(frozen=True)
class Varies:
    """The result of ``policy`` varies more from seed to seed than that of ``other``."""

    where: Where
    policy: str
    other: str
    factor: float = 1.5

    def __call__(self, results: Results) -> Finding:
        """Whether the standard deviation is ``factor`` times the other's; no interval is given."""
        comparison = self.where.find(results)
        names = (self.policy, self.other)
        if comparison is None or min(len(comparison.of(name)) for name in names) < FEWEST_SEEDS:
            return Finding(UNTRIED)
        ours, theirs = (float(np.std(comparison.finals(name), ddof=1)) for name in names)
        side, other = Side(comparison, self.policy), Side(comparison, self.other)
        verdict = HOLDS if ours > self.factor * theirs else FAILS
        return Finding(verdict, SpreadEvidence(side, other, ours, theirs))


@dataclass(frozen=True)
class Sublinear:
    """The regret of ``policy`` grows more slowly than the rounds, at the end."""

    where: Where
    policy: str

    def __call__(self, results: Results) -> Finding:
        """Whether the exponent of t, fitted to the second half of each curve, is below 1."""
        comparison = self.where.find(results)
        if comparison is None or len(comparison.of(self.policy)) < FEWEST_SEEDS:
            return Finding(UNTRIED)
        rounds = thinned(comparison.plan.rounds)
        late = rounds > comparison.plan.rounds / 2
        exponents = [
            float(np.polyfit(np.log(rounds[late]), np.log(curve[late]), 1)[0])
            for curve in comparison.curves(self.policy)
        ]
        low, high = mean_interval(exponents)
        verdict = HOLDS if high < 1 else FAILS if low > 1 else OPEN
        side = Side(comparison, self.policy)
        return Finding(verdict, ExponentEvidence(side, float(np.mean(exponents)), low, high))


@dataclass(frozen=True)
class Times:
    """The times of two policies, or of one at two sizes, have a ratio within limits."""

    first: tuple[Where, str]
    second: tuple[Where, str]
    part: str
    """"choosing" or "learning"."""
    least: float = 0.0
    most: float = np.inf

    def __call__(self, results: Results) -> Finding:
        """Whether the ratio of the first to the second is within its limits."""
        sides, times = [], []
        for where, policy in (self.first, self.second):
            comparison = where.find(results)
            if comparison is None or policy not in comparison.times:
                return Finding(UNTRIED)
            sides.append(Side(comparison, policy))
            times.append(float(comparison.times[policy]._asdict()[self.part]))
        ratio = times[0] / times[1]
        verdict = HOLDS if self.least <= ratio <= self.most else FAILS
        return Finding(verdict, TimeEvidence(sides[0], sides[1], self.part, ratio))


@dataclass(frozen=True)
class Claim:
    """A sentence of the paper, and the tests that must all pass for it to hold."""

    text: str
    tests: tuple[Callable[[Results], Finding], ...]
    remark: str = ""
    """Why it does not hold in our results, if it does not."""

    def judge(self, results: Results) -> tuple[str, list[Finding]]:
        """The verdict, and the finding of each test."""
        findings = [test(results) for test in self.tests]
        verdicts = [finding.verdict for finding in findings]
        if FAILS in verdicts:
            return FAILS, findings
        if UNTRIED in verdicts:
            return UNTRIED if set(verdicts) == {UNTRIED} else PARTLY, findings
        return OPEN if OPEN in verdicts else HOLDS, findings


def _side(comparison: Comparison, policies: str | tuple[str, ...]) -> Side | None:
    """The policy with the best mean at the end, once all of ``policies`` have enough runs."""
    if isinstance(policies, str):
        return Side(comparison, policies)
    if min(len(comparison.of(policy)) for policy in policies) < FEWEST_SEEDS:
        return None
    means = {policy: float(np.mean(comparison.finals(policy))) for policy in policies}
    best = (min if comparison.plan.measure == REGRET else max)(means, key=means.__getitem__)
    return Side(comparison, best, len(policies))
