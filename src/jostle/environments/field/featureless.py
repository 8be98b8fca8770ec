"""Bandits without features: ``Coins`` (Bernoulli arms) and ``Ladder`` (evenly spaced means)."""

from collections.abc import Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from jostle.core.arrays import Vector
from jostle.core.record import leaf, static
from jostle.core.validation import number, whole
from jostle.environments.field.base import Stream
from jostle.types import NOBODY, BanditSpec, Round


class Featureless(Stream):
    """Arms that are always all present; a context only says which arm it is (one-hot).

    The state is the arms' expected rewards, which a subclass draws in ``init``.
    """

    @property
    def _count(self) -> int:
        """The number of arms."""
        raise NotImplementedError(f"{type(self).__name__} must define _count")

    @property
    def spec(self) -> BanditSpec:
        """A pool of one context per arm."""
        return BanditSpec(features=self._count, pool=self._count, arms=self._count)

    def observe(self, state: Vector, key: jax.Array, t: jax.Array) -> Round:
        """Every arm, always the same."""
        k = self._count
        return Round(
            jnp.eye(k), jnp.ones(k, bool), jnp.arange(k, dtype=jnp.int32), jnp.int32(NOBODY)
        )

    def expected(self, state: Vector, t: jax.Array, round: Round) -> Vector:
        """The arms' expected rewards."""
        return state


class Coins(Featureless):
    """Arms that bring 1 with a fixed probability and otherwise 0.

    The smallest problem in which exploration matters: whoever chooses the arm that looked best so
    far stays with the worse of two coins in a third of all runs.

    Arguments:
        probabilities: one per arm, in the order of their ids.
    """

    probabilities: Sequence[float] = static(default=(0.6, 0.5))

    def check(self) -> None:
        """Reject bad arguments."""
        number("probabilities", self.probabilities, 0.0, 1.0)
        if np.ndim(self.probabilities) != 1 or len(self.probabilities) < 2:
            raise ValueError(
                "probabilities must be two or more numbers, such as (0.6, 0.5), not "
                f"{self.probabilities!r}"
            )
        # A tuple, since static fields are part of a compiled program's key.
        object.__setattr__(self, "probabilities", tuple(float(p) for p in self.probabilities))

    @property
    def _count(self) -> int:
        return len(self.probabilities)

    def init(self, key: jax.Array) -> Vector:
        """The probabilities."""
        return jnp.asarray(self.probabilities)


class Ladder(Featureless):
    """Arms whose expected rewards are evenly spaced from 0 to 1, in an order drawn by the seed.

    In the spirit of the bandits of bsuite (Osband et al., "Behaviour Suite for Reinforcement
    Learning", 2020), which ask how much noise a policy bears, and whether it depends on the unit of
    rewards. The name ``noise`` has a noise of 1, and ``scale`` multiplies rewards by 1,000.

    Arguments:
        arms: the number of arms.
        noise: the standard deviation of rewards (0.1 to 10 in bsuite), before they are scaled.
        scale: multiplies rewards (0.001 to 1,000 in bsuite), and regret with them.
    """

    arms: int = static(default=11)
    noise: Any = leaf(default=0.1)
    scale: Any = leaf(default=1.0, least=1e-9)

    def check(self) -> None:
        """Reject bad arguments."""
        whole("arms", self.arms, least=2)

    @property
    def _count(self) -> int:
        return self.arms

    def init(self, key: jax.Array) -> Vector:
        """Shuffle the arms."""
        steps = jnp.linspace(0.0, 1.0, self.arms)
        means: Vector = jax.random.permutation(key, steps) * self.scale
        return means

    def sample(
        self, state: Vector, key: jax.Array, round: Round, index: jax.Array, mean: jax.Array
    ) -> jax.Array:
        """The expected reward and normal noise."""
        reward: jax.Array = mean + jax.random.normal(key) * (self.scale * self.noise)
        return reward
