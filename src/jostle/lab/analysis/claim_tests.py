"""The kinds of test by which claims are judged.

Tests of regret or reward are paired by seed, with the intervals of
``jostle.lab.analysis.intervals``. A test returns None if its runs are not there.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, Protocol

import numpy as np

from jostle.core.power_law import regret_exponents
from jostle.lab.analysis.claim_evidence import (
    BEHIND,
    NOT_BEHIND,
    Estimate,
    ExponentEvidence,
    Finding,
    PairedEvidence,
    Side,
    SpreadEvidence,
    TimeEvidence,
    Values,
)
from jostle.lab.analysis.intervals import (
    FEWEST_SEEDS,
    final_values,
    mean_p_value,
    paired_values,
)
from jostle.lab.analysis.spread import spread_p_value, spread_ratio
from jostle.lab.results.model import thinned
from jostle.lab.results.outcome import Outcome
from jostle.lab.spec.plan import REGRET

LATE = 0.5
"""The share of the rounds that a fit of regret's exponent leaves out, as it is about the end."""
Results = Mapping[str, Outcome]
"""Outcomes by the names of their experiments."""


class Test(Protocol):
    """A question that results may answer."""

    @property
    def experiments(self) -> tuple[str, ...]:
        """The names of the experiments that it needs."""

    def __call__(self, results: Results) -> Finding | None:
        """What the results say; None if its runs are not there."""


@dataclass(frozen=True)
class Where:
    """A panel of an experiment."""

    experiment: str
    panel: int = 0

    def side(self, results: Results, policies: str | tuple[str, ...]) -> Side | None:
        """The policy with the best mean at the end, once all of ``policies`` have enough runs."""
        outcome = results.get(self.experiment)
        if outcome is None:
            return None
        comparison = outcome.comparisons[self.panel]
        if isinstance(policies, str):
            return Side(outcome, comparison, policies)
        if min(len(comparison.of(policy)) for policy in policies) < FEWEST_SEEDS:
            return None
        means = {policy: float(np.mean(comparison.finals(policy))) for policy in policies}
        best = (min if comparison.plan.measure == REGRET else max)(means, key=means.__getitem__)
        return Side(outcome, comparison, best, len(policies))


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

    @property
    def experiments(self) -> tuple[str, ...]:
        """The names of the experiments that it needs."""
        return self.where.experiment, (self.other_where or self.where).experiment

    def __call__(self, results: Results) -> Finding | None:
        """A t-test of the mean lead over the seeds that both have."""
        side = self.where.side(results, self.policy)
        other = (self.other_where or self.where).side(results, self.other)
        if side is None or other is None:
            return None
        paired = paired_values(self._values(side), self._values(other))
        ours, theirs = np.array(paired[0]), np.array(paired[1])
        if len(ours) < FEWEST_SEEDS:
            return None
        lead = self._lead(side.comparison.plan.measure == REGRET, ours, theirs)
        evidence = PairedEvidence(
            self.relation,
            side,
            other,
            self.factor,
            (float(ours.mean()), float(theirs.mean())),
            Estimate.of(lead),
            self.at,
            len(ours),
        )
        return Finding(float(lead.mean()) > 0, mean_p_value(lead), evidence)

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
    """The result of ``policy`` varies from seed to seed ``factor`` times as much as ``other``'s."""

    where: Where
    policy: str
    other: str
    factor: float = 1.5

    @property
    def experiments(self) -> tuple[str, ...]:
        """The names of the experiments that it needs."""
        return (self.where.experiment,)

    def __call__(self, results: Results) -> Finding | None:
        """Pitman's and Morgan's test of the ratio of standard deviations."""
        side, other = (self.where.side(results, name) for name in (self.policy, self.other))
        if side is None or other is None:
            return None
        ours, theirs = paired_values(
            *(final_values(each.comparison, each.policy) for each in (side, other))
        )
        if len(ours) < FEWEST_SEEDS:
            return None
        ratio = spread_ratio(ours, theirs)
        deviations = float(np.std(ours, ddof=1)), float(np.std(theirs, ddof=1))
        evidence = SpreadEvidence(side, other, self.factor, deviations, ratio, len(ours))
        return Finding(
            ratio.ratio > self.factor, spread_p_value(ours, theirs, self.factor), evidence
        )


@dataclass(frozen=True)
class Sublinear:
    """The regret of ``policy`` grows more slowly than the rounds, at the end."""

    where: Where
    policy: str

    @property
    def experiments(self) -> tuple[str, ...]:
        """The names of the experiments that it needs."""
        return (self.where.experiment,)

    def __call__(self, results: Results) -> Finding | None:
        """A t-test of whether the exponent of t, fitted to each run without its sweep, is 1."""
        side = self.where.side(results, self.policy)
        if side is None or len(side.comparison.of(self.policy)) < FEWEST_SEEDS:
            return None
        swept = swept_rounds(side)
        exponents = regret_exponents(
            thinned(side.comparison.plan.rounds),
            side.comparison.curves(self.policy),
            swept=swept,
            after=LATE,
        )
        evidence = ExponentEvidence(side, Estimate.of(exponents), swept, len(exponents))
        return Finding(float(exponents.mean()) < 1, mean_p_value(exponents, 1.0), evidence)


@dataclass(frozen=True)
class Times:
    """The times of two policies, or of one at two sizes, have a ratio within limits."""

    first: tuple[Where, str]
    second: tuple[Where, str]
    part: str
    """"choosing" or "learning"."""
    least: float = 0.0
    most: float = np.inf

    @property
    def experiments(self) -> tuple[str, ...]:
        """The names of the experiments that it needs."""
        return self.first[0].experiment, self.second[0].experiment

    def __call__(self, results: Results) -> Finding | None:
        """Whether the ratio of the first to the second is within its limits."""
        sides, times = [], []
        for where, policy in (self.first, self.second):
            side = where.side(results, policy)
            if side is None or policy not in side.comparison.times:
                return None
            sides.append(side)
            times.append(float(side.comparison.times[policy]._asdict()[self.part]))
        ratio = times[0] / times[1]
        evidence = TimeEvidence(sides[0], sides[1], self.part, ratio, self.least, self.most)
        return Finding(self.least <= ratio <= self.most, None, evidence)


def swept_rounds(side: Side) -> int:
    """The rounds in which a policy pulls each arm of a fixed pool once; 0 if it does not."""
    environment, manifest = side.comparison.plan.environment, side.outcome.manifest
    pool = manifest.environments[environment].get("pool") or 0
    limit = manifest.policies[environment][side.policy].get("sweep") or 0
    return int(pool) if pool <= limit else 0
