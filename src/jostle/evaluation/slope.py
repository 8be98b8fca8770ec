"""SLOPE: choosing a hyper-parameter of an estimator without knowing the truth.

Su, Srinath and Krishnamurthy, "Adaptive Estimator Selection for Off-Policy Evaluation", ICML 2020.
Candidates are ordered from little bias and wide intervals to much bias and narrow ones; the last
one whose interval still agrees with all before it is chosen.
"""

import math
from collections.abc import Callable, Sequence
from statistics import NormalDist
from typing import Protocol, TypeVar

import numpy as np

CONFIDENCE = 0.95


class HasInfluences(Protocol):
    """An estimate whose error follows from what each row contributes."""

    @property
    def value(self) -> float:
        """The estimate."""
        ...

    def influences(self) -> np.ndarray:
        """What each row contributes to it."""
        ...


Candidate = TypeVar("Candidate", bound=HasInfluences)


def slope(candidates: Sequence[Callable[[], Candidate]]) -> Candidate:
    """The candidate that SLOPE chooses; they are ordered by increasing bias.

    Candidate i is admissible if |v_i - v_j| <= e_i + (sqrt(6) - 1) e_j for all j < i, where e is
    the half-width of a normal interval. The largest admissible i is chosen. Candidates are only
    computed up to the first ten in a row that are not admissible.
    """
    values: list[float] = []
    errors: list[float] = []
    chosen, best = 0, candidates[0]()
    z = NormalDist().inv_cdf((1 + CONFIDENCE) / 2)
    for i, make in enumerate(candidates):
        candidate = best if i == 0 else make()
        rows = candidate.influences()
        error = z * float(rows.std()) / math.sqrt(len(rows))
        errors.append(min([error, *errors[-1:]]))  # the rule assumes that they decrease
        values.append(candidate.value)
        gaps = np.abs(values[i] - np.array(values[:i]))
        allowed = errors[i] + (math.sqrt(6) - 1) * np.array(errors[:i])
        if np.all(gaps <= allowed):
            chosen, best = i, candidate
        elif i - chosen >= 10:
            break
    return best
