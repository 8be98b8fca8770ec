"""``Drift``: click rates that change, at once, gradually or with the seasons."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp

from jostle.core.arrays import Vector
from jostle.core.record import leaf, static
from jostle.core.validation import unknown, whole
from jostle.environments.field.clicks import LARGEST, SMALLEST, Adverts
from jostle.environments.field.rates import Rates
from jostle.types import Round

ABRUPT, GRADUAL, SEASONS = "abrupt", "gradual", "seasons"
KINDS = (ABRUPT, GRADUAL, SEASONS)


class DriftState(NamedTuple):
    """The rules, and what decides which advert follows which of them when."""

    rates: Rates
    key: jax.Array


class Drift(Adverts):
    """Adverts as in ``Clicks``, clicked by 10 to 60 % of users, that change places over time.

    An advert follows one of the rules. At a break they are dealt out again at random.

    - ``"abrupt"``: a break after every ``period`` rounds, or at the rounds ``breaks``.
    - ``"gradual"``: over each ``period`` the rates move, linearly, from those before to those
      after the next break.
    - ``"seasons"``: the rates swing, as a cosine, between two such assignments and are back at the
      first after every ``period``. At the rounds ``breaks`` both assignments are replaced.

    Arguments:
        kind: "abrupt", "gradual" or "seasons".
        period: in rounds; the default breaks half-way through 10,000. A year of a million rounds
            with monthly breaks has ``period=83333``.
        breaks: with "abrupt" and "seasons", the first rounds after each break, in ascending order,
            such as ``(2000, 7000)``. None breaks every ``period`` with "abrupt", and never with
            "seasons".
        arms, user_features, low, high, strength: as in ``Clicks``.
    """

    low: Any = leaf(default=0.1, least=SMALLEST, most=LARGEST)
    high: Any = leaf(default=0.6, least=SMALLEST, most=LARGEST)
    strength: Any = leaf(default=1.2)
    kind: str = static(default=ABRUPT)
    period: int = static(default=5000)
    breaks: Sequence[int] | None = static(default=None)

    def check(self) -> None:
        """Reject bad arguments."""
        super().check()
        if self.kind not in KINDS:
            raise ValueError(unknown("kind", self.kind, KINDS))
        whole("period", self.period)
        if self.breaks is None:
            return
        if self.kind == GRADUAL:
            raise ValueError("breaks is for kind='abrupt' and 'seasons'; 'gradual' has a period")
        if isinstance(self.breaks, str) or not isinstance(self.breaks, Sequence):
            raise TypeError(
                f"breaks must be round numbers, such as (2000, 7000), not {self.breaks!r}"
            )
        found = tuple(whole("breaks", each) for each in self.breaks)
        if list(found) != sorted(set(found)):
            raise ValueError(f"breaks must be in ascending order, not {self.breaks!r}")
        object.__setattr__(self, "breaks", found)

    def init(self, key: jax.Array) -> DriftState:
        """Draw the rules."""
        rate_key, deal_key = jax.random.split(key)
        return DriftState(super().init(rate_key), deal_key)

    def expected(self, state: DriftState, t: jax.Array, round: Round) -> Vector:
        """The click rate of each advert for this user at this time."""
        rates = state.rates.at(self.user_of(round))
        era, share = self.phase(t)
        before = rates[self.assignment(state, era)]
        if self.kind == ABRUPT:
            return before
        return (1 - share) * before + share * rates[self.assignment(state, era + 1)]

    def phase(self, t: jax.Array) -> tuple[jax.Array, jax.Array]:
        """How many assignments came before that of round ``t``, and how far it is to the next.

        Seasons swing between two assignments, so that a break there brings two.
        """
        breaks = jnp.asarray(self.breaks if self.breaks is not None else (), jnp.int32)
        broken = jnp.sum(t >= breaks)
        if self.kind == ABRUPT:
            return (t // self.period if self.breaks is None else broken), jnp.float32(0)
        passed = (t % self.period) / self.period
        if self.kind == GRADUAL:
            return t // self.period, passed
        return 2 * broken, (1 - jnp.cos(2 * jnp.pi * passed)) / 2

    def assignment(self, state: DriftState, era: jax.Array) -> jax.Array:
        """(arms,): the rule that each advert follows after ``era`` breaks; at first its own."""
        dealt = jax.random.permutation(jax.random.fold_in(state.key, era), self.arms)
        return jnp.where(era == 0, jnp.arange(self.arms), dealt)
