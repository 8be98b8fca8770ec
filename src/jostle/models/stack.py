"""Stacking: how far each of several forecasts is to be believed, by how it has come true.

Minimises over weights b in [0, 1]^k, on forecasts f_s made before reward r_s was learned,

    sum_s keep^(t-s) (r_s - m_s - b.f_s)^2  +  caution / t_eff  sum_i A_ii (b_i - start_i)^2

with A = sum_s keep^(t-s) f_s f_s' and t_eff = sum_s keep^(t-s). The first forecast is believed at
first (start = 1, 0, ..., 0), and each other as much as its past forecasts deserve. The prior is in
units of each forecast's own squares, so the unit of the rewards does not matter.
"""

from typing import Any, NamedTuple

import jax.numpy as jnp

KEEP = 0.999
"""What the moments keep of themselves with each observation: some 1,000 of them count."""
SWEEPS = 2
"""Sweeps of coordinate descent per observation, from where the last ones ended."""


class Stack(NamedTuple):
    """Moments of the forecasts, and the weights that follow from them."""

    weights: Any  # (k,)
    products: Any  # (k, k), A
    targets: Any  # (k,), sum_s keep^(t-s) f_s (r_s - m_s)
    count: Any  # t_eff

    @classmethod
    def empty(cls, forecasts: int) -> "Stack":
        """Believe the first forecast."""
        start = jnp.zeros(forecasts).at[0].set(1)
        zeros = jnp.zeros((forecasts, forecasts))
        return cls(start, zeros, jnp.zeros(forecasts), jnp.float32(0))

    def observe(self, forecasts: Any, target: Any, known: Any, caution: float) -> "Stack":
        """One more target and its (k,) forecasts, if they are ``known`` to be forecasts.

        ``caution`` is the number of observations that the prior is worth.
        """
        keep = jnp.where(known, KEEP, 1.0)
        products = keep * self.products + jnp.outer(forecasts, forecasts) * known
        targets = keep * self.targets + forecasts * target * known
        count = keep * self.count + known
        weights = solve(products, targets, caution / jnp.maximum(count, 1), self.weights)
        return Stack(weights, products, targets, count)


def solve(products: Any, targets: Any, prior: Any, weights: Any, sweeps: int = SWEEPS) -> Any:
    """The weights after some sweeps of coordinate descent within [0, 1], from ``weights``."""
    size = len(targets)
    values = [weights[i] for i in range(size)]
    for _ in range(sweeps):
        for i in range(size):
            others = sum(products[i, j] * values[j] for j in range(size) if j != i)
            own = products[i, i]
            start = 1.0 if i == 0 else 0.0
            best = (targets[i] - others + prior * own * start) / jnp.where(
                own > 0, own * (1 + prior), 1
            )
            values[i] = jnp.where(own > 0, jnp.clip(best, 0, 1), start)
    return jnp.stack(values)
