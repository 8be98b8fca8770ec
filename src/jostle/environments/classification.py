"""``Classification``: a table with K classes as a bandit, as in Section 5.2 of the paper.

Each class is an arm. The policy learns whether the class it chose was right, and nothing else.
"""

from collections.abc import Mapping
from typing import Any, NamedTuple, Self

import jax
import jax.numpy as jnp

from jostle.core.contexts import Blocks
from jostle.core.record import Record, data, static
from jostle.core.validation import whole
from jostle.datasets.encode import encode
from jostle.datasets.table import Table
from jostle.datasets.uci import load_table
from jostle.environments.base import Environment
from jostle.types import NOBODY, BanditSpec, Feedback, Outcome, Round, feedback_of

ROUNDS = 10_000
"""The paper plays this many rows, or all rows of a smaller table (mushroom has 8,124)."""
OWN = "own"
"""The name of an environment made from the user's own table."""


class Rows(Record):
    """The encoded rows of a table, and the class of each."""

    x: Any = data()  # (rows, d)
    y: Any = data()  # (rows,) int32
    classes: int = static()

    @classmethod
    def of(cls, table: Table, encoding: str) -> Self:
        """Encode a table."""
        encoded = encode(table, encoding)
        return cls(jnp.asarray(encoded.x), jnp.asarray(encoded.y, jnp.int32), len(encoded.classes))

    def __repr__(self) -> str:
        rows, features = self.x.shape
        return f"{rows} rows, {features} features, {self.classes} classes"


class ClassificationState(NamedTuple):
    """The order in which rows are shown."""

    order: jax.Array  # (rounds,) int32


class Classification(Environment):
    """Each round shows one row, with one arm per class; the right class brings 1, others 0.

    Contexts are those of the disjoint model, x in the block of its arm (see ``Blocks``), so
    ``features`` is classes x encoded features. Rows are shuffled by the seed, none is shown twice
    (unless there are several epochs), and regret counts mistakes.

    Arguments:
        name: "adult", "covertype", "letter", "magic", "mushroom" or "shuttle"; for a table of your
            own see ``from_arrays`` and ``from_frame``.
        encoding: "practical" (one-hot, standardised, a constant) or "paper" (ordinal codes, rows
            scaled to unit length); see ``jostle.datasets.encode``.
        rounds: how many rows to show. By default all of them, but at most 10,000.
        epochs: how often the whole table is there, shuffled again each time, so that ``rounds`` may
            be so many times as large.
        full_information: reveal the right class after each choice, so that there is nothing to
            explore. Each round then gives two lessons, since an estimate of rewards has to see both
            kinds: the right class brings 1, and a wrong class brings 0. The wrong class is the
            choice, or another one at random if the choice was right.
        rows: the encoded table, which is loaded by name; leave it out.
    """

    name: str = static()
    encoding: str = static(default="practical")
    rounds: int = static(default=None)
    full_information: bool = static(default=False)
    epochs: int = static(default=1)
    rows: Rows = data(default=None)

    @classmethod
    def from_arrays(cls, x: Any, y: Any, *, encoding: str = "practical", **settings: Any) -> Self:
        """A table of your own: rows ``x`` of numbers, and the class ``y`` of each.

        ``settings`` are ``rounds`` and ``full_information``.
        """
        rows = Rows.of(Table.from_arrays(x, y), encoding)
        return cls(OWN, encoding=encoding, rows=rows, **settings)

    @classmethod
    def from_frame(
        cls, frame: Any, *, target: str, encoding: str = "practical", **settings: Any
    ) -> Self:
        """A table of your own: a pandas or Polars frame with the classes in column ``target``.

        ``settings`` are ``rounds`` and ``full_information``.
        """
        rows = Rows.of(Table.from_frame(frame, target=target), encoding)
        return cls(OWN, encoding=encoding, rows=rows, **settings)

    def check(self) -> None:
        """Reject bad arguments, and load the table that ``name`` stands for."""
        if self.rows is None:
            object.__setattr__(self, "rows", Rows.of(load_table(self.name), self.encoding))
        elif not isinstance(self.rows, Rows):
            raise TypeError(f"rows is loaded by name: leave it out, instead of {self.rows!r}")
        present = self.y.shape[0] * whole("epochs", self.epochs)
        if self.rounds is None:
            object.__setattr__(self, "rounds", min(present, ROUNDS))
        elif whole("rounds", self.rounds) > present:
            raise ValueError(
                f"rounds must be at most {present}, the number of rows, not {self.rounds}; "
                "epochs= shows them several times"
            )
        if not isinstance(self.full_information, bool):
            raise TypeError(
                f"full_information must be True or False, not {self.full_information!r}"
            )

    def replace(self, **changes: Any) -> Self:
        """A copy with some fields changed; another name or encoding loads the table again."""
        if changes.keys() & {"name", "encoding"}:
            if self.name == OWN:
                raise ValueError(
                    "name and encoding cannot be replaced if the table is your own: "
                    "call from_arrays or from_frame again"
                )
            changes.setdefault("rows", None)
            if "name" in changes:
                changes.setdefault("rounds", None)
        return super().replace(**changes)

    def settings(self) -> Mapping[str, Any]:
        """The arguments, and the number of classes."""
        return {
            "name": self.name,
            "encoding": self.encoding,
            "classes": self.classes,
            "rounds": self.rounds,
            "full_information": self.full_information,
            **({"epochs": self.epochs} if self.epochs > 1 else {}),
        }

    @property
    def behaviour(self) -> int:  # type: ignore[override]
        """2 with full information, which gave one lesson per round at first; else 1."""
        return 2 if self.full_information else 1

    @property
    def lessons(self) -> int:
        """Two with full information, else one."""
        return 2 if self.full_information else 1

    @property
    def spec(self) -> BanditSpec:
        """Contexts with their zeros, and one arm and one block per class."""
        return BanditSpec(
            features=self.classes * self.x.shape[-1],
            blocks=self.classes,
            arms=self.classes,
            rounds=self.rounds,
        )

    @property
    def x(self) -> Any:
        """(rows, d): the encoded rows."""
        return self.rows.x

    @property
    def y(self) -> Any:
        """(rows,): the class of each row."""
        return self.rows.y

    @property
    def classes(self) -> int:
        """The number of classes."""
        return self.rows.classes

    def init(self, key: jax.Array) -> ClassificationState:
        """Shuffle the rows, once for each epoch."""
        keys = [key, *(jax.random.fold_in(key, epoch) for epoch in range(1, self.epochs))]
        orders = [jax.random.permutation(each, self.y.shape[0]) for each in keys]
        return ClassificationState(jnp.concatenate(orders)[: self.rounds].astype(jnp.int32))

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
        """1 for the right class, else 0."""
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
        """The choice and its reward; with full information the right class and a wrong one."""
        if not self.full_information:
            return super().feedback(state, key, t, round, index, outcome)
        right = self.y[state.order[t]]
        another = (right + jax.random.randint(key, (), 1, self.classes)) % self.classes
        wrong = jnp.where(index == right, another, index)
        lessons = jnp.stack([right, wrong])
        return jax.vmap(feedback_of, (None, 0, 0))(round, lessons, jnp.array([1.0, 0.0]))
