"""Claims put to the test on results: the kinds of test there are, and what each finds.

A claim is a sentence and the tests that must all pass for it. Tests of regret are paired: policies
that share a seed met the same stream, and the interval is that of ``significance``.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np

from jostle.lab.analysis.intervals import FEWEST, interval
from jostle.lab.render.text import labels
from jostle.lab.results.model import Comparison, thinned
from jostle.lab.results.outcome import Outcome
from jostle.lab.spec.plan import REGRET

HOLDS, FAILS, OPEN = "holds", "does not hold", "not decided"
UNTRIED, PARTLY = "not tried", "tried in part"
Results = Mapping[str, Outcome]
"""Outcomes by the names of their experiments."""


class Finding(NamedTuple):
    """What a test found."""

    verdict: str
    words: str


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
class Paired:
    """``policy`` against ``other``, seed by seed, after a share ``at`` of the rounds.

    Where several are named, the one stands for all that is the best of them in the end.
    """

    where: Where
    policy: str | tuple[str, ...]
    other: str | tuple[str, ...]
    factor: float = 1.1
    other_where: Where | None = None
    at: float = 1.0

    word: ClassVar[str]

    def lead(self, low: bool, ours: np.ndarray, theirs: np.ndarray) -> np.ndarray:
        """By how much it passes; ``low`` says whether low values are good."""
        raise NotImplementedError

    def __call__(self, results: Results) -> Finding:
        """Whether the lead is beyond the noise of the seeds, on the good side or the bad."""
        places = self.where, self.other_where or self.where
        first, second = (where.find(results) for where in places)
        if first is None or second is None:
            return Finding(UNTRIED, "")
        policy, other = _best(first, self.policy), _best(second, self.other)
        if policy is None or other is None:
            return Finding(UNTRIED, "")
        ours, theirs = _shared(self._values(first, policy), self._values(second, other))
        if len(ours) < FEWEST:
            return Finding(UNTRIED, "")
        regret = first.plan.measure == REGRET
        low, high = interval(self.lead(regret, ours, theirs))
        verdict = HOLDS if low > 0 else FAILS if high < 0 else OPEN
        lower, upper = interval(ours - theirs)
        digits = ",.1f" if regret else ",.3f"
        told = f"{ours.mean() - theirs.mean():+{digits}} ({lower:{digits}} to {upper:{digits}})"
        if second is first:
            against = labels(second.plan.policies)[other]
        else:
            against = _described(second, other)
        early = "" if self.at == 1 else f" after {self.at * first.plan.rounds:,.0f} rounds"
        several = [len(each) for each in (self.policy, self.other) if not isinstance(each, str)]
        best = f", {'each ' * (len(several) > 1)}the best of {several[0]}" if several else ""
        name = _described(first, policy)
        words = f"{name} {self.word} {against} ({theirs.mean():{digits}}){best}{early}: {told}"
        return Finding(verdict, words)

    def _values(self, comparison: Comparison, policy: str) -> dict[int, float]:
        rounds = thinned(comparison.plan.rounds)
        point = int(np.searchsorted(rounds, self.at * comparison.plan.rounds))
        return {
            run.trial.seed: float(comparison.curve(run)[point]) for run in comparison.of(policy)
        }


class Behind(Paired):
    """``policy`` does worse than ``other``: by a tenth, unless it says by how much."""

    word = "behind"

    def lead(self, low: bool, ours: np.ndarray, theirs: np.ndarray) -> np.ndarray:
        """How much more it loses than ``factor`` times the other."""
        return ours - self.factor * theirs if low else theirs / self.factor - ours


class NotBehind(Paired):
    """``policy`` does as well as ``other``, or better: within a tenth, unless it says."""

    word = "not behind"

    def lead(self, low: bool, ours: np.ndarray, theirs: np.ndarray) -> np.ndarray:
        """How much less it loses than ``factor`` times the other."""
        return self.factor * theirs - ours if low else ours * self.factor - theirs


@dataclass(frozen=True)
class Varies:
    """The end of ``policy`` varies more from seed to seed than that of ``other``."""

    where: Where
    policy: str
    other: str
    factor: float = 1.5

    def __call__(self, results: Results) -> Finding:
        """Whether the standard deviation is ``factor`` times the other's; no interval is given."""
        comparison = self.where.find(results)
        names = (self.policy, self.other)
        if comparison is None or min(len(comparison.of(name)) for name in names) < FEWEST:
            return Finding(UNTRIED, "")
        ours, theirs = (float(np.std(comparison.finals(name), ddof=1)) for name in names)
        verdict = HOLDS if ours > self.factor * theirs else FAILS
        against = labels(comparison.plan.policies)[self.other]
        name = _described(comparison, self.policy)
        return Finding(
            verdict, f"standard deviation of {name} {ours:,.1f}, {against} {theirs:,.1f}"
        )


@dataclass(frozen=True)
class Sublinear:
    """The regret of ``policy`` grows more slowly than the rounds, at the end."""

    where: Where
    policy: str

    def __call__(self, results: Results) -> Finding:
        """Whether the exponent of t, fitted to the second half of each curve, is below 1."""
        comparison = self.where.find(results)
        if comparison is None or len(comparison.of(self.policy)) < FEWEST:
            return Finding(UNTRIED, "")
        rounds = thinned(comparison.plan.rounds)
        late = rounds > comparison.plan.rounds / 2
        slopes = [
            np.polyfit(np.log(rounds[late]), np.log(curve[late]), 1)[0]
            for curve in comparison.curves(self.policy)
        ]
        low, high = interval(np.array(slopes))
        verdict = HOLDS if high < 1 else FAILS if low > 1 else OPEN
        name = _described(comparison, self.policy)
        return Finding(verdict, f"{name}: t^{np.mean(slopes):.2f} ({low:.2f} to {high:.2f})")


@dataclass(frozen=True)
class Times:
    """The milliseconds of two policies, or of one at two sizes, are in a ratio within limits."""

    first: tuple[Where, str]
    second: tuple[Where, str]
    part: str
    least: float = 0.0
    most: float = np.inf

    def __call__(self, results: Results) -> Finding:
        """Whether the ratio of ``part`` ("choosing" or "learning") is within its limits."""
        found = []
        for where, policy in (self.first, self.second):
            comparison = where.find(results)
            if comparison is None or policy not in comparison.times:
                return Finding(UNTRIED, "")
            found.append((comparison, policy, getattr(comparison.times[policy], self.part)))
        (one, one_policy, ours), (other, other_policy, theirs) = found
        ratio = ours / theirs
        verdict = HOLDS if self.least <= ratio <= self.most else FAILS
        sides = [_described(one, one_policy), _described(other, other_policy)]
        return Finding(verdict, f"{self.part}, {sides[0]} against {sides[1]}: {ratio:.2g} x")


@dataclass(frozen=True)
class Claim:
    """A sentence of the paper, and the tests that must all pass for it to hold."""

    text: str
    tests: tuple[Callable[[Results], Finding], ...]
    remark: str = ""
    """Why it is not seen to hold, if it is not."""

    def judge(self, results: Results) -> tuple[str, list[Finding]]:
        """The verdict, and what each test found."""
        findings = [test(results) for test in self.tests]
        verdicts = [finding.verdict for finding in findings]
        if FAILS in verdicts:
            return FAILS, findings
        if UNTRIED in verdicts:
            return UNTRIED if set(verdicts) == {UNTRIED} else PARTLY, findings
        return OPEN if OPEN in verdicts else HOLDS, findings


def _best(comparison: Comparison, policies: str | tuple[str, ...]) -> str | None:
    """The policy that is best in the end, once all of them have enough runs."""
    if isinstance(policies, str):
        return policies
    if min(len(comparison.of(policy)) for policy in policies) < FEWEST:
        return None
    means = {policy: float(np.mean(comparison.finals(policy))) for policy in policies}
    return (min if comparison.plan.measure == REGRET else max)(means, key=means.__getitem__)


def _shared(
    first: Mapping[int, float], second: Mapping[int, float]
) -> tuple[np.ndarray, np.ndarray]:
    """The values of the seeds that both have."""
    seeds = sorted(first.keys() & second.keys())
    return np.array([first[seed] for seed in seeds]), np.array([second[seed] for seed in seeds])


def _described(comparison: Comparison, policy: str) -> str:
    where = labels([comparison.plan.environment])[comparison.plan.environment]
    return f"{labels(comparison.plan.policies)[policy]} on {where}"
