"""``Stream``: environments whose expected rewards are known, and rounds of the disjoint model."""

from typing import Any

import jax
import jax.numpy as jnp

from jostle.core.arrays import Vector
from jostle.core.contexts import Blocks
from jostle.environments.base import Environment
from jostle.types import NOBODY, Outcome, Round


class Stream(Environment):
    """An environment that knows every arm's expected reward; regret is measured by it.

    A subclass defines ``expected`` and, unless its rewards are 0 or 1, ``sample``.
    """

    def expected(self, state: Any, t: jax.Array, round: Round) -> Vector:
        """The expected reward of each arm of ``round``, which is round ``t``."""
        raise NotImplementedError(f"{type(self).__name__} must define expected")

    def sample(
        self, state: Any, key: jax.Array, round: Round, index: jax.Array, mean: jax.Array
    ) -> jax.Array:
        """A reward of arm ``index``, whose expectation is ``mean``: by default 0 or 1."""
        return (jax.random.uniform(key) < mean).astype(jnp.float32)

    def reward(
        self, state: Any, key: jax.Array, t: jax.Array, round: Round, index: jax.Array
    ) -> Outcome:
        """A sample of the arm's reward, and the expected regret."""
        means = self.expected(state, t, round)
        best = jnp.max(jnp.where(round.mask, means, -jnp.inf))
        mean = means[index]
        return Outcome(self.sample(state, key, round, index, mean), best - mean)


def disjoint_round(x: Vector, arms: Any, mask: Any = None) -> Round:
    """A round that shows ``x`` for every arm, in the block of the arm's id."""
    arms = jnp.asarray(arms, jnp.int32)
    present = jnp.ones(arms.shape, bool) if mask is None else mask
    shown = jnp.broadcast_to(x, (*arms.shape, *x.shape))
    return Round(Blocks(shown, arms), present, arms, jnp.int32(NOBODY))


def shared_context(round: Round, length: int) -> Vector:
    """The ``x`` of ``length`` entries that ``disjoint_round`` was given.

    Policies that do not take blocks are shown them with their zeros, of which all but one block
    consist.
    """
    x: Vector
    if isinstance(round.contexts, Blocks):
        x = round.contexts.x[0]
    else:
        x = round.contexts[0].reshape(-1, length).sum(axis=0)
    return x
