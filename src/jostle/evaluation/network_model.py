"""A neural reward model by cross-fitting: a network per fold on top of the ridge regression's.

The ridge regression learns what is linear from few rows. The network learns what it leaves, from
mini-batches, chunk by chunk; the networks of all folds are trained together by one program.
"""

import dataclasses
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import optax

from jostle.core.compiler import compiled
from jostle.core.contexts import Blocks
from jostle.core.validation import number, whole
from jostle.evaluation.folds import chosen_contexts, fold_of
from jostle.evaluation.ridge_model import CrossFittedRidge
from jostle.logs import Log, LogLike
from jostle.models.networks import Heads, estimate

MOST_PASSES = 20
"""Over the log: more of them fit the noise of a short one."""


@dataclasses.dataclass(frozen=True)
class RewardNetwork:
    """Settings of the reward model "network", where its own do not suit.

    Arguments:
        width, depth: of the network; ``depth`` counts weight matrices.
        steps: gradient steps that a long log is worth; at least one pass over the log is made.
        batch: rows per step.
        step_size: of Adam, falling to 0.
        decay: how strongly each step draws the weights towards 0, which keeps what the network
            adds to the ridge regression small until many rows speak for it.
        seed: of initial weights and the order of rows.
    """

    width: int = 64
    depth: int = 3
    steps: int = 4000
    batch: int = 128
    step_size: float = 2e-3
    decay: float = 0.03
    seed: int = 0

    def __post_init__(self) -> None:
        for name in ("width", "steps", "batch"):
            whole(name, getattr(self, name))
        whole("depth", self.depth, least=2)
        whole("seed", self.seed, least=0)
        number("step_size", self.step_size)
        number("decay", self.decay)


class CrossFittedNetwork:
    """The ridge regression of ``CrossFittedRidge`` plus a network; without contexts, it alone.

    Where arms share contexts, each has an output layer of its own. The rewards of a fold play no
    part in what predicts it.
    """

    def __init__(self, log: LogLike, folds: int, settings: RewardNetwork):
        self._linear = CrossFittedRidge(log, folds)
        self.folds = self._linear.folds
        self._network = Heads(self._linear.models, settings.width, settings.depth)
        self._params: Any = None
        if len(self._linear.centre):
            self._fit(log, settings)

    def _fit(self, log: LogLike, settings: RewardNetwork) -> None:
        rows = sum(len(chunk) for chunk in log.chunks())
        passes = min(max(round(settings.steps * settings.batch / rows), 1), MOST_PASSES)
        key = jax.random.key(settings.seed)
        shape = jnp.zeros((1, len(self._linear.centre) * self._network.blocks))
        keys = jax.random.split(key, self.folds)
        params = jax.vmap(self._network.init, in_axes=(0, None))(keys, shape)
        state = _State(params, optax.scale_by_adam().init(params))
        chunks = (chunk for _ in range(passes) for chunk in log.chunks())
        seen = 0
        for place, chunk in enumerate(chunks):
            pace = (seen, settings.batch, passes * rows, settings.step_size, settings.decay)
            seen += len(chunk)
            state = _trained(
                self._network,
                settings.batch,
                state,
                jax.random.fold_in(key, place),
                self._examples(chunk, settings.batch),
                _Pace(*(jnp.float32(each) for each in pace)),
            )
        self._params = [
            jax.tree.map(lambda part, fold=fold: np.asarray(part[fold]), state.params)
            for fold in range(self.folds)
        ]

    def _examples(self, chunk: Log, batch: int) -> "_Examples":
        """What the network learns from, padded to a power of two, so that few programs are made."""
        n = len(chunk)
        size = max(batch, 1 << max(n - 1, 1).bit_length())
        size += -size % batch
        folds = fold_of(chunk, self.folds)
        weights = np.zeros((self.folds, size), np.float32)
        targets = np.zeros((self.folds, size), np.float32)
        for fold in range(self.folds):
            weights[fold, :n] = folds != fold
            left = chunk.rewards - self._linear.chosen(chunk, fold)
            targets[fold, :n] = left / self._linear.deviations[fold]
        contexts = self._scaled(chosen_contexts(chunk))
        arms = chunk.chosen_arms() if self._linear.per_arm else np.zeros(n)
        return _Examples(
            np.concatenate([contexts, np.zeros((size - n, contexts.shape[1]), np.float32)]),
            np.concatenate([arms, np.zeros(size - n)]).astype(np.int32),
            targets,
            weights,
        )

    def _scaled(self, contexts: Any) -> np.ndarray:
        """Contexts with entries of about one."""
        scaled = (contexts - self._linear.centre) / self._linear.spread
        return np.asarray(scaled, np.float32)

    def predict(self, log: Log) -> np.ndarray:
        """(n, shown) expected rewards, each row by the network of the other folds."""
        predicted = self._linear.predict(log)
        if self._params is None:
            return predicted
        folds = fold_of(log, self.folds)
        ids = log.arm_ids() if self._linear.per_arm else np.zeros((len(log), log.shown), int)
        assert log.contexts is not None
        for fold, params in enumerate(self._params):
            rows = np.flatnonzero(folds == fold)
            for arm in range(log.shown):
                own = log.contexts[rows] if log.shares_context else log.contexts[rows, arm]
                contexts = Blocks(self._scaled(own), np.maximum(ids[rows, arm], 0))
                added = estimate(self._network, params, contexts)
                predicted[rows, arm] += self._linear.deviations[fold] * added
        return predicted


class _State(NamedTuple):
    """The networks of all folds while they are trained."""

    params: Any
    adam: Any


class _Pace(NamedTuple):
    """How long steps are: ever shorter, until all rows have been seen as often as they are."""

    seen: Any
    batch: Any
    total: Any
    step_size: Any
    decay: Any

    def length(self, step: Any) -> Any:
        """Of a step, counted from the first of these rows."""
        left = 1 - (self.seen + step * self.batch) / self.total
        return self.step_size * jnp.maximum(left, 0)


class _Examples(NamedTuple):
    """Rows of a chunk: contexts and arms that were chosen, and for each fold what to predict."""

    contexts: Any  # (n, d)
    arms: Any  # (n,)
    targets: Any  # (folds, n)
    weights: Any  # (folds, n); 0 for rows of the fold itself


@compiled(static_argnums=(0, 1), donate_argnums=2)
def _trained(
    network: Heads, batch: int, state: _State, key: Any, examples: _Examples, pace: _Pace
) -> _State:
    """The networks after one pass over some rows in random order."""
    adam = optax.scale_by_adam()
    order = jax.random.permutation(key, examples.contexts.shape[0]).reshape(-1, batch)

    def loss(params: Any, x: Blocks, targets: Any, weights: Any) -> Any:
        errors = (estimate(network, params, x) - targets) ** 2
        return jnp.sum(weights * errors) / jnp.maximum(jnp.sum(weights), 1)

    def step(state: _State, work: tuple[Any, Any]) -> tuple[_State, None]:
        number, rows = work
        x = Blocks(examples.contexts[rows], examples.arms[rows])
        gradients = jax.vmap(jax.grad(loss), in_axes=(0, None, 0, 0))(
            state.params, x, examples.targets[:, rows], examples.weights[:, rows]
        )
        updates, after = adam.update(gradients, state.adam)
        length = pace.length(number)
        params = jax.tree.map(
            lambda part, update: part - length * (update + pace.decay * part), state.params, updates
        )
        return _State(params, after), None

    numbers = jnp.arange(order.shape[0])
    return jax.lax.scan(step, state, (numbers, order))[0]
