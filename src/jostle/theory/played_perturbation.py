"""The perturbation that a policy really plays: its scores at a frozen history, round after round.

The paper's analysis has every round minimise Eq. (2) with fresh perturbations. A policy that takes
a few gradient steps per round from where the last round ended, or averages its parameters, plays a
smoothed version of them. ``probe`` measures it: the policy is given a history, which then stands
still while the policy goes on playing rounds, and the scores by which it would choose are recorded.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple, Protocol, runtime_checkable

import jax
import jax.numpy as jnp
import numpy as np

from jostle.policies import NTKPerturbed, Policy
from jostle.theory.array_types import ArmIds, Draws, PerArm
from jostle.theory.problem import Problem
from jostle.theory.watched_run import WatchedRun
from jostle.types import NOBODY, Feedback, Round


@runtime_checkable
class Refits(Protocol):
    """A policy that fits its model to a freshly perturbed history in each round, such as NPR."""

    noise: Any

    def refit(self, state: Any, key: jax.Array, noise: Any) -> Any:
        """The state fitted to the same history, perturbed afresh."""
        ...


@runtime_checkable
class PlaysScores(Protocol):
    """A policy whose perturbed scores are not those that ``choose`` returns."""

    def played_scores(self, state: Any, key: jax.Array, round: Round) -> tuple[Any, Any]:
        """The state of the next round, and the perturbed scores of this one."""
        ...


def played_scores(
    policy: Policy, state: Any, key: jax.Array, round: Round
) -> tuple[Any, jax.Array]:
    """Play one round without an observation: the state after it, and the scores of all arms.

    A policy that perturbs when it learns is refitted first (``Refits``). One that perturbs when it
    chooses, such as Thompson sampling or an ensemble of which one member is drawn, needs nothing:
    the scores of ``choose`` with a fresh key are what it plays. Any other policy joins by a method
    ``played_scores`` of its own.
    """
    if isinstance(policy, PlaysScores):
        return policy.played_scores(state, key, round)
    refit_key, choose_key = jax.random.split(key)
    if isinstance(policy, Refits):
        state = policy.refit(state, refit_key, policy.noise)
    elif isinstance(policy, NTKPerturbed):
        state = state._replace(dual=policy._solve(state, refit_key))
    scores: jax.Array = policy.choose(state, choose_key, round).scores
    return state, scores


class FrozenHistory(NamedTuple):
    """Observations that every probed policy is given, in the order they came."""

    problem: Problem
    arms: ArmIds
    rewards: np.ndarray

    @classmethod
    def of(cls, run: WatchedRun, rounds: int) -> "FrozenHistory":
        """The first ``rounds`` observations of a run."""
        return cls(run.problem, run.arms[:rounds], run.rewards[:rounds])

    @property
    def counts(self) -> PerArm:
        """The number of pulls of each arm."""
        return np.bincount(self.arms, minlength=self.problem.arms).astype(float)

    @property
    def means(self) -> PerArm:
        """The mean reward of each arm; every arm must have been pulled."""
        sums = np.bincount(self.arms, self.rewards, minlength=self.problem.arms)
        means: PerArm = sums / self.counts
        return means


def probe(
    policy: Policy, history: FrozenHistory, *, rounds: int, settle: int, seed: int = 0
) -> Draws:
    """Return the scores of all arms in each of ``rounds`` rounds, (rounds, arms).

    The policy learns the history first, then plays ``settle`` rounds that are not recorded.
    """
    problem = history.problem
    contexts = jnp.asarray(np.asarray(problem.contexts, np.float32))
    everything = Round(
        contexts,
        jnp.ones(problem.arms, bool),
        jnp.arange(problem.arms, dtype=jnp.int32),
        jnp.int32(NOBODY),
    )
    arms = jnp.asarray(history.arms, jnp.int32)
    rewards = jnp.asarray(np.asarray(history.rewards, np.float32))
    learn_key, play_key = jax.random.split(jax.random.key(seed))
    state = _learned(policy, learn_key, contexts, arms, rewards)
    scores = _played(policy, state, jax.random.split(play_key, settle + rounds), everything)
    return np.asarray(scores, np.float64)[settle:]


@jax.jit
def _learned(
    policy: Policy, key: jax.Array, contexts: jax.Array, arms: jax.Array, rewards: jax.Array
) -> Any:
    """The state after the history, learnt one observation at a time as in a run."""
    init_key, learn_key = jax.random.split(key)
    rounds = len(arms)
    state = policy.reserve(policy.init(init_key), observations=rounds, arms=len(contexts))

    def learn(t: jax.Array, state: Any) -> Any:
        feedback = Feedback(contexts[arms[t]], rewards[t], arms[t], jnp.int32(NOBODY))
        return policy.learn(state, jax.random.fold_in(learn_key, t), feedback)

    return jax.lax.fori_loop(0, rounds, learn, state)


@jax.jit
def _played(policy: Policy, state: Any, keys: jax.Array, round: Round) -> jax.Array:
    _, scores = jax.lax.scan(lambda s, key: played_scores(policy, s, key, round), state, keys)
    return scores


class Movement(NamedTuple):
    """How the scores of a group of arms move from round to round."""

    deviation: float
    """Root mean square over the arms of the standard deviation over rounds; NaN if scores are."""
    correlation: float
    """Mean over the arms of the correlation between the scores of successive rounds."""


def movement(scores: Draws, groups: Sequence[np.ndarray]) -> list[Movement]:
    """Measure the movement of each group of arms, given as boolean masks."""
    if not np.isfinite(scores).all():  # the policy diverged
        return [Movement(float("nan"), float("nan")) for _ in groups]
    moved = scores - scores.mean(axis=0)
    variances = np.mean(moved**2, axis=0)
    products = np.mean(moved[1:] * moved[:-1], axis=0)
    still = variances == 0  # a score that never moves repeats itself
    correlations = np.where(still, 1.0, products / np.where(still, 1.0, variances))
    return [
        Movement(float(np.sqrt(np.mean(variances[group]))), float(np.mean(correlations[group])))
        for group in groups
    ]
