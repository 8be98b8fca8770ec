"""Stacking: how far each of several forecasts is to be believed, by how it has come true.

Minimises over weights b in [0, 1]^k, on forecasts f_s made before reward r_s was learned,

    sum_s keep^(t-s) (r_s - m_s - b.f_s)^2  +  caution / t_eff  sum_i A_ii (b_i - start_i)^2

with A = sum_s keep^(t-s) f_s f_s' and t_eff = sum_s keep^(t-s). The first forecast is believed at
first (start = 1, 0, ..., 0), and each other as much as its past forecasts deserve. The prior is in
units of each forecast's own squares, so the unit of the rewards does not matter.

One of the forecasts may be doubted: it is left out until it is plain that forecasts are better with
it. Each observation that was forecast in both ways counts for the difference of the squared errors,
in units of their variance, but for one unit at most: no single reward, however large, is evidence.
"""

from typing import Any, NamedTuple

import jax.numpy as jnp

KEEP = 0.999
"""What the moments keep of themselves with each observation: some 1,000 of them count."""
SWEEPS = 2
"""Sweeps of coordinate descent per observation, from where the last ones ended."""
CHANCE, CERTAIN = 3.0, 8.0
"""Evidence that is put down to chance, and from which on a doubted forecast is fully believed."""


class Stack(NamedTuple):
    """Moments of the forecasts, and the weights that follow from them."""

    full: Any  # (k,), the minimum
    reduced: Any  # (k,), the minimum without the forecast that is doubted
    products: Any  # (k, k), A
    targets: Any  # (k,), sum_s keep^(t-s) f_s (r_s - m_s)
    count: Any  # t_eff
    errors: Any  # sum_s keep^(t-s) of the squared errors of ``weights``
    evidence: Any  # for the forecast that is doubted

    @classmethod
    def empty(cls, forecasts: int) -> "Stack":
        """Believe the first forecast."""
        start, zero = jnp.zeros(forecasts).at[0].set(1), jnp.float32(0)
        zeros = jnp.zeros((forecasts, forecasts))
        return cls(start, start, zeros, jnp.zeros(forecasts), zero, zero, zero)

    @property
    def belief(self) -> Any:
        """In the forecast that is doubted, from 0 to 1."""
        xp = self.full.__array_namespace__()
        return xp.clip((self.evidence - CHANCE) / (CERTAIN - CHANCE), 0, 1)

    @property
    def weights(self) -> Any:
        """b, the one that is doubted as far as it is believed."""
        return self.reduced + self.belief * (self.full - self.reduced)

    def observe(
        self,
        forecasts: Any,
        target: Any,
        known: Any,
        caution: float,
        doubted: int | None = None,
    ) -> "Stack":
        """One more target and its (k,) forecasts.

        Arguments:
            forecasts, target: what was forecast, and what came true.
            known: whether they are forecasts; nothing is learned from them otherwise.
            caution: the number of observations that the prior is worth.
            doubted: which forecast is doubted, if any.
        """
        keep = jnp.where(known, KEEP, 1.0)
        products = keep * self.products + jnp.outer(forecasts, forecasts) * known
        targets = keep * self.targets + forecasts * target * known
        count = keep * self.count + known
        prior = caution / jnp.maximum(count, 1)
        full = solve(products, targets, prior, self.full)
        reduced = full
        if doubted is not None:
            reduced = solve(products, targets, prior, self.reduced, without=doubted)
        by_full, by_reduced, by_both = (
            (target - forecasts @ weights) ** 2
            for weights in (self.full, self.reduced, self.weights)
        )
        variance = self.errors / jnp.maximum(self.count, 1)
        gain = (by_reduced - by_full) / jnp.where(variance > 0, variance, jnp.inf)
        return Stack(
            full,
            reduced,
            products,
            targets,
            count,
            keep * self.errors + by_both * known,
            keep * self.evidence + jnp.clip(gain, -1, 1) * known,
        )


def solve(
    products: Any,
    targets: Any,
    prior: Any,
    weights: Any,
    sweeps: int = SWEEPS,
    without: int | None = None,
) -> Any:
    """The weights after some sweeps of coordinate descent within [0, 1], from ``weights``.

    That of the forecast ``without`` stays as it is.
    """
    size = len(targets)
    values = [weights[i] for i in range(size)]
    for i in [i for _ in range(sweeps) for i in range(size) if i != without]:
        others = sum(products[i, j] * values[j] for j in range(size) if j != i)
        own = products[i, i]
        start = 1.0 if i == 0 else 0.0
        best = (targets[i] - others + prior * own * start) / jnp.where(
            own > 0, own * (1 + prior), 1
        )
        values[i] = jnp.where(own > 0, jnp.clip(best, 0, 1), start)
    return jnp.stack(values)
