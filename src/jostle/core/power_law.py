"""Fits of the power law y = c x^a, and how regret grows with the rounds."""

import numpy as np

POINTS = 60
"""The number of rounds, evenly spaced in their logarithm, that a fit of regret uses."""
LEAST_REGRET = 1e-9
"""Stands for a regret of 0, which has no logarithm."""


def power_law_exponent(x: np.ndarray, y: np.ndarray) -> float:
    """Return the exponent a of the least-squares fit log y = a log x + log c."""
    return float(np.polyfit(np.log(x), np.log(y), 1)[0])


def regret_exponents(
    rounds: np.ndarray, regrets: np.ndarray, *, swept: int = 0, after: float
) -> np.ndarray:
    """Return, for each run, the exponent a of the round in regret = c t^a.

    The first ``swept`` rounds, in which every arm is pulled once, are taken out: rounds and regret
    count from their end. As an offset they would make any curve look flat.

    Arguments:
        rounds: increasing, those at which the regret is known; between them it is interpolated.
        regrets: (runs, len(rounds)), cumulative.
        swept: the length of the sweep; 0 if there is none.
        after: the share of the rounds since the sweep, the first ones, that the fit leaves out.
    """
    last = int(rounds[-1]) - swept
    if last < 2:
        raise ValueError(f"swept must be at most {int(rounds[-1]) - 2} here, not {swept}")
    t = np.unique(np.geomspace(max(2, int(after * last)), last, POINTS).astype(int))
    found = []
    for run in regrets:
        before = float(np.interp(swept, rounds, run)) if swept else 0.0
        since = np.interp(t + swept, rounds, run) - before
        found.append(power_law_exponent(t.astype(float), np.maximum(since, LEAST_REGRET)))
    return np.array(found)
