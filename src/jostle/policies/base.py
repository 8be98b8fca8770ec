"""The contract of everything that learns."""

from typing import Any

import jax

from jostle.core.record import Record, static
from jostle.core.validation import whole
from jostle.types import Choice, Feedback, Round

UNKNOWN_ARMS = 2048
"""Arm ids that there is room for when nobody knows how many there are."""


class Policy(Record):
    """An immutable pytree of hyper-parameters with three pure functions.

    A subclass defines ``init``, ``choose`` and ``learn``; ``reserve`` too if its state grows with
    the number of observations or of arm ids. Everything stochastic takes a key.
    """

    features: int = static()

    def check(self) -> None:
        """Refuse bad arguments."""
        whole("features", self.features)

    def init(self, key: jax.Array) -> Any:
        """The state before any observation."""
        raise NotImplementedError

    def choose(self, state: Any, key: Any, round: Round) -> Choice:
        """Choose an arm of the round. Never changes the state: deciding twice is harmless."""
        raise NotImplementedError

    def learn(self, state: Any, key: jax.Array, feedback: Feedback) -> Any:
        """The state after one more observation."""
        raise NotImplementedError

    def reserve(self, state: Any, *, observations: int, arms: int | None) -> Any:
        """The same state with room for this many observations and for arm ids below ``arms``.

        ``arms=None`` says that their number is not known: policies that keep something for each
        arm id then make room for ``UNKNOWN_ARMS`` of them.
        """
        return state

    def trim(self, state: Any, *, observations: int) -> Any:
        """The same state without room that ``observations`` observations leave unused."""
        return state

    def deciding(self, state: Any) -> Any:
        """The part of the state that ``choose`` reads, in the same structure."""
        return state

    @property
    def needs_arms(self) -> bool:
        """Whether every observation must carry the id of its arm."""
        return False

    @property
    def indexes_arms(self) -> bool:
        """Whether the state holds something for each arm id, so that ``reserve`` bounds the ids."""
        return True

    @property
    def takes_blocks(self) -> bool:
        """Whether contexts of the disjoint model may come as ``Blocks``, without their zeros."""
        return False

    @property
    def on_host(self) -> bool:
        """Whether ``choose`` runs on NumPy arrays too, with a NumPy generator as its key."""
        return False
