"""``Early``: the first observations, kept until the unit of contexts that they decide is final."""

from typing import Any, NamedTuple

import jax.numpy as jnp

CORRECTIONS = (1, 4, 16, 64, 256)
"""Numbers of observations after which the unit of the contexts is corrected."""
FIRST = CORRECTIONS[-1]
"""Observations that are kept."""


class Early(NamedTuple):
    """The first observations, until the unit of contexts is final."""

    x: Any  # (FIRST, entries)
    block: Any  # (FIRST,) int32
    reward: Any  # (FIRST,)
    weight: Any  # (FIRST,)
    square: Any  # mean of their squared entries

    @classmethod
    def empty(cls, entries: int) -> "Early":
        """No observations."""
        zeros = jnp.zeros(FIRST)
        blocks = zeros.astype(jnp.int32)
        return cls(jnp.zeros((FIRST, entries)), blocks, zeros, jnp.ones(FIRST), jnp.float32(0))

    def observe(self, seen: Any, x: Any, block: Any, reward: Any, weight: Any = None) -> "Early":
        """Keep one more observation, if it is one of the first."""
        # Later ones overwrite the last, which nothing reads again.
        at = jnp.minimum(seen, FIRST - 1)
        square = jnp.where(
            seen < FIRST, self.square + ((x * x).mean() - self.square) / (seen + 1), self.square
        )
        return Early(
            self.x.at[at].set(x),
            self.block.at[at].set(block),
            self.reward.at[at].set(reward),
            self.weight if weight is None else self.weight.at[at].set(weight),
            square,
        )

    def correct_unit(self, seen: Any) -> Any:
        """Whether the unit is to be corrected, by observation ``seen`` and those before it."""
        return jnp.isin(seen + 1, jnp.array(CORRECTIONS))
