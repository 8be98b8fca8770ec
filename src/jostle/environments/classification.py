"""K-class classification as a bandit (Section 5.2): one learns only whether one was right."""

from typing import Any, NamedTuple, Self

import jax
import jax.numpy as jnp
import numpy as np

from jostle.core.contexts import Blocks
from jostle.core.record import data, static
from jostle.core.validation import whole
from jostle.datasets.encode import Encoded, encode
from jostle.datasets.table import Table
from jostle.datasets.uci import load_table
from jostle.environments.base import Environment
from jostle.types import NOBODY, Feedback, Outcome, Round, feedback_of

ROUNDS = 10_000
"""The paper plays so many rows, or all there are if they are fewer (mushroom: 8,124)."""


class ClassificationState(NamedTuple):
    """The order in which rows are shown."""

    order: jax.Array  # (rounds,) int32


class Classification(Environment):
    """Each round shows one row, with an arm for each class; the right class brings 1, others 0.

    Contexts are those of the disjoint model, x in the block of its arm (see ``Blocks``), so
    ``features`` is classes x encoded features. Rows are shuffled by the seed, none comes twice, and
    regret counts mistakes.

    Arguments:
        name: "adult", "covertype", "letter", "magic", "mushroom" or "shuttle"; for a table of your
            own see ``from_arrays`` and ``from_frame``.
        encoding: "practical" (one-hot, standardised, a constant) or "paper" (ordinal codes, rows
            scaled to unit length); see ``jostle.datasets.encode``.
        rounds: how many rows to show.
        told: tell the right class after each choice, for a skyline: how few mistakes the same
            policy makes that need not find out. It learns of the right class (1) or, every other
            round on average, of a wrong one (0): its own choice, if that was one.
    """

    x: Any = data()  # (rows, d)
    y: Any = data()  # (rows,) int32
    name: str = static()
    encoding: str = static()
    classes: int = static()
    length: int = static()
    told: bool = static()

    def __init__(
        self,
        name: str,
        *,
        encoding: str = "practical",
        rounds: int | None = None,
        told: bool = False,
    ):
        self._fill(encode(load_table(name), encoding), name, rounds, told)

    @classmethod
    def from_arrays(
        cls,
        x: Any,
        y: Any,
        *,
        encoding: str = "practical",
        rounds: int | None = None,
        told: bool = False,
    ) -> Self:
        """A bandit of your own: rows ``x`` of numbers, and the class ``y`` of each."""
        return cls._of(Table.from_arrays(x, y), encoding, rounds, told)

    @classmethod
    def from_frame(
        cls,
        frame: Any,
        *,
        target: str,
        encoding: str = "practical",
        rounds: int | None = None,
        told: bool = False,
    ) -> Self:
        """A bandit of your own: a pandas or Polars frame, ``target`` the column of the classes."""
        return cls._of(Table.from_frame(frame, target=target), encoding, rounds, told)

    @classmethod
    def _of(cls, table: Table, encoding: str, rounds: int | None, told: bool) -> Self:
        made = object.__new__(cls)
        made._fill(encode(table, encoding), "own", rounds, told)
        return made

    def _fill(self, encoded: Encoded, name: str, rounds: int | None, told: bool) -> None:
        rows = len(encoded.y)
        if rounds is not None and whole("rounds", rounds) > rows:
            raise ValueError(f"rounds must be at most {rows}, the rows there are, not {rounds}")
        if not isinstance(told, bool):
            raise TypeError(f"told must be True or False, not {told!r}")
        values = {
            "x": jnp.asarray(encoded.x),
            "y": jnp.asarray(encoded.y, jnp.int32),
            "name": name,
            "encoding": encoded.encoding,
            "classes": len(encoded.classes),
            "length": rounds or min(rows, ROUNDS),
            "told": told,
        }
        for field, value in values.items():
            object.__setattr__(self, field, value)

    @property
    def features(self) -> int:
        """Classes x encoded features: the length of a context with its zeros."""
        return self.classes * self.x.shape[-1]

    @property
    def rounds(self) -> int:
        """How many rows are shown."""
        return self.length

    @property
    def arms(self) -> int:
        """One for each class."""
        return self.classes

    @property
    def blocks(self) -> int:
        """One for each class."""
        return self.classes

    def init(self, key: jax.Array) -> ClassificationState:
        """Shuffle the rows."""
        order = jax.random.permutation(key, self.y.shape[0])[: self.length]
        return ClassificationState(order.astype(jnp.int32))

    def observe(self, state: ClassificationState, key: jax.Array, t: jax.Array) -> Round:
        """The row of round t, once for each class."""
        arms = jnp.arange(self.classes, dtype=jnp.int32)
        x = jnp.broadcast_to(self.x[state.order[t]], (self.classes, self.x.shape[-1]))
        return Round(Blocks(x, arms), jnp.ones(self.classes, bool), arms, jnp.int32(NOBODY))

    def reward(
        self,
        state: ClassificationState,
        key: jax.Array,
        t: jax.Array,
        round: Round,
        index: jax.Array,
    ) -> Outcome:
        """1 if it is the right class."""
        right = (self.y[state.order[t]] == index).astype(jnp.float32)
        return Outcome(right, 1 - right)

    def feedback(
        self,
        state: ClassificationState,
        key: jax.Array,
        t: jax.Array,
        round: Round,
        index: Any,
        outcome: Outcome,
    ) -> Feedback:
        """The choice and whether it was right; or, when the right class is told, a lesson of it."""
        if not self.told:
            return super().feedback(state, key, t, round, index, outcome)
        right = self.y[state.order[t]]
        coin, draw = jax.random.split(key)
        another = (right + jax.random.randint(draw, (), 1, self.classes)) % self.classes
        wrong = jnp.where(index == right, another, index)
        lesson = jnp.where(jax.random.bernoulli(coin), right, wrong)
        return feedback_of(round, lesson, (lesson == right).astype(jnp.float32))

    def __repr__(self) -> str:
        rows, features = np.shape(self.x)
        return (
            f"Classification({self.name!r}, encoding={self.encoding!r}, rows={rows}, "
            f"features={features}, classes={self.classes}, rounds={self.rounds}, told={self.told})"
        )
