"""Observation histories in arrays of fixed capacity.

``History`` stores single observations, to draw from or to sweep. ``PooledHistory`` stores, for
each arm of a fixed pool, only the number of pulls and the mean reward: all that the squared loss
needs. ``Tried`` stores which arms have been pulled. All are pytrees with pure operations; only
``reserve`` and ``trim`` change shapes.
"""

from typing import Any, NamedTuple

import jax
import jax.numpy as jnp

from jostle.types import Feedback

OLDEST, RANDOM = "oldest", "random"
"""What a full history forgets: its oldest entry (ring buffer) or a random one (reservoir)."""


class History(NamedTuple):
    """Single observations, in the order they came."""

    contexts: Any  # (capacity, features), or the same as Blocks
    rewards: jax.Array  # (capacity,)
    seen: jax.Array  # int32: observations so far, forgotten ones included

    @property
    def capacity(self) -> int:
        """How many observations there is room for."""
        return self.rewards.shape[0]

    @property
    def size(self) -> jax.Array:
        """How many observations are held."""
        return jnp.minimum(self.seen, self.capacity)

    @classmethod
    def empty(cls, contexts: Any) -> "History":
        """A history of capacity 0 for contexts like these; see ``reserve``."""
        return cls(contexts, jnp.zeros(0), jnp.int32(0))

    def reserve(self, capacity: int) -> "History":
        """The same history with a capacity of at least ``capacity`` observations."""
        extra = max(0, capacity - self.capacity)

        def pad(rows: jax.Array) -> jax.Array:
            return jnp.pad(rows, ((0, extra), *[(0, 0)] * (rows.ndim - 1)))

        contexts = jax.tree.map(pad, self.contexts)
        return self._replace(contexts=contexts, rewards=pad(self.rewards))

    def trim(self, observations: int) -> "History":
        """The same history without the room that ``observations`` observations leave unused."""
        held = min(observations, self.capacity)
        contexts = jax.tree.map(lambda rows: rows[:held], self.contexts)
        return self._replace(contexts=contexts, rewards=self.rewards[:held])

    def append(self, key: jax.Array, feedback: Feedback, forget: str = OLDEST) -> "History":
        """Add an observation; when full, forget one as ``forget`` says."""
        slot = self.seen % self.capacity
        if forget == RANDOM:
            # Vitter's algorithm R: observation number n stays with probability capacity / n.
            drawn = jax.random.randint(key, (), 0, self.seen + 1)
            slot = jnp.where(self.seen < self.capacity, self.seen, drawn)
        taken = slot < self.capacity  # or the reservoir does not take the observation
        slot = jnp.minimum(slot, self.capacity - 1)

        def write(rows: jax.Array, row: jax.Array) -> jax.Array:
            # A slice is updated in place, far faster than by a scatter, which can skip rows.
            row = jnp.where(taken, row, rows[slot]).astype(rows.dtype)
            updated: jax.Array = jax.lax.dynamic_update_index_in_dim(rows, row, slot, 0)
            return updated

        contexts = jax.tree.map(write, self.contexts, feedback.context)
        return History(contexts, write(self.rewards, feedback.reward), self.seen + 1)


class PooledHistory(NamedTuple):
    """Counts and mean rewards of a fixed pool of arms: O(K), whatever the number of rounds."""

    contexts: jax.Array  # (pool, features)
    counts: jax.Array  # (pool,) int32
    means: jax.Array  # (pool,)
    seen: jax.Array  # int32

    @property
    def size(self) -> jax.Array:
        """How many observations are held: all of them."""
        return self.seen

    @classmethod
    def empty(cls, pool: int, features: int) -> "PooledHistory":
        """A pool of which no arm has been seen."""
        return cls(
            jnp.zeros((pool, features)), jnp.zeros(pool, jnp.int32), jnp.zeros(pool), jnp.int32(0)
        )

    def append(self, feedback: Feedback) -> "PooledHistory":
        """Add an observation of arm ``feedback.arm``."""
        arm = feedback.arm
        count = self.counts[arm] + 1
        mean = self.means[arm] + (feedback.reward - self.means[arm]) / count
        return PooledHistory(
            self.contexts.at[arm].set(feedback.context),
            self.counts.at[arm].set(count),
            self.means.at[arm].set(mean),
            self.seen + 1,
        )


class Tried(NamedTuple):
    """Which arm ids have been pulled at least once.

    There is a flag for each id below the capacity. Once a larger id has been pulled, there are more
    arms than can be tried one by one, and every arm counts as tried from then on. Without room for
    any id, every arm counts as tried from the start, and a decision pays nothing for it.
    """

    flags: Any  # (capacity,) bool

    @classmethod
    def none(cls) -> "Tried":
        """No flags: every arm counts as tried."""
        return cls(jnp.zeros(0, bool))

    def reserve(self, arms: int) -> "Tried":
        """The same with a flag for each of the ids 0 ... arms - 1."""
        return Tried(jnp.pad(self.flags, (0, max(0, arms - self.flags.shape[0]))))

    def add(self, arm: jax.Array) -> "Tried":
        """Mark ``arm`` as pulled. An arm without an id changes nothing."""
        capacity = self.flags.shape[0]
        if capacity == 0:
            return self
        ids = jnp.arange(capacity)
        return Tried(self.flags | (ids == arm) | (arm >= capacity))

    def among(self, arms: Any) -> Any:
        """Which of ``arms`` have been tried; arms without an id count as tried."""
        capacity = self.flags.shape[0]
        within = (arms >= 0) & (arms < capacity)
        return ~within | self.flags[within * arms]
