"""Policies on the rows of a log, compiled: frozen at a state, or learning as they go."""

from functools import partial
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from jostle.core.compiler import compiled
from jostle.core.contexts import Blocks
from jostle.logs import Log
from jostle.policies.base import Policy
from jostle.simulation import show
from jostle.types import NOBODY, Round, feedback_of

BATCH = 64
"""Rows that a frozen policy decides at a time."""


class Rows(NamedTuple):
    """Rows of a log as compiled code takes them; ``contexts`` may be None."""

    contexts: Any
    mask: Any
    arms: Any
    user: Any
    action: Any
    reward: Any
    probability: Any
    number: Any
    valid: Any


def check_fits(policy: Policy, log: Log) -> None:
    """Raise a ``ValueError`` if the policy was built for contexts or arms of another kind."""
    made, there = policy.spec, log.spec
    if made.features != there.features:
        shape = (
            f"{log.arm_count} arms that share contexts of {max(log.features, 1)} features, so one "
            "block per arm"
            if log.shares_context
            else f"contexts of {log.features} features per arm"
        )
        raise ValueError(
            f"policy must take {there.features} features, because the log has {shape}; "
            f"{type(policy).__name__} takes {made.features}. Build it with "
            f"{type(policy).__name__}.for_environment(log)"
        )
    if made.blocks is not None and made.blocks != there.blocks:
        raise ValueError(f"blocks of the policy is {made.blocks}, but the log has {there.blocks}")
    if policy.needs_arms and log.arm_count is None:
        raise ValueError(
            f"policy {type(policy).__name__} needs arms that come back, but the log has no ids of "
            "arms: pass arms= to Log.from_arrays"
        )


def rows_of(log: Log, slots: np.ndarray | None = None, size: int | None = None) -> Rows:
    """A chunk padded to ``size`` rows, or to a power of two, so that few programs are compiled.

    ``slots`` are the places of the arms in a policy's arrays, by default their ids.
    """
    n = len(log)
    size = size or 1 << max(n - 1, 1).bit_length()
    arms = log.arm_ids() if slots is None else slots
    users = np.full(n, NOBODY) if log.users is None else log.users
    contexts = log.contexts
    if contexts is None:  # a constant, so that each arm has a weight
        contexts = np.ones((n, 1), np.float32)
    rows = Rows(
        contexts.astype(np.float32, copy=False),
        log.present(),
        arms.astype(np.int32),
        users.astype(np.int32),
        log.actions.astype(np.int32),
        log.rewards.astype(np.float32),
        log.probabilities.astype(np.float32),
        np.arange(log.first_row, log.first_row + n, dtype=np.int32),
        np.ones(n, bool),
    )
    if size == n:
        return rows
    return Rows(*(np.concatenate([part, np.zeros_like(part, shape=(size - n, *part.shape[1:]))])
                  if name == "valid" else np.concatenate([part, np.repeat(part[-1:], size - n, 0)])
                  for name, part in rows._asdict().items()))  # fmt: skip


def frozen_probabilities(policy: Policy, state: Any, seed: int, rows: Rows) -> np.ndarray:
    """(n, shown) the probabilities of a policy whose state never changes.

    A policy that does not know its probabilities has 1 for the arm that it draws, which is right
    on average.
    """
    return np.asarray(_frozen(policy, state, jax.random.key(seed), rows), np.float64)


class Replayed(NamedTuple):
    """A policy after some rows, and what it did in them."""

    state: Any
    probabilities: np.ndarray
    accepted: np.ndarray


def replayed(policy: Policy, state: Any, seed: int, acceptance: float, rows: Rows) -> Replayed:
    """Let a policy decide on the rows and learn from those that it accepts.

    A row is accepted with probability c pi(a) / p(a), where c is ``acceptance``: if c pi <= p
    throughout, accepted rows are what the policy would have seen, had it decided itself.
    """
    after, probabilities, accepted = _replay(
        policy, state, jax.random.key(seed), jnp.float32(acceptance), rows
    )
    return Replayed(after, np.asarray(probabilities, np.float64), np.asarray(accepted))


@partial(jax.jit, static_argnums=(2, 3))
def initial_state(policy: Policy, key: Any, observations: int, arms: int) -> Any:
    """The state before the first row, with room for all of them."""
    return policy.reserve(policy.init(key), observations=observations, arms=arms)


@compiled()
def _frozen(policy: Policy, state: Any, key: Any, rows: Rows) -> Any:
    def decide(row: Rows) -> Any:
        return _probabilities(policy, state, jax.random.fold_in(key, row.number), row)[0]

    return jax.lax.map(decide, rows, batch_size=BATCH)


@compiled(donate_argnums=1)
def _replay(policy: Policy, state: Any, key: Any, acceptance: Any, rows: Rows) -> Any:
    def step(state: Any, row: Rows) -> tuple[Any, tuple[Any, Any]]:
        choose_key, coin_key, learn_key = jax.random.split(jax.random.fold_in(key, row.number), 3)
        probabilities, round = _probabilities(policy, state, choose_key, row)
        chance = acceptance * probabilities[row.action] / row.probability
        accepted = row.valid & (jax.random.uniform(coin_key) < chance)
        feedback = feedback_of(round, row.action, row.reward)
        state = jax.lax.cond(
            accepted,
            lambda state: policy.learn(state, learn_key, feedback),
            lambda state: state,
            state,
        )
        return state, (probabilities, accepted)

    after, (probabilities, accepted) = jax.lax.scan(step, state, rows)
    return after, probabilities, accepted


def _probabilities(policy: Policy, state: Any, key: Any, row: Rows) -> tuple[Any, Round]:
    round = show(policy, _round(row))
    choice = policy.choose_with_probabilities(state, key, round)
    if choice.probabilities is None:
        return (jnp.arange(row.mask.shape[0]) == choice.index).astype(jnp.float32), round
    return choice.probabilities, round


def _round(row: Rows) -> Round:
    """One row as a round; arms that share a context are told apart by blocks."""
    contexts = row.contexts
    if contexts.ndim == 1:
        shared = jnp.broadcast_to(contexts, (row.arms.shape[0], contexts.shape[0]))
        contexts = Blocks(shared, row.arms)
    return Round(contexts, row.mask, row.arms, row.user)
