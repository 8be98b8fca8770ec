"""Fitting a network to a history of perturbed rewards: the objective of Eq. (2) and its descent.

    L(theta) = sum_s (f(x_s; theta) - (r_s + gamma_s))^2 / 2 + m lambda |theta - theta_0|^2 / 2

We descend L divided by the number of observations: the minimiser is the same, and a step size
means the same in round 10 and in round 10,000. There are three ways to present the history to a
gradient step, alike in what they optimise and far apart in what they cost:

- ``FullBatch``: every observation in every step, O(t). The definition, and the reference.
- ``Pooled``: one weighted target per arm of a fixed pool, O(K). Exact: up to a constant the loss is
  sum_i n_i (f(x_i) - mean_i)^2 / 2, and the mean of n_i fresh N(0, nu^2) is one N(0, nu^2 / n_i).
- ``MiniBatch``: a random draw of observations for each step, O(1). The perturbation of observation
  s is a pure function of the round's key and s: if it is drawn twice in a round, it is perturbed by
  the same amount.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeVar

import jax
import jax.numpy as jnp
import optax

from jostle.core.contexts import take
from jostle.models.history import OLDEST, History, PooledHistory
from jostle.models.networks import Network, estimate, width_of
from jostle.types import Feedback


class Batch(NamedTuple):
    """What one gradient step sees: weighted targets, the weights summing to 1."""

    contexts: Any
    targets: jax.Array
    weights: jax.Array


Batches = Callable[[jax.Array], Batch]
"""The batch of step j of a round."""

Tree = TypeVar("Tree")

SMALLEST_SWEEP = 256
"""Observations below which a full sweep is not worth splitting further."""
MANY_STEPS = 10
"""Steps per update from which on it pays to look whether there is anything left to fit."""


def perturbations(key: jax.Array, indices: jax.Array) -> jax.Array:
    """gamma_s / nu for each observation s of ``indices``: standard normal, decided by (key, s)."""
    return jax.vmap(lambda s: jax.random.normal(jax.random.fold_in(key, s)))(indices)


def _is_nothing(noise: Any) -> bool:
    """Whether there is no noise to draw, which a compiler cannot find out."""
    return isinstance(noise, float) and noise == 0


@dataclass(frozen=True)
class FullBatch:
    """The whole perturbed history in every step."""

    memory: int | None = None
    forget: str = OLDEST

    def empty(self, contexts: Any) -> History:
        """A history without observations."""
        return History.empty(contexts)

    def reserve(self, history: History, observations: int) -> History:
        """Room for ``observations``, within the bound of ``memory``."""
        return history.reserve(min(observations, self.memory or observations))

    def trim(self, history: History, observations: int) -> History:
        """Without the room that ``observations`` observations leave unused."""
        return history.trim(observations)

    def append(self, history: History, key: jax.Array, feedback: Feedback) -> History:
        """Add an observation."""
        return history.append(key, feedback, self.forget)

    def within(self, history: History, work: Callable[[History], Tree]) -> Tree:
        """``work`` on the first 256, 512, 1,024, ... entries, as few as hold all observations.

        So a sweep costs O(t) and not O(capacity), with one compiled program for all t.
        """
        sizes = [history.capacity]
        while sizes[0] > SMALLEST_SWEEP:
            sizes.insert(0, 1 << ((sizes[0] - 1).bit_length() - 1))
        level = jnp.searchsorted(jnp.asarray(sizes), history.size)
        result: Tree = jax.lax.switch(
            level, [lambda held, size=size: work(held.trim(size)) for size in sizes], history
        )
        return result

    def batches(self, history: History, key: jax.Array, noise: Any) -> Batches:
        """The same perturbed history for every step of the round."""
        index = jnp.arange(history.capacity)
        held = index < history.size
        batch = Batch(
            history.contexts,
            history.rewards + noise * perturbations(key, index),
            jnp.where(held, 1 / jnp.maximum(history.size, 1), 0.0),
        )
        return lambda step: batch


@dataclass(frozen=True)
class MiniBatch(FullBatch):
    """A fresh uniform draw of ``batch`` observations for each step.

    The draws of the first ``ahead`` steps of a round are made together, which takes a third of the
    time off a step and gives the same numbers; there may then be no more steps than that. With 0
    each step makes its own.
    """

    batch: int = 64
    ahead: int = 0

    def within(self, history: History, work: Callable[[History], Tree]) -> Tree:
        """``work`` on the history: a draw costs the same whatever the capacity."""
        return work(history)

    def batches(self, history: History, key: jax.Array, noise: Any) -> Batches:
        """Step j draws by (key, j), and perturbs what it drew by (key, observation)."""
        draw_key, noise_key = jax.random.split(key)

        def draw(step: jax.Array) -> tuple[jax.Array, jax.Array]:
            own = jax.random.fold_in(draw_key, step)
            index = jax.random.randint(own, (self.batch,), 0, jnp.maximum(history.size, 1))
            targets = history.rewards[index]
            if not _is_nothing(noise):
                targets = targets + noise * perturbations(noise_key, index)
            return index, targets

        if self.ahead:
            indices, perturbed = jax.vmap(draw)(jnp.arange(self.ahead))

            def draw(step: jax.Array) -> tuple[jax.Array, jax.Array]:
                return indices[step], perturbed[step]

        def batch(step: jax.Array) -> Batch:
            index, targets = draw(step)
            weights = jnp.full(self.batch, 1 / self.batch)
            return Batch(take(history.contexts, index), targets, weights)

        return batch


@dataclass(frozen=True)
class Pooled:
    """One weighted target per arm of a fixed pool: exact, whatever the number of rounds."""

    pool: int

    def empty(self, contexts: Any) -> PooledHistory:
        """A pool without observations."""
        return PooledHistory.empty(self.pool, contexts.shape[-1])

    def reserve(self, history: PooledHistory, observations: int) -> PooledHistory:
        """Nothing to do: the size does not depend on what is observed."""
        return history

    def trim(self, history: PooledHistory, observations: int) -> PooledHistory:
        """Nothing to do: the size does not depend on what is observed."""
        return history

    def within(self, history: PooledHistory, work: Callable[[PooledHistory], Tree]) -> Tree:
        """``work`` on the pool."""
        return work(history)

    def append(self, history: PooledHistory, key: jax.Array, feedback: Feedback) -> PooledHistory:
        """Add an observation of arm ``feedback.arm``."""
        return history.append(feedback)

    def batches(self, history: PooledHistory, key: jax.Array, noise: Any) -> Batches:
        """Arm i with weight n_i / t and target mean_i + N(0, noise^2 / n_i) in every step."""
        pulls = jnp.maximum(history.counts, 1)
        jitter = jax.random.normal(key, history.means.shape) * noise / jnp.sqrt(pulls)
        batch = Batch(
            history.contexts,
            history.means + jitter,
            history.counts / jnp.maximum(history.seen, 1),
        )
        return lambda step: batch


@dataclass(frozen=True)
class NoFitting:
    """No history, for policies without a network."""

    def empty(self, contexts: Any) -> None:
        """Nothing."""

    def reserve(self, history: None, observations: int) -> None:
        """Nothing."""

    def trim(self, history: None, observations: int) -> None:
        """Nothing."""

    def append(self, history: None, key: jax.Array, feedback: Feedback) -> None:
        """Nothing."""


Fitting = FullBatch | MiniBatch | Pooled


def objective(
    network: Network, params: Any, initial: Any, batch: Batch, penalty: jax.Array
) -> jax.Array:
    """Eq. (2) on a batch: weighted squared loss / 2 + penalty * |theta - theta_0|^2 / 2."""
    errors: jax.Array = estimate(network, params, batch.contexts) - batch.targets
    return batch.weights @ errors**2 / 2 + penalty * _squared_distance(params, initial) / 2


def _squared_distance(params: Any, initial: Any) -> jax.Array:
    squares = jax.tree.map(lambda a, b: jnp.sum((a - b) ** 2), params, initial)
    total: jax.Array = jax.tree.reduce(jnp.add, squares)
    return total


class Fit(NamedTuple):
    """A network being fitted."""

    params: Any
    initial: Any  # theta_0, at which the regularisation is centred
    optimiser: Any  # the optimiser's own state
    average: Any = None  # of the parameters of late, by which choices are made


def _lost(params: Any) -> jax.Array:
    """Whether descent is beyond recovery: the smallest array of parameters is NaN throughout.

    Then so are all estimates and the gradients of all that they depend on, whatever is learned.
    """
    return jnp.isnan(min(jax.tree.leaves(params), key=jnp.size)).all()


def descend(
    fit: Fit,
    batches: Batches,
    *,
    network: Network,
    optimiser: optax.GradientTransformation,
    steps: Any,
    regularisation: Any,
    size: jax.Array,
    pull: Any = 0.0,
) -> Fit:
    """``steps`` gradient steps on Eq. (2) / ``size``, from where ``fit`` stands.

    Each also takes the parameters the part ``pull`` of their way back to theta_0: regularisation
    that the optimiser does not rescale (decoupled, as in AdamW), and that does not fade with t.
    """
    penalty = width_of(network) * regularisation / jnp.maximum(size, 1)
    gradient = jax.grad(objective, argnums=1)

    def step(j: jax.Array, state: tuple[Any, Any]) -> tuple[Any, Any]:
        params, memory = state
        slope = gradient(network, params, fit.initial, batches(j), penalty)
        updates, memory = optimiser.update(slope, memory, params)
        updates = jax.tree.map(
            lambda move, now, start: move - pull * (now - start), updates, params, fit.initial
        )
        return optax.apply_updates(params, updates), memory

    # In the grids of step sizes that papers tune over, half of the candidates diverge.
    few = isinstance(steps, int) and steps < MANY_STEPS
    due = steps if few else jnp.where(_lost(fit.params), 0, steps)
    params, memory = jax.lax.fori_loop(0, due, step, (fit.params, fit.optimiser))
    return fit._replace(params=params, optimiser=memory)
