"""``Eat``: mushrooms to eat or to leave, where a mistake is expensive."""

from collections.abc import Mapping
from typing import Any, NamedTuple, Self

import jax
import jax.numpy as jnp

from jostle.core.arrays import Vector
from jostle.core.record import data, static
from jostle.core.validation import whole
from jostle.datasets.table import Table
from jostle.datasets.uci import load_table
from jostle.environments.classification import Rows
from jostle.environments.field.base import Stream, disjoint_round
from jostle.types import BanditSpec, Round

LEAVE, EAT = 0, 1
"""The arms."""
GOOD, BAD = 5.0, -35.0
"""The reward of eating: good if edible; good or bad with even odds if poisonous."""
EDIBLE = 0
"""The class of edible mushrooms in the data set."""


class EatState(NamedTuple):
    """What the rows are drawn by."""

    key: jax.Array


class Eat(Stream):
    """The mushroom bandit of Blundell et al., "Weight Uncertainty in Neural Networks" (2015).

    Each round shows a mushroom of the UCI data set, drawn with replacement. To leave it brings 0;
    to eat it brings 5 if it is edible, and 5 or -35 with even odds if it is poisonous. Contexts are
    those of the disjoint model, the mushroom in the block of either arm.

    Arguments:
        rounds: how many mushrooms there are; None for no end.
        encoding: as in ``Classification``.
        rows: the encoded table, which is loaded; leave it out.
    """

    rounds: int | None = static(default=50_000)
    encoding: str = static(default="practical")
    rows: Rows = data(default=None)

    @classmethod
    def from_arrays(cls, x: Any, poisonous: Any, **settings: Any) -> Self:
        """Mushrooms of your own: rows ``x`` of numbers, and whether each is poisonous (1) or not.

        ``settings`` are ``rounds`` and ``encoding``.
        """
        encoding = settings.get("encoding", "practical")
        return cls(rows=Rows.of(Table.from_arrays(x, poisonous), encoding), **settings)

    def check(self) -> None:
        """Reject bad arguments, and load the data set."""
        if self.rounds is not None:
            whole("rounds", self.rounds)
        if self.rows is None:
            object.__setattr__(self, "rows", Rows.of(load_table("mushroom"), self.encoding))
        elif not isinstance(self.rows, Rows):
            raise TypeError(f"rows is loaded: leave it out, instead of {self.rows!r}")

    def settings(self) -> Mapping[str, Any]:
        """The arguments."""
        return {"rounds": self.rounds, "encoding": self.encoding}

    @property
    def spec(self) -> BanditSpec:
        """Two arms, a block of the encoded features for each."""
        return BanditSpec(features=2 * self.rows.x.shape[-1], blocks=2, arms=2, rounds=self.rounds)

    def init(self, key: jax.Array) -> EatState:
        """Keep the key: rows are drawn as they are needed."""
        return EatState(key)

    def row(self, state: EatState, t: jax.Array) -> jax.Array:
        """The row of round ``t``. The reward needs it too, so it is not drawn by observe's key."""
        return jax.random.randint(jax.random.fold_in(state.key, t), (), 0, self.rows.y.shape[0])

    def observe(self, state: EatState, key: jax.Array, t: jax.Array) -> Round:
        """A mushroom, once for each arm."""
        return disjoint_round(self.rows.x[self.row(state, t)], jnp.arange(2))

    def expected(self, state: EatState, t: jax.Array, round: Round) -> Vector:
        """0 to leave it; to eat it 5 if it is edible, else -15."""
        edible = self.rows.y[self.row(state, t)] == EDIBLE
        return jnp.stack([0.0, jnp.where(edible, GOOD, (GOOD + BAD) / 2)])

    def sample(
        self, state: EatState, key: jax.Array, round: Round, index: jax.Array, mean: jax.Array
    ) -> jax.Array:
        """The expected reward, except that eating a poisonous one is a matter of luck."""
        lucky = jnp.where(jax.random.bernoulli(key), GOOD, BAD)
        return jnp.where(mean < 0, lucky, mean)
