"""Online ridge regression: one observation at a time, in O(d^2), accurate for millions of them.

``Ridge`` holds the estimate theta = V^-1 sum_s r_s x_s and a square root S of V^-1 = S S', where
V = lambda I + sum_s x_s x_s'. The square root is kept instead of V^-1 because it is all that widths
and draws need (|S'x|, S z), because S S' stays positive definite under rounding, and because its
condition number is the square root of V's. Ever smaller changes are added by compensated
summation, so that float32 neither loses them nor drifts: after a million rounds the numbers still
agree with a fresh solve in float64.
"""

from typing import Any, NamedTuple

import jax
import jax.numpy as jnp

from jostle.core.arrays import Contexts, Scores
from jostle.core.summation import compensated_add

SMALLEST_REGULARISATION = 1e-6
"""The smallest lambda: with none there would be no estimate before d observations."""
RESIDUALS, FIXED, THEORY = "residuals", "fixed", "theory"
"""How a policy scales its exploration: by the deviation of its errors, by a given number, or by the
formula of its paper."""


class Parts(NamedTuple):
    """The numbers of a ridge regression that change with every observation."""

    theta: Any  # (d,) the estimate
    root: Any  # (d, d) S, with S S' = V^-1
    log_det: Any  # log det(V) - log det(lambda I)


class Ridge(NamedTuple):
    """The minimiser of sum_s (x_s . theta - r_s)^2 + lambda |theta|^2, and its uncertainty."""

    now: Parts
    lost: Any  # Parts: what rounding has cut off ``now``; None in a copy for decisions
    seen: Any  # int32: the number of observations

    @classmethod
    def empty(cls, features: int, regularisation: Any) -> "Ridge":
        """Nothing observed: theta = 0 and V = lambda I."""
        root = jnp.eye(features) / jnp.sqrt(regularisation)
        now = Parts(jnp.zeros(features), root, jnp.float32(0))
        return cls(now, jax.tree.map(jnp.zeros_like, now), jnp.int32(0))

    @classmethod
    def many(cls, count: int, features: int, regularisation: Any) -> "Ridge":
        """``count`` empty regressions, stacked; see ``row`` and ``with_row``."""
        one = cls.empty(features, regularisation)
        stack: Ridge = jax.tree.map(lambda part: jnp.broadcast_to(part, (count, *part.shape)), one)
        return stack

    def row(self, index: Any) -> "Ridge":
        """The regression at ``index`` of a stack."""
        one: Ridge = jax.tree.map(lambda part: part[index], self)
        return one

    def with_row(self, index: Any, one: "Ridge") -> "Ridge":
        """The stack with one regression replaced, in place where the compiler can."""
        stack: Ridge = jax.tree.map(lambda all, new: replaced(all, index, new), self, one)
        return stack

    def joined(self, more: "Ridge") -> "Ridge":
        """This stack followed by ``more``."""
        stack: Ridge = jax.tree.map(lambda *parts: jnp.concatenate(parts), self, more)
        return stack

    def observe(self, x: Any, reward: Any, weight: Any = None) -> "Ridge":
        """Learn from one observation, which counts for ``weight`` of them.

        One of weight w is one of sqrt(w) x with the reward sqrt(w) r.
        Potter's form of the rank-one update: with f = S'x and a = 1 + |f|^2,
        V^-1 x = S f / a, S <- S (I - f f' / (a + sqrt(a))) and det V grows by the factor a.
        """
        if weight is not None:
            x, reward = weighted(weight, x, reward)
        theta, root, _ = self.now
        f = x @ root
        squared = f @ f
        direction, a = self.gain(x)
        change = Parts(
            direction * ((reward - x @ theta) / a),
            jnp.outer(direction, f / -(a + jnp.sqrt(a))),
            jnp.log1p(squared),
        )
        pairs = [compensated_add(*parts) for parts in zip(self.now, self.lost, change, strict=True)]
        now, lost = (Parts(*parts) for parts in zip(*pairs, strict=True))
        return Ridge(now, lost, self.seen + 1)

    def gain(self, x: Any) -> tuple[Any, Any]:
        """V^-1 x before an observation of x, and the factor a by which it then shrinks."""
        f = x @ self.now.root
        return self.now.root @ f, 1 + f @ f

    @property
    def theta(self) -> Any:
        """The estimate."""
        return self.now.theta

    @property
    def root(self) -> Any:
        """S, with S S' = V^-1."""
        return self.now.root

    @property
    def log_det(self) -> Any:
        """log det(V) - log det(lambda I)."""
        return self.now.log_det

    @property
    def level(self) -> Any:
        """The estimate where nothing was observed."""
        return 0.0

    @property
    def unit(self) -> Any:
        """The unit of rewards: theirs."""
        return 1.0

    def estimates(self, contexts: Contexts) -> Scores:
        """x . theta of each context."""
        return contexts @ self.now.theta

    def widths(self, contexts: Contexts) -> Scores:
        """sqrt(x' V^-1 x) of each context: its standard deviation if the noise were N(0, 1)."""
        return lengths(contexts @ self.now.root)

    def deciding(self) -> "Ridge":
        """The part that decisions read."""
        return self._replace(lost=None)


def weighted(weight: Any, *parts: Any) -> tuple[Any, ...]:
    """The parts of an observation times sqrt(weight), so that its square error counts for so much.

    It works on NumPy and on JAX arrays.
    """
    return tuple(weight**0.5 * part for part in parts)


def replaced(rows: Any, index: Any, row: Any) -> Any:
    """The rows with one replaced."""
    return jax.lax.dynamic_update_index_in_dim(rows, row, index, 0)


def lengths(rows: Any) -> Any:
    """The Euclidean length of each row."""
    xp = rows.__array_namespace__()
    return xp.sqrt((rows * rows).sum(-1))
