"""``Likes``: which user likes which item, as a sparse table that compiled code can query.

The items of each user form an ascending list, and all lists are stored end to end: memory is that
of the liked pairs, not of users x items, and a query is a binary search.
"""

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from jostle.core.record import Record, data


class Likes(Record):
    """The liked (user, item) pairs."""

    items: Any = data()  # (pairs,) int32, ascending for each user
    starts: Any = data()  # (users + 1,) int32: user u has items[starts[u] : starts[u + 1]]

    @classmethod
    def of(cls, pairs: np.ndarray, users: int) -> "Likes":
        """From rows of (user, item), in any order; duplicates count once."""
        pairs = np.unique(pairs, axis=0)
        counts = np.bincount(pairs[:, 0], minlength=users)
        starts = np.concatenate([[0], np.cumsum(counts)])
        return cls(jnp.asarray(pairs[:, 1], jnp.int32), jnp.asarray(starts, jnp.int32))

    def __repr__(self) -> str:
        return f"Likes({self.items.shape[0]} pairs)"

    def count(self, user: Any) -> Any:
        """The number of items that the user likes."""
        return self.starts[user + 1] - self.starts[user]

    def nth(self, user: Any, n: Any) -> Any:
        """The user's n-th liked item, from 0."""
        return self.items[self.starts[user] + n]

    def nth_other(self, user: Any, n: Any) -> Any:
        """The n-th of the items that the user does *not* like, from 0, for an array of n.

        Liked item number i has (item - i) others before it, which grows with i: so the n-th other
        comes after as many liked items as have at most n others before them.
        """
        start = self.starts[user]
        passed = self._passed(user, n, lambda at: self.items[at] - (at - start) <= n)
        return n + passed

    def contains(self, user: Any, item: Any) -> Any:
        """Whether the user likes the item."""
        smaller = self._passed(user, item, lambda at: self.items[at] < item)
        at = jnp.minimum(self.starts[user] + smaller, self.items.shape[0] - 1)
        return (smaller < self.count(user)) & (self.items[at] == item)

    def _passed(self, user: Any, like: Any, holds: Callable[[jax.Array], jax.Array]) -> jax.Array:
        """The number of the user's items for which ``holds``: it is true of the first ones only."""
        shape = jnp.shape(like)
        low = jnp.broadcast_to(self.starts[user], shape)
        high = jnp.broadcast_to(self.starts[user + 1], shape)

        def halve(_: Any, bounds: tuple[jax.Array, jax.Array]) -> tuple[jax.Array, jax.Array]:
            low, high = bounds
            middle = (low + high) // 2
            go_on = (low < high) & holds(jnp.minimum(middle, self.items.shape[0] - 1))
            return jnp.where(go_on, middle + 1, low), jnp.where(go_on, high, middle)

        low, _ = jax.lax.fori_loop(0, self.items.shape[0].bit_length(), halve, (low, high))
        passed: jax.Array = low - self.starts[user]
        return passed


def distinct(key: jax.Array, count: int, below: Any) -> jax.Array:
    """``count`` different whole numbers from 0 ... below - 1, every such set equally likely.

    Floyd's algorithm: the i-th draw is from one more number than the draw before; if it was drawn
    already, the new number itself is taken. Exact however large ``below`` is, without rejection.
    """
    newest = below - count + jnp.arange(count)
    drawn = jax.random.randint(key, (count,), 0, newest + 1)

    def add(i: Any, chosen: jax.Array) -> jax.Array:
        return chosen.at[i].set(jnp.where(jnp.any(chosen == drawn[i]), newest[i], drawn[i]))

    chosen: jax.Array = jax.lax.fori_loop(0, count, add, jnp.full(count, -1, drawn.dtype))
    return chosen
