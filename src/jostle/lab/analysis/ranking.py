"""Policies ranked by their mean at the last round, with errors, differences, times and memory."""

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from jostle.lab.analysis.intervals import differences_to_best, standard_error
from jostle.lab.results.model import Comparison


class Row(NamedTuple):
    """One policy of a comparison; what is unknown is None."""

    policy: str
    rank: int
    """From 1; equal means share a rank."""
    mean: float
    error: float | None
    """The standard error of the mean; a single run has none."""
    difference: float | None
    """This policy minus the best one, seed by seed."""
    difference_low: float | None
    difference_high: float | None
    round_ms: float | None
    choosing_ms: float | None
    learning_ms: float | None
    state_bytes: float | None
    runs: int


def rows(comparison: Comparison) -> list[Row]:
    """A row for each policy that has a finished run, the best first."""
    ranked = comparison.policies()
    means = [float(comparison.finals(policy).mean()) for policy in ranked]
    differences = differences_to_best(comparison)
    made = []
    for policy, mean in zip(ranked, means, strict=True):
        difference, times = differences.get(policy), comparison.times.get(policy)
        runs = comparison.of(policy)
        made.append(
            Row(
                policy,
                rank=1 + means.index(mean),
                mean=mean,
                error=standard_error(comparison.finals(policy)),
                difference=difference.mean if difference else None,
                difference_low=difference.low if difference else None,
                difference_high=difference.high if difference else None,
                round_ms=_mean(run.round_ms for run in runs),
                choosing_ms=times.choosing if times else None,
                learning_ms=times.learning if times else None,
                state_bytes=_mean(run.state_bytes or None for run in runs),
                runs=len(runs),
            )
        )
    return made


def _mean(values: Iterable[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return float(np.mean(known)) if known else None
