"""The level and the unit of rewards: their running mean, and the deviation of what is left.

Both are learnt from the stream, so that a policy may explore in units of the noise instead of a
currency: rewards multiplied by a power of two give the same choices to the last bit.
"""

from typing import Any, NamedTuple

import jax.numpy as jnp

from jostle.core.summation import compensated_add

KEEP = 0.995
"""What the moving mean of squared errors keeps of itself: it spans some 200 observations."""


class Residuals(NamedTuple):
    """Running moments of rewards, and of the errors of forecasts made before learning.

    Rewards are measured from the first one, so that a large offset costs no precision. The mean of
    squared errors is a moving one, started at zero and divided by the weight it has gathered. While
    all rewards are equal, both moments are exactly zero.
    """

    first: Any  # the first reward
    mean: Any  # (2,): the mean of reward - first, and what rounding has cut off it
    square: Any  # moving mean of squared errors, not yet divided by ``weight``
    weight: Any  # 1 - KEEP^n after n errors
    seen: Any  # int32

    @classmethod
    def empty(cls) -> "Residuals":
        """Nothing observed."""
        zero = jnp.float32(0)
        return cls(zero, jnp.zeros(2), zero, zero, jnp.int32(0))

    def started(self, reward: Any) -> "Residuals":
        """The same, measured from ``reward`` if it is the first."""
        return self._replace(first=jnp.where(self.seen == 0, reward, self.first))

    def observe(self, reward: Any, error: Any) -> "Residuals":
        """After a reward, and the error of its forecast; the first reward had none to be judged."""
        seen = self.seen + 1
        change = (reward - self.first - self.mean[0]) / seen
        judged = jnp.where(self.seen > 0, 1 - KEEP, 0.0)
        return Residuals(
            self.first,
            jnp.stack(compensated_add(self.mean[0], self.mean[1], change)),
            self.square + judged * (error**2 - self.square),
            self.weight + judged * (1 - self.weight),
            seen,
        )

    @property
    def level(self) -> Any:
        """The mean reward."""
        return self.first + self.mean[0]

    @property
    def unit(self) -> Any:
        """The deviation of errors; 0 while all rewards are equal."""
        xp = self.square.__array_namespace__()
        return xp.sqrt(self.square / xp.where(self.weight > 0, self.weight, 1))
