"""Intervals for finite samples, and confidence sequences that hold at all times, for adaptive logs.

Everything here rests on bets. Let w be the importance weight of a row, r its reward scaled to
[0, 1], and v the value of the target: E[w r | past] = v and E[w (1 - r) | past] = 1 - v, also when
the logging policy learned from the past. If the value is m, then

    wealth_t = prod_{i <= t} (1 + bet_i (x_i - m)),          bet_i fixed before row i is seen,

is a nonnegative martingale that starts at 1, so it ever exceeds 1 / alpha with probability at most
alpha (Ville). Those m at which it has not are a confidence sequence, valid at all times at once
(Waudby-Smith and Ramdas, 2024; for logged bandits Karampatziakis, Mineiro and Ramdas, 2021, and
Waudby-Smith et al., 2022). A lower bound uses two kinds of increments:

    x = w r              at least 0 however large the weight, so that bets up to 1 are safe;
    x = 1 - w (1 - r)    at least 1 - B if no weight exceeds B, so that bets are at most 1 / B.

The first is tight when rewards are rare, the second when they are common. Their wealths are mixed
evenly, and each over bets of all sizes. Upper bounds are lower bounds of 1 - v.

B must be known before the row, its context included: a bet that shrinks where the context allows
large weights would be small in just those rows. Where B is found in the log, it is that of the rows
before, and a row that may exceed it counts as x = 0, the least that a reward can be.
"""

import math
from typing import NamedTuple

import numpy as np

BETS = 0.9 * 2.0 ** -np.arange(0, 16)
"""Bets, as shares of the largest safe one."""
PRIOR = 1 / ((np.arange(len(BETS)) + 3) * np.log(np.arange(len(BETS)) + 3) ** 2)
PRIOR = PRIOR / PRIOR.sum()
"""How the initial wealth is divided among the bets."""
HALVINGS = 30
"""Steps of bisection; the bound is found to within 2^-30."""
KEPT = 4
"""Bets, of all kinds and sizes, that bisection follows: leaving wealth out only widens a bound."""
GROWTH = 1.5
"""By how much a bound on the weights grows at least, once a row may exceed it; the more, the fewer
rows are lost."""


class Increments(NamedTuple):
    """One kind of increments x for a lower bound of their mean."""

    x: np.ndarray
    scale: np.ndarray
    """(n,) or (1,): x - m is at least -scale, a bound that is known before the row."""


class Weighted(NamedTuple):
    """Importance weights, and how large they may be."""

    weights: np.ndarray
    bounds: np.ndarray | float | None
    """A bound that was known before the log began; or the largest weight that each row could have
    had, given its context (infinite where the target has arms that the log does not support); or
    None if neither is known."""


def increments(target: Weighted, rewards: np.ndarray) -> list[Increments]:
    """Both kinds, for rewards in [0, 1]; the second only if weights are known to be bounded."""
    weights, bounds = target
    kinds = [Increments(weights * rewards, np.ones(1))]
    if bounds is not None:
        kinds.append(_bounded(1 - weights * (1 - rewards), bounds))
    return kinds


def difference_increments(
    first: Weighted, second: Weighted, rewards: np.ndarray
) -> list[Increments]:
    """For a lower bound of (1 + v - v') / 2, where v and v' are the values of two targets.

    w r + w' (1 - r) is at least 0 and has the mean 1 + v - v'. If w' is bounded, so has
    1 + (w - w') r, at least 1 - B'; and if w is bounded, 1 - (w - w') (1 - r), at least 1 - B.
    """
    (w, bound), (other, other_bound) = first, second
    kinds = [Increments((w * rewards + other * (1 - rewards)) / 2, np.ones(1))]
    gap = w - other
    for x, limit in ((1 + gap * rewards, other_bound), (1 - gap * (1 - rewards), bound)):
        if limit is not None:
            x, scale = _bounded(x, limit)
            kinds.append(Increments(x / 2, (1 + scale) / 2))
    return kinds


def _bounded(x: np.ndarray, bounds: np.ndarray | float) -> Increments:
    """Increments of at least 1 - B; 0 in rows that may exceed the B of the rows before them."""
    if isinstance(bounds, float | int):
        return Increments(x, np.full(1, float(bounds)))
    usable = np.isfinite(bounds)
    limits = np.where(usable, bounds, 0.0)
    scale = np.empty(len(x))
    known, start = 1.0, 0
    while start < len(x):
        exceeds = limits[start:] > known * (1 + 1e-6)
        row = start + int(np.argmax(exceeds))
        if not exceeds[row - start]:
            scale[start:] = known
            break
        scale[start : row + 1] = known
        usable[row] = False
        known, start = max(float(limits[row]), GROWTH * known if start else 1.0), row + 1
    return Increments(np.where(usable, x, 0.0), scale)


def betting_bound(kinds: list[Increments], alpha: float) -> float:
    """The lower bound of the mean, in [0, 1], after all rows.

    Found by bisection, following only the bets that win most: at a guess first, and then at the
    bound that they gave.
    """
    mean, error = float(np.mean(kinds[0].x)), float(np.std(kinds[0].x))
    guess = min(max(mean - 3 * error / math.sqrt(len(kinds[0].x)), 0.0), 1.0)
    first = _bisected(kinds, _promising(kinds, guess), alpha)
    return max(first, _bisected(kinds, _promising(kinds, first), alpha))


def _bisected(kinds: list[Increments], bets: list[tuple[int, int]], alpha: float) -> float:
    threshold = math.log(1 / alpha)
    low, high = 0.0, 1.0
    if _log_mixture(kinds, bets, low) < threshold:
        return low
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        # Wealth falls with m: every increment does.
        if _log_mixture(kinds, bets, middle) >= threshold:
            low = middle
        else:
            high = middle
    return low


def log_wealth(kinds: list[Increments], mean: float) -> np.ndarray:
    """(n,) the logarithm of the mixed wealth after each row, if the mean is ``mean``."""
    total = None
    for kind in kinds:
        for bet, prior in zip(BETS, PRIOR, strict=True):
            path = np.cumsum(np.log1p(bet / kind.scale * (kind.x - mean)))
            path += math.log(prior / len(kinds))
            total = path if total is None else np.logaddexp(total, path)
    assert total is not None
    return total


def running_bound(kinds: list[Increments], alpha: float, at: np.ndarray) -> np.ndarray:
    """Lower bounds, after ``at`` rows each, of the running mean of E[x_i | past].

    For means that change, as those of a target that learns. By Fan's inequality, for y >= -1 and a
    bet l in [0, 1), 1 + l y >= exp(l y - psi(l) y^2) with psi(l) = -log(1 - l) - l, so that

        sum_k prior_k exp(l_k (sum x - t m_t) / B - psi(l_k) sum (x_i - c_i)^2 / B^2)

    is below a nonnegative supermartingale, where m_t is the running mean and c_i <= 1 a forecast
    from the rows before i (Waudby-Smith et al., 2022, whose empirical Bernstein bound it is, with
    a mixture over bets). Each kind has its share of alpha, and the best bound is taken of those
    whose scale B is the same in all rows but the first, in which nothing is known yet and x is 0.
    """
    each = alpha / len(kinds)
    usable = [kind for kind in kinds if np.all(kind.scale[1:] == kind.scale[-1])]
    return np.asarray(np.max([_running_bound(kind, each, at) for kind in usable], axis=0))


def _running_bound(kind: Increments, alpha: float, at: np.ndarray) -> np.ndarray:
    scale = float(kind.scale[-1])
    squares = np.cumsum((kind.x - _forecasts(kind.x)) ** 2)[at - 1] / scale**2
    sums = np.cumsum(kind.x)[at - 1]
    penalty = -np.log1p(-BETS) - BETS
    threshold = math.log(1 / alpha)
    low, high = np.zeros(len(at)), np.ones(len(at))
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        gains = (sums - at * middle)[:, None] / scale * BETS
        logs = np.log(PRIOR) + gains - squares[:, None] * penalty
        above = np.logaddexp.reduce(logs, axis=1) >= threshold
        low, high = np.where(above, middle, low), np.where(above, high, middle)
    return low


def bernstein_bound(kinds: list[Increments], alpha: float) -> float:
    """The lower bound of the mean for a fixed number of rows: empirical Bernstein.

    Waudby-Smith and Ramdas (2024), Theorem 2, with predictable bets tuned to the number of rows:

        (sum l_i x_i - sum psi(l_i B_i) (x_i - c_i)^2 / B_i^2 - log(1 / alpha)) / sum l_i.

    With two kinds of increments, each has half of alpha, and the better bound is taken.
    """
    return max(_bernstein(kind, alpha / len(kinds)) for kind in kinds)


def _bernstein(kind: Increments, alpha: float) -> float:
    n, threshold = len(kind.x), math.log(1 / alpha)
    x = kind.x / kind.scale
    centres = _forecasts(kind.x) / kind.scale
    deviations = (x - centres) ** 2
    past = (0.25 + np.concatenate([[0.0], np.cumsum(deviations)[:-1]])) / np.arange(1, n + 1)
    bets = np.minimum(np.sqrt(2 * threshold / (past * n)), 0.75)
    penalty = -np.log1p(-bets) - bets
    gain = float(np.sum(bets * x) - np.sum(penalty * deviations) - threshold)
    return min(max(gain / float(np.sum(bets / kind.scale)), 0.0), 1.0)


def _forecasts(x: np.ndarray) -> np.ndarray:
    """The mean of the rows before each, between 0 and 1; a half before the first."""
    before = np.concatenate([[0.0], np.cumsum(x)[:-1]])
    return np.clip((0.5 + before) / np.arange(1, len(x) + 1), 0.0, 1.0)


def _promising(kinds: list[Increments], mean: float) -> list[tuple[int, int]]:
    """The bets, as kind and size, that won most against ``mean``."""
    every = [(place, number) for place in range(len(kinds)) for number in range(len(BETS))]
    every.sort(key=lambda bet: _log_mixture(kinds, [bet], mean), reverse=True)
    return every[:KEPT]


def _log_mixture(kinds: list[Increments], bets: list[tuple[int, int]], mean: float) -> float:
    logs = []
    for place, number in bets:
        kind = kinds[place]
        gains = np.log1p(BETS[number] / kind.scale * (kind.x - mean))
        logs.append(float(gains.sum()) + math.log(PRIOR[number] / len(kinds)))
    return float(np.logaddexp.reduce(logs))
