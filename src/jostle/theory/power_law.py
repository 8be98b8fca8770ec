"""Fits of the power law y = c x^a: how errors fall with width, and how regret grows with time."""

from typing import NamedTuple

import numpy as np

from jostle.theory.array_types import Regrets


class Exponent(NamedTuple):
    """The mean over runs of the exponent fitted to each run, and its 95% interval."""

    mean: float
    low: float
    high: float
    standard_error: float
    """Of the mean; infinite for one run."""


def power_law_exponent(x: np.ndarray, y: np.ndarray) -> float:
    """Return the exponent a of the least-squares fit log y = a log x + log c."""
    return float(np.polyfit(np.log(x), np.log(y), 1)[0])


def regret_exponent(regrets: Regrets, first: int = 50) -> Exponent:
    """Fit log regret = a log t + c to each run, from round ``first`` on.

    The interval is Student's t over the runs, which are independent. The rounds of one run are not,
    so the residuals of a fit say nothing about the exponent's error.
    """
    from scipy.special import stdtrit

    runs, rounds = regrets.shape
    t = np.unique(np.geomspace(first, rounds, 60).astype(int))
    positive = np.maximum(regrets[:, t - 1], 1e-9)  # a run without regret has no logarithm
    each = np.array([power_law_exponent(t.astype(float), run) for run in positive])
    mean, error, half = float(each.mean()), np.inf, np.inf
    if runs > 1:
        error = float(each.std(ddof=1) / np.sqrt(runs))
        half = float(stdtrit(runs - 1, 0.975)) * error
    return Exponent(mean, mean - half, mean + half, error)
