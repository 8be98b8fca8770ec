"""The evidence that tests of claims find: what was compared, and what it showed."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from jostle.lab.analysis.intervals import mean_interval
from jostle.lab.analysis.spread import SpreadRatio
from jostle.lab.results.model import Comparison
from jostle.lab.results.outcome import Outcome

Values = NDArray[np.float64]


class Side(NamedTuple):
    """A policy in a panel of an experiment."""

    outcome: Outcome
    comparison: Comparison
    policy: str
    best_of: int | None = None
    """The number of policies of which it is the best, where a test names several."""


class Estimate(NamedTuple):
    """A mean over seeds and its interval."""

    mean: float
    low: float
    high: float

    @classmethod
    def of(cls, values: Values) -> "Estimate":
        """That of three or more values, one per seed."""
        return cls(float(np.mean(values)), *mean_interval(values))


@dataclass(frozen=True)
class PairedEvidence:
    """A comparison of two policies, seed by seed."""

    relation: str
    """``BEHIND`` or ``NOT_BEHIND``: what was tested."""
    side: Side
    other: Side
    factor: float
    means: tuple[float, float]
    lead: Estimate
    """By how much the test passes, the factor included; negative if it fails."""
    at: float
    """The share of the rounds after which they were compared."""
    seeds: int


@dataclass(frozen=True)
class SpreadEvidence:
    """The standard deviations, over seeds, of two policies."""

    side: Side
    other: Side
    factor: float
    deviations: tuple[float, float]
    ratio: SpreadRatio
    seeds: int


@dataclass(frozen=True)
class ExponentEvidence:
    """The exponent of the round in the growth of a policy's regret."""

    side: Side
    exponent: Estimate
    swept: int
    """The first rounds, in which each arm is pulled once, that were taken out."""
    seeds: int


@dataclass(frozen=True)
class TimeEvidence:
    """How many times as long one policy takes as another."""

    side: Side
    other: Side
    part: str
    ratio: float
    least: float
    most: float


Evidence = PairedEvidence | SpreadEvidence | ExponentEvidence | TimeEvidence
BEHIND, NOT_BEHIND = "behind", "not behind"


class Finding(NamedTuple):
    """What a test found."""

    passes: bool
    """Whether the estimate is on the side that the test asks for."""
    p_value: float | None
    """Two-sided, that the truth is on the line between; None for times, which have no seeds."""
    evidence: Evidence
