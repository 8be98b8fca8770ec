"""Ridge regression around the running mean of rewards, with the deviation of its errors.

Let w_r = V^-1 sum_s r_s x_s be the response of ridge regression to the rewards and
w_1 = V^-1 sum_s x_s its response to a constant reward of 1. Both have the same gain, so any level m
can be taken out at any time: theta = w_r - m w_1 is the regression of r_s - m on x_s, and a context
is estimated to bring m + x . theta. Where nothing was observed that is the mean reward, not 0.
"""

from typing import Any, NamedTuple

import jax.numpy as jnp

from jostle.core.arrays import Contexts, Scores
from jostle.core.summation import compensated_add
from jostle.models.residuals import Residuals
from jostle.models.ridge import Ridge, replaced, weighted


class Pair(NamedTuple):
    """The responses w_r and w_1 of one ridge regression."""

    ridge: Ridge
    constant: Any  # (2, d): w_1, and what rounding has cut off it

    @classmethod
    def empty(cls, features: int, regularisation: Any) -> "Pair":
        """Nothing observed."""
        return cls(Ridge.empty(features, regularisation), jnp.zeros((2, features)))

    @classmethod
    def many(cls, count: int, features: int, regularisation: Any) -> "Pair":
        """``count`` empty ones, stacked."""
        ridges = Ridge.many(count, features, regularisation)
        return cls(ridges, jnp.zeros((count, 2, features)))

    def row(self, index: Any) -> "Pair":
        """The pair at ``index`` of a stack."""
        return Pair(self.ridge.row(index), self.constant[index])

    def with_row(self, index: Any, one: "Pair") -> "Pair":
        """The stack with one pair replaced."""
        constant = replaced(self.constant, index, one.constant)
        return Pair(self.ridge.with_row(index, one.ridge), constant)

    def observe(self, x: Any, reward: Any, one: Any = 1.0) -> "Pair":
        """Learn from one observation.

        n observations of the same x with this mean reward are one of sqrt(n) times x, its reward
        and ``one``.
        """
        direction, a = self.ridge.gain(x)
        change = direction * ((one - x @ self.constant[0]) / a)
        constant = jnp.stack(compensated_add(self.constant[0], self.constant[1], change))
        return Pair(self.ridge.observe(x, reward), constant)

    def around(self, level: Any) -> Any:
        """theta = w_r - m w_1 for the level m (of each, if this is a stack)."""
        return self.ridge.theta - level * self.constant[..., 0, :]

    def deciding(self) -> "Pair":
        """The part that decisions read."""
        return self._replace(ridge=self.ridge.deciding())


class CentredRidge(NamedTuple):
    """A ridge regression of rewards less their mean, in the same terms as ``Ridge``."""

    pair: Pair  # for the rewards less the first one
    residuals: Residuals

    @classmethod
    def empty(cls, features: int, regularisation: Any) -> "CentredRidge":
        """Nothing observed."""
        return cls(Pair.empty(features, regularisation), Residuals.empty())

    def observe(self, x: Any, reward: Any, weight: Any = None) -> "CentredRidge":
        """Learn from one observation, which counts for ``weight`` of them in the regression.

        Its error is that of the estimate before.
        """
        residuals = self.residuals.started(reward)
        measured = reward - residuals.first
        error = measured - residuals.mean[0] - x @ self.theta
        parts = (x, measured) if weight is None else weighted(weight, x, measured, 1.0)
        return CentredRidge(self.pair.observe(*parts), residuals.observe(reward, error))

    @property
    def theta(self) -> Any:
        """w_r - m w_1."""
        return self.pair.around(self.residuals.mean[0])

    @property
    def root(self) -> Any:
        """S, with S S' = V^-1."""
        return self.pair.ridge.root

    @property
    def seen(self) -> Any:
        """The number of observations."""
        return self.pair.ridge.seen

    @property
    def log_det(self) -> Any:
        """log det(V) - log det(lambda I)."""
        return self.pair.ridge.log_det

    @property
    def level(self) -> Any:
        """m, the mean reward."""
        return self.residuals.level

    @property
    def unit(self) -> Any:
        """The deviation of prequential errors."""
        return self.residuals.unit

    def estimates(self, contexts: Contexts) -> Scores:
        """m + x . theta of each context."""
        return self.level + contexts @ self.theta

    def widths(self, contexts: Contexts) -> Scores:
        """sqrt(x' V^-1 x) of each context."""
        return self.pair.ridge.widths(contexts)

    def deciding(self) -> "CentredRidge":
        """The part that decisions read."""
        return self._replace(pair=self.pair.deciding())
