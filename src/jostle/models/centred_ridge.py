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
from jostle.models.ridge import Ridge


class CentredRidge(NamedTuple):
    """A ridge regression of rewards less their mean, in the same terms as ``Ridge``."""

    ridge: Ridge  # of the rewards less the first one
    constant: Any  # (2, d): w_1, and what rounding has cut off it
    residuals: Residuals

    @classmethod
    def empty(cls, features: int, regularisation: Any) -> "CentredRidge":
        """Nothing observed."""
        ridge = Ridge.empty(features, regularisation)
        return cls(ridge, jnp.zeros((2, features)), Residuals.empty())

    def observe(self, x: Any, reward: Any) -> "CentredRidge":
        """Learn from one observation; its error is that of the estimate before."""
        residuals = self.residuals.started(reward)
        measured = reward - residuals.first
        error = measured - residuals.mean[0] - x @ self.theta
        direction, a = self.ridge.gain(x)
        change = direction * ((1 - x @ self.constant[0]) / a)
        constant = jnp.stack(compensated_add(self.constant[0], self.constant[1], change))
        ridge = self.ridge.observe(x, measured)
        return CentredRidge(ridge, constant, residuals.observe(reward, error))

    @property
    def theta(self) -> Any:
        """w_r - m w_1."""
        return self.ridge.theta - self.residuals.mean[0] * self.constant[0]

    @property
    def root(self) -> Any:
        """S, with S S' = V^-1."""
        return self.ridge.root

    @property
    def seen(self) -> Any:
        """The number of observations."""
        return self.ridge.seen

    @property
    def log_det(self) -> Any:
        """log det(V) - log det(lambda I)."""
        return self.ridge.log_det

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
        return self.ridge.widths(contexts)

    def deciding(self) -> "CentredRidge":
        """The part that decisions read."""
        return self._replace(ridge=self.ridge.deciding())
