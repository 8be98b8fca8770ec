"""``Offers``: items with features of their own, none of which comes back."""

from typing import Any

import jax
import jax.numpy as jnp

from jostle.core.arrays import Vector
from jostle.core.record import leaf, static
from jostle.core.validation import whole
from jostle.environments.field.base import Stream
from jostle.environments.field.clicks import LARGEST, SMALLEST
from jostle.environments.field.rates import Rates
from jostle.types import NOBODY, BanditSpec, Round


class Offers(Stream):
    """Items that are new in each round, offered to a user; one that is accepted brings 1.

    A context is the user's features followed by the item's, all drawn from N(0, 1). Whether an
    offer is accepted depends on both by one random two-layer network (see ``Rates``), which mixes
    them, so that good items are different ones for different users.

    Arguments:
        shown: the number of items per round.
        user_features, item_features: the number of features of either.
        rate: the share of random offers that are accepted.
        strength: the standard deviation of the log-odds over users and items.
    """

    shown: int = static(default=20)
    user_features: int = static(default=8)
    item_features: int = static(default=8)
    rate: Any = leaf(default=0.1, least=SMALLEST, most=LARGEST)
    strength: Any = leaf(default=1.0)

    def check(self) -> None:
        """Reject bad arguments."""
        whole("shown", self.shown, least=2)
        whole("user_features", self.user_features)
        whole("item_features", self.item_features)

    @property
    def spec(self) -> BanditSpec:
        """Arms without ids, and what a random choice brings."""
        return BanditSpec(features=self.user_features + self.item_features, chance=self.rate)

    def init(self, key: jax.Array) -> Rates:
        """Draw the rule."""
        return Rates.draw(key, jnp.reshape(self.rate, 1), self.features, self.strength)

    def observe(self, state: Rates, key: jax.Array, t: jax.Array) -> Round:
        """A user and new items."""
        user_key, item_key = jax.random.split(key)
        user = jax.random.normal(user_key, (self.user_features,))
        items = jax.random.normal(item_key, (self.shown, self.item_features))
        users = jnp.broadcast_to(user, (self.shown, self.user_features))
        nobody = jnp.full(self.shown, NOBODY, jnp.int32)
        contexts = jnp.concatenate([users, items], axis=1)
        return Round(contexts, jnp.ones(self.shown, bool), nobody, jnp.int32(NOBODY))

    def expected(self, state: Rates, t: jax.Array, round: Round) -> Vector:
        """The probability that each item is accepted."""
        return jax.vmap(state.at)(round.contexts)[:, 0]
