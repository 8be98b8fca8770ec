"""The exponent of regret over several runs, with its interval."""

from typing import NamedTuple

import numpy as np

from jostle.core.power_law import regret_exponents
from jostle.theory.array_types import Regrets


class Exponent(NamedTuple):
    """The mean over runs of the exponent fitted to each run, and its 95% interval."""

    mean: float
    low: float
    high: float
    standard_error: float
    """Of the mean; infinite for one run."""


def regret_exponent(regrets: Regrets, *, swept: int = 0, after: float) -> Exponent:
    """Fit regret = c t^a to each run; for ``swept`` and ``after`` see ``regret_exponents``.

    The interval is Student's t over the runs, which are independent. The rounds of one run are not,
    so the residuals of a fit say nothing about the exponent's error.
    """
    from scipy.special import stdtrit

    runs, rounds = regrets.shape
    each = regret_exponents(np.arange(1, rounds + 1), regrets, swept=swept, after=after)
    mean, error, half = float(each.mean()), np.inf, np.inf
    if runs > 1:
        error = float(each.std(ddof=1) / np.sqrt(runs))
        half = float(stdtrit(runs - 1, 0.975)) * error
    return Exponent(mean, mean - half, mean + half, error)
