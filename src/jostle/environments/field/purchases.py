"""``Purchases``: seldom a sale, and then an amount with a heavy tail."""

from typing import Any, NamedTuple

import jax
import jax.numpy as jnp

from jostle.core.arrays import Vector
from jostle.core.record import leaf
from jostle.environments.field.clicks import LARGEST, SMALLEST, Adverts
from jostle.environments.field.rates import Rates, log_uniform
from jostle.types import Round


class PurchasesState(NamedTuple):
    """The rules by which products sell, and the average amount of a sale of each."""

    rates: Rates
    amounts: Vector


class Purchases(Adverts):
    """Products of which a few per cent of users buy one, for amounts that are log-normal.

    The reward is the amount of a sale, or 0. An amount is m exp(spread z - spread^2 / 2) with z
    from N(0, 1), so m is its mean; a tenth of the sales brings nearly half of the revenue.

    Arguments:
        arms: the number of products.
        user_features, strength: as in ``Clicks``.
        low, high: average shares of users who buy, likewise.
        cheapest, dearest: the average amounts m lie in between, their logarithms uniformly.
        spread: the standard deviation of an amount's logarithm.
    """

    high: Any = leaf(default=0.05, least=SMALLEST, most=LARGEST)
    cheapest: Any = leaf(default=20.0, least=1e-6)
    dearest: Any = leaf(default=100.0, least=1e-6)
    spread: Any = leaf(default=1.2)

    def check(self) -> None:
        """Reject bad arguments."""
        super().check()
        if self.cheapest > self.dearest:
            raise ValueError(
                f"cheapest must be at most dearest = {self.dearest}, not {self.cheapest}"
            )

    def init(self, key: jax.Array) -> PurchasesState:
        """Draw the rules and the average amounts."""
        rate_key, amount_key = jax.random.split(key)
        amounts = log_uniform(amount_key, self.arms, self.cheapest, self.dearest)
        return PurchasesState(super().init(rate_key), amounts)

    def expected(self, state: PurchasesState, t: jax.Array, round: Round) -> Vector:
        """The share of such users who buy, times the average amount."""
        return state.rates.at(self.user_of(round)) * state.amounts

    def sample(
        self, state: PurchasesState, key: jax.Array, round: Round, index: jax.Array, mean: jax.Array
    ) -> jax.Array:
        """An amount if there is a sale, else 0."""
        sale_key, amount_key = jax.random.split(key)
        average = state.amounts[index]
        z = jax.random.normal(amount_key)
        amount = average * jnp.exp(self.spread * z - self.spread**2 / 2)
        return jnp.where(jax.random.uniform(sale_key) < mean / average, amount, 0.0)
