"""Estimators of what a policy would have earned, each as a mean plus a ratio of means.

With the importance weight w = pi(a | x) / p(a | x), the reward model q, and the target's expected
reward by it, q(pi) = sum_a pi(a | x) q(x, a), every estimator here is

    mean(a) + mean(b) / mean(c)

for three columns a, b and c of numbers per row, which gives all of them the same intervals.
"""

import dataclasses
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

import numpy as np

from jostle.core.grammar import parse
from jostle.core.validation import lookup, number, unknown
from jostle.evaluation.slope import slope
from jostle.evaluation.terms import Terms

GRID = 20
"""Values of a hyper-parameter that SLOPE chooses from."""


class Columns(NamedTuple):
    """a, b and c of an estimator; None stands for zeros in a, and for ones in c."""

    mean: np.ndarray | None
    top: np.ndarray | None
    bottom: np.ndarray | None = None

    @property
    def value(self) -> float:
        """mean(a) + mean(b) / mean(c)."""
        value = 0.0 if self.mean is None else float(self.mean.mean())
        if self.top is not None:
            value += float(self.top.mean()) * self._scale
        return value

    @property
    def _scale(self) -> float:
        """1 / mean(c); 0 where no row has any weight, so that the ratio counts as 0."""
        if self.bottom is None:
            return 1.0
        total = float(self.bottom.mean())
        return 1 / total if total > 0 else 0.0

    def influences(self) -> np.ndarray:
        """What each row contributes: their mean is the value, their spread its error.

        For a ratio R = mean(b) / mean(c) it is R + (b - R c) / mean(c), by the delta method.
        """
        if self.top is None:
            assert self.mean is not None
            return self.mean
        if self.bottom is None:
            return self.top if self.mean is None else self.mean + self.top
        ratio = float(self.top.mean()) * self._scale
        rows = ratio + (self.top - ratio * self.bottom) * self._scale
        return rows if self.mean is None else self.mean + rows


@dataclasses.dataclass(frozen=True)
class Estimator:
    """A named estimator with its settings."""

    name: str
    columns: Callable[[Terms], Columns]
    needs_model: bool = False
    needs_groups: bool = False
    weighs: bool = True
    """Whether importance weights enter, so that their size matters."""
    tuned: str = ""
    """The hyper-parameter that SLOPE chooses, if it was not given."""


def ips(terms: Terms) -> Columns:
    """Inverse propensity scoring: mean(w r). Unbiased if every arm of the target is supported."""
    return Columns(None, terms.weights * terms.rewards)


def snips(terms: Terms) -> Columns:
    """Self-normalised IPS: mean(w r) / mean(w) (Swaminathan and Joachims, 2015)."""
    return Columns(None, terms.weights * terms.rewards, terms.weights)


def replay(terms: Terms) -> Columns:
    """Rewards of the rows in which target and log agree (Li et al., 2011), for uniform logs.

    A target that chooses at random agrees with probability pi(a | x), which is its row's weight.
    """
    return Columns(None, terms.chosen * terms.rewards, terms.chosen)


def direct_method(terms: Terms) -> Columns:
    """Direct method: mean(q(pi)), whatever the rewards were."""
    return Columns(_baseline(terms), None)


def doubly_robust(terms: Terms) -> Columns:
    """Doubly robust: mean(q(pi) + w (r - q)) (Dudik, Langford and Li, 2011)."""
    return Columns(_baseline(terms), terms.weights * _residual(terms))


def self_normalised_dr(terms: Terms) -> Columns:
    """Self-normalised DR: mean(q(pi)) + mean(w (r - q)) / mean(w)."""
    return Columns(_baseline(terms), terms.weights * _residual(terms), terms.weights)


def mips(terms: Terms) -> Columns:
    """Marginalised IPS: weights of groups of arms in place of arms (Saito and Joachims, 2022)."""
    assert terms.group_weights is not None
    return Columns(None, terms.group_weights * terms.rewards)


def clipped_ips(terms: Terms, clip: float) -> Columns:
    """IPS with weights of at most ``clip``: mean(min(w, clip) r)."""
    return Columns(None, np.minimum(terms.weights, clip) * terms.rewards)


def switch_dr(terms: Terms, threshold: float) -> Columns:
    """SWITCH-DR: the reward model alone where w > threshold (Wang, Agarwal and Dudik, 2017)."""
    small = np.where(terms.weights <= threshold, terms.weights, 0.0)
    return Columns(_baseline(terms), small * _residual(terms))


def dr_with_shrinkage(terms: Terms, shrinkage: float) -> Columns:
    """DR with optimistic shrinkage: w becomes s w / (w^2 + s) (Su et al., 2020)."""
    w = terms.weights
    if np.isinf(shrinkage):
        return doubly_robust(terms)
    shrunk = shrinkage * w / (w * w + shrinkage) if shrinkage > 0 else np.zeros_like(w)
    return Columns(_baseline(terms), shrunk * _residual(terms))


PLAIN: dict[str, Estimator] = {
    "ips": Estimator("ips", ips),
    "snips": Estimator("snips", snips),
    "replay": Estimator("replay", replay, weighs=False),
    "dm": Estimator("dm", direct_method, needs_model=True, weighs=False),
    "dr": Estimator("dr", doubly_robust, needs_model=True),
    "sndr": Estimator("sndr", self_normalised_dr, needs_model=True),
    "mips": Estimator("mips", mips, needs_groups=True),
}
TUNED: dict[str, tuple[str, Callable[[Terms, float], Columns], bool]] = {
    "clipped": ("clip", clipped_ips, False),
    "switch-dr": ("threshold", switch_dr, True),
    "dros": ("shrinkage", dr_with_shrinkage, True),
}
"""Estimators with a hyper-parameter: its name, the estimator, whether it needs a reward model."""
NAMES = (*PLAIN, *TUNED)


def make_estimators(names: str | Sequence[str]) -> dict[str, Estimator]:
    """The estimators of these names, such as ``"ips"`` or ``"clipped:clip=10"``.

    Without a value, SLOPE chooses the hyper-parameter.
    """
    if not isinstance(names, Iterable):
        raise TypeError(f"estimators must be names, such as 'ips', not {names!r}")
    wanted = [names] if isinstance(names, str) else list(names)
    for name in wanted:
        if not isinstance(name, str):
            raise TypeError(f"estimators must be names, such as 'ips', not {name!r}")
    if not wanted:
        raise ValueError("estimators must hold at least one name, such as 'ips'")
    return {name: _made(name) for name in wanted}


def _made(text: str) -> Estimator:
    name, settings = parse(text)
    if name in PLAIN:
        if settings:
            raise ValueError(f"estimator {name!r} has no settings, but {text!r} gives one")
        return PLAIN[name]
    if name not in TUNED:
        raise ValueError(unknown("estimator", name, NAMES))
    setting, function, needs_model = lookup("estimator", name, TUNED)
    for key in settings:
        if key != setting:
            raise ValueError(unknown(f"setting of estimator {name!r}:", key, (setting,)))
    if setting in settings:
        number(setting, settings[setting])
        value = float(settings[setting])
        return Estimator(text, lambda terms: function(terms, value), needs_model)
    return Estimator(
        text, lambda terms: _by_slope(terms, function, name), needs_model, tuned=setting
    )


def _by_slope(terms: Terms, function: Callable[[Terms, float], Columns], name: str) -> Columns:
    """The columns at the value that SLOPE chooses, from no shrinkage at all to a lot."""
    positive = terms.weights[terms.weights > 0]
    if not len(positive):
        return function(terms, np.inf)
    low, high = float(np.quantile(positive, 0.5)), float(positive.max())
    # Where half of the weights are the largest, there are no large ones to cut.
    grid = np.geomspace(high, low, GRID) if low < high else np.array([high])
    if name == "dros":  # s w / (w^2 + s) is about w for s far above w^2
        grid = np.concatenate([[np.inf], 100 * grid[:-1] ** 2])
    return slope([lambda value=value: function(terms, value) for value in grid.tolist()])  # type: ignore[misc]


def _baseline(terms: Terms) -> np.ndarray:
    assert terms.baseline is not None
    return terms.baseline


def _residual(terms: Terms) -> np.ndarray:
    assert terms.predicted is not None
    return np.asarray(terms.rewards - terms.predicted)
