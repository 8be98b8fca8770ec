"""Scales of the rewards that policies find out for themselves: what exploration is measured in.

    mean       running mean of the rewards, m
    spread     their standard deviation
    noise      standard deviation of prequential errors (reward minus the forecast made before it
               was learned), of late
    dimension  of the contexts chosen of late: the mean of n h, with h the leverage of an
               observation and n the number of observations of its block
    prior      how far rewards of contexts that were never observed may lie from their mean: the
               deviation of rewards weighted by leverage, less what no forecast explains

An observation with little leverage repeats what is known; weighted by leverage, a region of
contexts counts by the logarithm of its visits, so that the prior neither shrinks when the policy
settles on one arm nor depends on the first few rewards.

The leverage of one of n observations in d directions is d / n on average, so n h averages to d. If
a policy settles on an arm whose context never changes, n h falls to 1, whatever the number of arms:
contexts no longer explore by themselves, and perturbations have to.

All but the dimension are multiplied by c if all rewards are, exactly so if c is a power of two.
"""

from typing import Any, NamedTuple

import jax.numpy as jnp

RECENT = 0.995
"""What the moving average of squared errors keeps of itself."""
TRUSTED = 100
"""Observations after which half of what no forecast explained counts as noise for the prior."""


class Scales(NamedTuple):
    """Moments of the rewards and of the errors of their forecasts."""

    seen: Any
    weight: Any  # of the rewards that are not forgotten
    mean: Any
    variance: Any
    error: Any  # moving average of squared errors, and the sum of its weights
    error_weight: Any
    leverage: Any  # sum of leverages, and leverage-weighted mean, variance and squared error
    weighted_mean: Any
    weighted_variance: Any
    weighted_error: Any
    directions: Any  # moving average of leverage times the number of observations

    @classmethod
    def empty(cls) -> "Scales":
        """Nothing observed."""
        zeros = (jnp.float32(0) for _ in cls._fields[1:])
        return cls(jnp.int32(0), *zeros)

    def observe(
        self, reward: Any, error: Any, leverage: Any, count: Any, keep: Any = 1.0
    ) -> "Scales":
        """One more reward, the error of its forecast and its leverage.

        The first reward is nobody's error, since nothing could be forecast. The moments keep the
        part ``keep`` of what they were, as observations are forgotten. ``count`` is the number of
        observations of its block, this one included.
        """
        known = self.seen > 0
        seen = self.seen + 1
        squared = jnp.where(known, error, 0.0) ** 2
        weight = keep * self.weight + 1
        step = 1 / weight
        mean = _towards(self.mean, reward, step)
        variance = _towards(self.variance, (reward - self.mean) * (reward - mean), step)
        total = keep * self.leverage + leverage
        share = leverage / jnp.maximum(total, 1e-9)
        weighted_mean = _towards(self.weighted_mean, reward, share)
        deviation = (reward - self.weighted_mean) * (reward - weighted_mean)
        return Scales(
            seen,
            weight,
            mean,
            variance,
            RECENT * self.error + (1 - RECENT) * squared,
            RECENT * self.error_weight + (1 - RECENT) * known,
            total,
            weighted_mean,
            _towards(self.weighted_variance, deviation, share),
            _towards(self.weighted_error, squared, share),
            RECENT * self.directions + (1 - RECENT) * leverage * count * known,
        )

    @property
    def spread(self) -> Any:
        """The standard deviation of the rewards."""
        return self.variance**0.5

    @property
    def noise(self) -> Any:
        """The standard deviation of prequential errors."""
        xp = self.error.__array_namespace__()
        return (self.error / xp.maximum(self.error_weight, 1e-9)) ** 0.5

    @property
    def dimension(self) -> Any:
        """How many directions the contexts chosen of late vary in; at least 1."""
        xp = self.error.__array_namespace__()
        return xp.maximum(self.directions / xp.maximum(self.error_weight, 1e-9), 1.0)

    @property
    def prior(self) -> Any:
        """How far unknown rewards may lie from the mean; 0 until two rewards differ."""
        xp = self.error.__array_namespace__()
        total = self.weighted_variance
        explained = xp.maximum(total - self.weighted_error, 0)
        doubt = TRUSTED / (TRUSTED + self.seen)
        return xp.minimum(explained + total * doubt, total) ** 0.5


def _towards(average: Any, value: Any, share: Any) -> Any:
    return average + share * (value - average)
