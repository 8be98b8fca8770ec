"""Whether an error vanishes as networks get wider, judged from several networks per width."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from jaxtyping import Float64

from jostle.core.power_law import power_law_exponent
from jostle.theory.lemma_check import STANDARD_ERRORS, Evidence, Verdict

ErrorsByWidth = Float64[np.ndarray, "widths draws"]
"""One row per width, one column per independent network."""
SMALLEST = 1e-12
"""Errors below it are rounding, and count as this much in a power law."""


class Convergence(NamedTuple):
    """How an error falls with the width m, and whether it may be said to vanish."""

    verdict: Verdict
    evidence: Evidence
    """The error at the largest width."""
    means: list[float]
    """The mean error per width."""
    standard_errors: list[float]
    """Their standard errors."""
    rate: float
    """The exponent a of the power law m^a."""
    rate_error: float
    """Its standard error."""


def judge_convergence(
    quantity: str,
    widths: Sequence[int],
    errors: ErrorsByWidth,
    *,
    tolerance: float,
    slowest: float,
) -> Convergence:
    """Judge from errors of several networks per width.

    The error vanishes if it is within ``tolerance`` at the largest width and its exponent is below
    0. It does not if it is outside and falls more slowly than m^slowest, the rate that the
    statement promises. Otherwise these widths cannot tell: it falls, but is still too large. "Is"
    means by three standard errors.
    """
    runs = errors.shape[1]
    means = errors.mean(axis=1)
    deviations = np.full(len(means), np.inf)
    rate, rate_error = float("nan"), float("inf")
    if runs > 1:
        deviations = errors.std(axis=1, ddof=1) / np.sqrt(runs)
    if len(widths) > 1:
        m = np.asarray(widths, float)
        rates = [power_law_exponent(m, np.maximum(column, SMALLEST)) for column in errors.T]
        rate = float(np.mean(rates))
        if runs > 1:
            rate_error = float(np.std(rates, ddof=1) / np.sqrt(runs))
    evidence = Evidence(
        f"{quantity} at m = {widths[-1]}", float(means[-1]), float(deviations[-1]), tolerance
    )
    verdict = Verdict.UNCLEAR
    if evidence.verdict is Verdict.HOLDS and rate < -STANDARD_ERRORS * rate_error:
        verdict = Verdict.HOLDS
    elif evidence.verdict is Verdict.FAILS and rate > slowest + STANDARD_ERRORS * rate_error:
        verdict = Verdict.FAILS
    return Convergence(verdict, evidence, means.tolist(), deviations.tolist(), rate, rate_error)
