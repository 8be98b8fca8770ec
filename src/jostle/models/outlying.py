"""``Outlying``: which contexts lie far from those learned before.

The distance of a context x is its mean squared deviation in units of each entry's variance, the
Mahalanobis distance with a diagonal covariance:

    distance(x) = mean_i (x_i - m_i)^2 / v_i

with m and v the mean and variance of the entries of contexts learned, x counted among them: so an
entry that never varied before counts for as much as the number of observations, and not for
infinitely much. Distances do not depend on the unit of any entry.

A context is outlying if its distance is beyond that of nine in ten contexts learned. The quantile
is found by stochastic approximation (Robbins and Monro, 1951), in constant memory.
"""

from typing import Any, NamedTuple

import jax.numpy as jnp

SHARE = 0.1
"""The share of contexts that are outlying."""
LONGEST = 10_000
"""Observations that the moments remember, so that they follow contexts that change."""
SLOWEST = 0.03
"""How far the quantile moves with an observation, at the least, as a share of itself."""
SMALLEST = 0.1
"""The smallest quantile: distances average to about 1, unless contexts hardly vary."""
LARGEST, TINY = 1e18, 1.2e-38
"""A deviation whose square is still finite in float32, and what keeps 0 / 0 from being NaN."""


class Outlying(NamedTuple):
    """Moments of the entries of contexts, and a quantile of their distances."""

    seen: Any
    mean: Any  # (entries,)
    variance: Any  # (entries,)
    quantile: Any

    @classmethod
    def empty(cls, entries: int) -> "Outlying":
        """Nothing observed."""
        zeros = jnp.zeros(entries)
        return cls(jnp.int32(0), zeros, zeros, jnp.float32(1))

    def distances(self, x: Any) -> Any:
        """Of (..., entries) contexts."""
        share, squared = self._share, self._deviation(x) ** 2
        ratios = squared / (self.variance + TINY + share * squared)
        return (1 - share) * ratios.mean(-1)

    def among(self, x: Any, present: Any = None) -> Any:
        """Whether the (..., k, entries) contexts of a decision are outlying, on average.

        ``present`` are the arms that count, all of them by default.
        """
        distances = self.distances(x)
        if present is None:
            return distances.mean(-1) > self.quantile
        xp = distances.__array_namespace__()
        total = xp.where(present, distances, 0).sum(-1)
        return total > self.quantile * present.sum(-1)

    def observe(self, x: Any) -> "Outlying":
        """One more context."""
        share, deviation = self._share, self._deviation(x)
        pace = jnp.maximum(3 / (self.seen + 1.0) ** 0.75, SLOWEST)
        beyond = (self.distances(x) > self.quantile) - SHARE
        return Outlying(
            self.seen + 1,
            self.mean + share * deviation,
            (1 - share) * (self.variance + share * deviation**2),
            jnp.maximum(self.quantile * jnp.exp(pace * beyond), SMALLEST),
        )

    def _deviation(self, x: Any) -> Any:
        xp = self.mean.__array_namespace__()
        return xp.clip(x - self.mean, -LARGEST, LARGEST)

    @property
    def _share(self) -> Any:
        """Of the next context in the moments; of their type, so that NumPy stays in float32."""
        xp = self.mean.__array_namespace__()
        return 1 / (xp.minimum(self.seen, LONGEST) + 1).astype(self.mean.dtype)
