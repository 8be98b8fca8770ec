"""Rewards that are under way in a simulation: kept until the round in which they arrive."""

from collections.abc import Callable
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp

from jostle.types import Feedback

NEVER = -1
"""The round of arrival of what has arrived, or never will."""


class Underway(NamedTuple):
    """The feedback of the latest rounds, that of round s in slot s modulo their number.

    There is one slot more than the longest delay, so a slot is free when its turn comes again.
    """

    feedback: Any  # Feedback of arrays with one row per slot
    arrival: jax.Array  # (slots,) int32: the round at whose end it arrives

    @classmethod
    def none(cls, like: Feedback, longest: int) -> "Underway":
        """Nothing yet, with room for feedback of these shapes."""
        rows = jax.tree.map(lambda x: jnp.zeros((longest + 1, *x.shape), x.dtype), like)
        return cls(rows, jnp.full(longest + 1, NEVER, jnp.int32))

    def post(self, t: jax.Array, feedback: Feedback, delay: jax.Array) -> "Underway":
        """Add what round ``t`` brought."""
        slots = self.arrival.shape[0]
        rows = jax.tree.map(lambda all, now: all.at[t % slots].set(now), self.feedback, feedback)
        arrival = jnp.where(delay < slots, t + delay, NEVER)
        return Underway(rows, self.arrival.at[t % slots].set(arrival))

    def deliver(
        self, t: jax.Array, state: Any, learn: Callable[[Any, jax.Array, Feedback], Any]
    ) -> tuple[Any, "Underway"]:
        """Learn what arrives in round ``t``, the oldest first, by ``learn(state, s, feedback)``."""
        slots = self.arrival.shape[0]
        age = (t - jnp.arange(slots)) % slots

        def arriving(carry: tuple[Any, jax.Array]) -> jax.Array:
            return (carry[1] == t).any()

        def one(carry: tuple[Any, jax.Array]) -> tuple[Any, jax.Array]:
            state, arrival = carry
            slot = jnp.argmax(jnp.where(arrival == t, age, -1))
            row = jax.tree.map(lambda rows: rows[slot], self.feedback)
            return learn(state, t - age[slot], row), arrival.at[slot].set(NEVER)

        state, arrival = jax.lax.while_loop(arriving, one, (state, self.arrival))
        return state, self._replace(arrival=arrival)
