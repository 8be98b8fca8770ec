"""Uniform: random choices, the baseline that every other policy must beat."""

from typing import Any

import jax

from jostle.core.arrays import Probabilities, Scores
from jostle.policies._probabilities import KnowsProbabilities
from jostle.policies.selection import even, pick_uniformly
from jostle.types import Choice, Feedback, Round


class Uniform(KnowsProbabilities):
    """Choose uniformly at random among the arms that are present; learn nothing."""

    def init(self, key: jax.Array) -> tuple[()]:
        """Nothing to remember."""
        return ()

    def choose(self, state: tuple[()], key: Any, round: Round) -> Choice:
        """One of the arms that are present."""
        return Choice(pick_uniformly(key, round.mask), even(round.mask))

    def weigh(self, state: tuple[()], key: Any, round: Round) -> tuple[Scores, Probabilities]:
        """The same for every arm that is present."""
        return even(round.mask), even(round.mask)

    def learn(self, state: tuple[()], key: jax.Array, feedback: Feedback) -> tuple[()]:
        """Nothing to learn."""
        return state

    @property
    def on_host(self) -> bool:
        """A decision is one random draw."""
        return True
