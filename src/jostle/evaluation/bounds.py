"""Intervals by name: for the value of a target, for a difference, and over time.

``normal`` and ``bootstrap`` are about an estimator and hold for many rows. The others are about the
target's value itself, computed from importance weights, and hold for any number of rows and for
logs whose policy was learning; they are the same whichever estimator they are shown with:
``bernstein`` for a number of rows fixed beforehand, ``sequence`` at all times at once, and
``running`` likewise for the mean over the rows so far, which may change. A target that learns has
such a changing value, and gets ``running`` in place of the other two.
"""

from typing import NamedTuple

import numpy as np

from jostle.core.validation import number, numeric, unknown, whole
from jostle.evaluation import intervals, sequences
from jostle.evaluation.estimators import Columns
from jostle.evaluation.terms import Terms

INTERVALS = ("normal", "bootstrap", "bernstein", "sequence", "running")
GUARANTEED = ("bernstein", "sequence", "running")
"""Intervals that hold for any number of rows, about the target's value itself."""

Bounds = tuple[float, float]


class Settings(NamedTuple):
    """How intervals are computed."""

    interval: str | None
    level: float
    rewards: tuple[float, float]
    """The range of possible rewards."""
    largest_weight: float | None
    """A bound on the weights that is known beforehand."""
    seed: int

    @property
    def alpha(self) -> float:
        """The probability with which one end of the interval may be wrong."""
        return (1 - self.level) / 2


def make_settings(
    terms: Terms,
    interval: str | None,
    level: float,
    reward_range: tuple[float, float] | None,
    largest_weight: float | None,
    seed: int,
) -> Settings:
    """The settings, checked; the range of rewards is by default that of the log."""
    if interval is not None and interval not in INTERVALS:
        raise ValueError(unknown("interval", interval, INTERVALS))
    check_level(level)
    whole("seed", seed, least=0)
    if largest_weight is not None:
        number("largest_weight", largest_weight, least=1.0)
        if terms.weights.max() > largest_weight * (1 + 1e-9):
            raise ValueError(
                f"largest_weight is {largest_weight:g}, but the log has a weight of "
                f"{terms.weights.max():g}"
            )
    return Settings(interval, level, _range(terms.rewards, reward_range), largest_weight, seed)


def check_level(level: float) -> None:
    """Raise an error unless it is a probability that an interval can have."""
    number("level", level)
    if not (level > 0 and (1 + level) / 2 < 1):
        raise ValueError(f"level must be between 0 and 1, such as 0.95, not {level}")


def guessed_range(terms: Terms, reward_range: tuple[float, float] | None) -> bool:
    """Whether the range of rewards had to be taken from the log; 0 and 1 need no guess."""
    return reward_range is None and not np.all((terms.rewards == 0) | (terms.rewards == 1))


def value_bounds(columns: Columns, terms: Terms, settings: Settings) -> Bounds:
    """The interval of an estimate."""
    kind = settings.interval
    if kind is None:
        return -np.inf, np.inf
    if kind == "normal":
        return intervals.normal(columns.influences(), settings.level)
    if kind == "bootstrap":
        return intervals.bootstrap(columns, None, settings.level, settings.seed)
    rewards = scaled(terms.rewards, settings)
    low = _lower(kind, terms, rewards, settings)
    high = 1 - _lower(kind, terms, 1 - rewards, settings)
    least, most = settings.rewards
    return least + (most - least) * low, least + (most - least) * high


def difference_bounds(
    first: Columns, second: Columns, terms: tuple[Terms, Terms], settings: Settings
) -> Bounds:
    """The interval of the difference between two targets on the same rows."""
    kind = settings.interval
    if kind is None:
        return -np.inf, np.inf
    if kind == "normal":
        return intervals.normal(first.influences() - second.influences(), settings.level)
    if kind == "bootstrap":
        return intervals.bootstrap(first, second, settings.level, settings.seed)
    mine, other = terms
    rewards = scaled(mine.rewards, settings)
    learns = mine.learns or other.learns
    one, two = _weighted(mine, settings), _weighted(other, settings)
    below, above = (
        2 * _bound(kind, sequences.difference_increments(*pair, rewards), learns, settings) - 1
        for pair in ((one, two), (two, one))
    )
    width = settings.rewards[1] - settings.rewards[0]
    return width * below, -width * above


def over_time(
    terms: Terms, settings: Settings, at: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """IPS after ``at`` rows each, and the confidence sequence: value, low, high.

    It is the sequence for running means, which is cheap at many times; each bound is about the mean
    over the rows so far.
    """
    rewards = scaled(terms.rewards, settings)
    least, most = settings.rewards
    value = np.cumsum(terms.weights * terms.rewards)[at - 1] / at
    weighted = _weighted(terms, settings)
    low, above = (
        sequences.running_bound(sequences.increments(weighted, each), settings.alpha, at)
        for each in (rewards, 1 - rewards)
    )
    high = 1 - above
    return value, least + (most - least) * low, least + (most - least) * high


def scaled(rewards: np.ndarray, settings: Settings) -> np.ndarray:
    """Rewards as numbers from 0 to 1."""
    least, most = settings.rewards
    return (rewards - least) / (most - least)


def _lower(kind: str, terms: Terms, rewards: np.ndarray, settings: Settings) -> float:
    """A lower bound of the value for rewards in [0, 1]."""
    kinds = sequences.increments(_weighted(terms, settings), rewards)
    return _bound(kind, kinds, terms.learns, settings)


def _bound(kind: str, kinds: list[sequences.Increments], learns: bool, settings: Settings) -> float:
    if learns or kind == "running":
        end = np.array([len(kinds[0].x)])
        return float(sequences.running_bound(kinds, settings.alpha, end)[0])
    if kind == "bernstein":
        return sequences.bernstein_bound(kinds, settings.alpha)
    return sequences.betting_bound(kinds, settings.alpha)


def _weighted(terms: Terms, settings: Settings) -> sequences.Weighted:
    """The weights, and the largest that each row's could have been, if known before its action.

    It is infinite where the target has arms that the log does not support: 1 - w (1 - r) is then
    too large on average, while w r errs on the safe side.
    """
    limits: np.ndarray | float | None = terms.bounds
    if settings.largest_weight is not None:
        limits = float(settings.largest_weight)
    if terms.unsupported is not None and limits is not None:
        missing = terms.unsupported > 1e-9
        if missing.any():
            limits = np.where(missing, np.inf, limits)
    return sequences.Weighted(terms.weights, limits)


def _range(rewards: np.ndarray, given: tuple[float, float] | None) -> tuple[float, float]:
    least, most = float(rewards.min()), float(rewards.max())
    if given is None:
        if np.all((rewards == 0) | (rewards == 1)):
            return 0.0, 1.0
        return (least, most) if most > least else (least - 0.5, least + 0.5)
    ends = numeric("reward_range", given)
    low, high = ends.tolist() if ends.shape == (2,) else (1.0, 0.0)
    if not -np.inf < low < high < np.inf:
        raise ValueError(f"reward_range must be (low, high) with low < high, not {given!r}")
    if least < low or most > high:
        raise ValueError(
            f"reward_range is ({low:g}, {high:g}), but the log has rewards from {least:g} to "
            f"{most:g}"
        )
    return low, high
