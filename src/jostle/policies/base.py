"""The contract of everything that learns."""

from typing import Any, ClassVar

import jax

from jostle.core.record import Record, static
from jostle.core.validation import whole
from jostle.types import Choice, Feedback, Round


class Policy(Record):
    """An immutable pytree of hyper-parameters with three pure functions.

    A subclass defines ``init``, ``choose`` and ``learn``; ``reserve`` too if its state grows with
    the number of observations or of arm ids. Everything stochastic takes a key.
    """

    behaviour: ClassVar[int] = 1
    """Raised whenever the same settings, seed and stream would give other choices than before, so
    that results of the old algorithm are not taken for those of the new one."""

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

    def reserve(self, state: Any, *, observations: int, arms: int) -> Any:
        """The same state with room for this many observations and for arm ids below ``arms``."""
        return state

    def deciding(self, state: Any) -> Any:
        """The part of the state that ``choose`` reads, in the same structure."""
        return state

    @property
    def needs_arms(self) -> bool:
        """Whether every observation must carry the id of its arm."""
        return False

    @property
    def takes_blocks(self) -> bool:
        """Whether contexts of the disjoint model may come as ``Blocks``, without their zeros."""
        return False

    @property
    def on_host(self) -> bool:
        """Whether ``choose`` runs on NumPy arrays too, with a NumPy generator as its key."""
        return False
