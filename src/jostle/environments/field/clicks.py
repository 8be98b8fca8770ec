"""``Clicks``: adverts that are seldom clicked, by a nonlinear rule of who sees them."""

from typing import Any

import jax
import jax.numpy as jnp

from jostle.core.arrays import Vector
from jostle.core.record import leaf, static
from jostle.core.validation import whole
from jostle.environments.field.base import Stream, disjoint_round, shared_context
from jostle.environments.field.rates import Rates, log_uniform
from jostle.types import BanditSpec, Round

SMALLEST, LARGEST = 1e-4, 1 - 1e-4
"""Average rates lie in between."""


class Adverts(Stream):
    """A user with features, and adverts that each have a rule by which they are clicked.

    The shared base of the streams with one user context per round. The user's features are drawn
    from N(0, I) and shown, after a constant 1, for every arm, in the block of the arm (the disjoint
    model). The rule of an advert is a random two-layer network of them (see ``Rates``).

    Arguments:
        arms: the number of adverts.
        user_features: the number of the user's features.
        low, high: the adverts' average click rates lie in between, their logarithms uniformly.
        strength: the standard deviation of an advert's log-odds over users; 0 makes its rate the
            same for all of them.
    """

    arms: int = static(default=10)
    user_features: int = static(default=8)
    low: Any = leaf(default=0.01, least=SMALLEST, most=LARGEST)
    high: Any = leaf(default=0.1, least=SMALLEST, most=LARGEST)
    strength: Any = leaf(default=0.7)

    def check(self) -> None:
        """Reject bad arguments."""
        whole("arms", self.arms, least=2)
        whole("user_features", self.user_features)
        if self.low > self.high:
            raise ValueError(f"low must be at most high = {self.high}, not {self.low}")

    @property
    def spec(self) -> BanditSpec:
        """One block of a constant and the user's features for each advert."""
        length = 1 + self.user_features
        return BanditSpec(features=self.arms * length, blocks=self.arms, arms=self.arms)

    def init(self, key: jax.Array) -> Any:
        """Draw the rules."""
        average_key, rule_key = jax.random.split(key)
        averages = log_uniform(average_key, self.arms, self.low, self.high)
        return Rates.draw(rule_key, averages, self.user_features, self.strength)

    def user(self, key: jax.Array) -> Vector:
        """A constant 1, for an intercept, and the features of a user."""
        return jnp.concatenate([jnp.ones(1), jax.random.normal(key, (self.user_features,))])

    def user_of(self, round: Round) -> Vector:
        """The features of the user of a round, without the constant."""
        return shared_context(round, 1 + self.user_features)[1:]

    def observe(self, state: Any, key: jax.Array, t: jax.Array) -> Round:
        """A user, and all adverts."""
        return disjoint_round(self.user(key), jnp.arange(self.arms))


class Clicks(Adverts):
    """Adverts clicked by 1 to 10 % of users, but by which ones depends on the users' features.

    All adverts are shown in each round; a click brings 1. The arguments are those of ``Adverts``.
    """

    def expected(self, state: Rates, t: jax.Array, round: Round) -> Vector:
        """The click rate of each advert for this user."""
        return state.at(self.user_of(round))
