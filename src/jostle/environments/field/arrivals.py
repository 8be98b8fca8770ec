"""``Arrivals``: adverts that come and go."""

from typing import Any

import jax
import jax.numpy as jnp

from jostle.core.arrays import Vector
from jostle.core.record import leaf, static
from jostle.core.validation import whole
from jostle.environments.field.base import disjoint_round
from jostle.environments.field.clicks import LARGEST, SMALLEST, Adverts
from jostle.environments.field.rates import Rates
from jostle.types import Round


class Arrivals(Adverts):
    """Adverts as in ``Clicks`` that arrive one by one, while the oldest ones go.

    There are ``shown`` places. At first ``first`` of them are taken and the others are absent
    (masked). Every ``every`` rounds the next advert arrives; once all places are taken, it takes
    that of the oldest. After the last of ``arms`` adverts the first one comes back, with its id.
    (With the defaults that is after 10,000 rounds.)

    Arguments:
        arms: the number of adverts in all.
        user_features, low, high, strength: as in ``Clicks``.
        shown: the number of places.
        first: how many adverts are there at the start.
        every: the number of rounds from one arrival to the next.
    """

    arms: int = static(default=25)
    high: Any = leaf(default=0.15, least=SMALLEST, most=LARGEST)
    strength: Any = leaf(default=1.0)
    shown: int = static(default=10)
    first: int = static(default=5)
    every: int = static(default=500)

    def check(self) -> None:
        """Reject bad arguments."""
        super().check()
        whole("every", self.every)
        whole("first", self.first)
        if whole("shown", self.shown, least=2) > self.arms:
            raise ValueError(f"shown must be at most arms = {self.arms}, not {self.shown}")
        if self.first > self.shown:
            raise ValueError(f"first must be at most shown = {self.shown}, not {self.first}")

    def observe(self, state: Rates, key: jax.Array, t: jax.Array) -> Round:
        """A user, and the adverts that are there."""
        arrived = self.first + t // self.every
        place = jnp.arange(self.shown)
        # Advert n is in place n mod shown: the newest one in each place that has arrived.
        newest = place + (arrived - 1 - place) // self.shown * self.shown
        present = place < arrived
        arms = jnp.where(present, newest, place) % self.arms
        return disjoint_round(self.user(key), arms, present)

    def expected(self, state: Rates, t: jax.Array, round: Round) -> Vector:
        """The click rate of each advert for this user."""
        return state.of(round.arms).at(self.user_of(round))
