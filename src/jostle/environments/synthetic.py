"""The synthetic bandits of Section 5.1: a nonlinear reward of contexts from the unit ball."""

from collections.abc import Callable
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp

from jostle.core.arrays import Matrix, Vector
from jostle.core.record import leaf, static
from jostle.core.validation import lookup, whole
from jostle.environments.base import Environment
from jostle.types import NOBODY, BanditSpec, Outcome, Round

Reward = Callable[[Matrix], Vector]
"""The expected rewards (n,) of contexts (n, features)."""


def h1(key: jax.Array, features: int) -> Reward:
    """h1(x) = x' S S' x / 100, the entries of S drawn from N(0, 1)."""
    matrix = jax.random.normal(key, (features, features))
    return lambda x: 0.01 * jnp.sum((x @ matrix) ** 2, axis=-1)


def h2(key: jax.Array, features: int) -> Reward:
    """h2(x) = exp(-10 (x . theta)^2), theta drawn from the unit ball."""
    theta = unit_ball(key, (features,))
    return lambda x: jnp.exp(-10 * (x @ theta) ** 2)


FUNCTIONS = {"h1": h1, "h2": h2}


def unit_ball(key: jax.Array, shape: tuple[int, ...]) -> jax.Array:
    """Points drawn uniformly from the unit ball of dimension ``shape[-1]``."""
    direction_key, radius_key = jax.random.split(key)
    direction = jax.random.normal(direction_key, shape)
    radius = jax.random.uniform(radius_key, (*shape[:-1], 1)) ** (1 / shape[-1])
    points: jax.Array = radius * direction / jnp.linalg.norm(direction, axis=-1, keepdims=True)
    return points


class SyntheticState(NamedTuple):
    """The problem as drawn."""

    function_key: jax.Array
    contexts: Any  # (pool, features), or None when arms are new each round


class Synthetic(Environment):
    """Contexts from the unit ball, of which ``shown`` are offered each round.

    Arguments:
        function: "h1", "h2", or a function from contexts (n, features) to expected rewards (n,).
        features: length of a context vector (d = 50 in the paper).
        pool: number of arms (K = 100); None draws new arms for every round.
        shown: number of arms offered per round, without replacement (k = 20).
        noise: standard deviation of the noise on the rewards (xi = 0.1).
    """

    function: str | Reward = static(default="h1")
    features: int = static(default=50)
    pool: int | None = static(default=100)
    shown: int = static(default=20)
    noise: Any = leaf(default=0.1)

    def check(self) -> None:
        """Reject bad arguments."""
        if not callable(self.function):
            lookup("synthetic function", self.function, FUNCTIONS)
        whole("features", self.features)
        whole("shown", self.shown)
        if self.pool is not None and whole("pool", self.pool) < self.shown:
            raise ValueError(f"shown must be at most pool = {self.pool}, not {self.shown}")

    @property
    def spec(self) -> BanditSpec:
        """A pool of arms with ids, or new arms without ids in every round."""
        return BanditSpec(features=self.features, pool=self.pool, arms=self.pool)

    def init(self, key: jax.Array) -> SyntheticState:
        """Draw the reward function and the pool."""
        function_key, pool_key = jax.random.split(key)
        pool = None if self.pool is None else unit_ball(pool_key, (self.pool, self.features))
        return SyntheticState(function_key, pool)

    def expected(self, state: SyntheticState, contexts: Matrix) -> Vector:
        """The expected reward of each context."""
        if callable(self.function):
            return self.function(contexts)
        return FUNCTIONS[self.function](state.function_key, self.features)(contexts)

    def observe(self, state: SyntheticState, key: jax.Array, t: jax.Array) -> Round:
        """A draw of arms from the pool, or of new arms."""
        if self.pool is None:
            contexts = unit_ball(key, (self.shown, self.features))
            ids = jnp.full(self.shown, NOBODY, jnp.int32)
        else:
            ids = jax.random.permutation(key, self.pool)[: self.shown].astype(jnp.int32)
            contexts = state.contexts[ids]
        return Round(contexts, jnp.ones(self.shown, bool), ids, jnp.int32(NOBODY))

    def reward(
        self, state: SyntheticState, key: jax.Array, t: jax.Array, round: Round, index: jax.Array
    ) -> Outcome:
        """The expected reward of the arm, plus noise that does not depend on the arm."""
        means = self.expected(state, round.contexts)
        best = jnp.max(jnp.where(round.mask, means, -jnp.inf))
        noise = self.noise * jax.random.normal(key)
        return Outcome(means[index] + noise, best - means[index])
