"""A run that is watched: which arm was pulled in each round, and what it brought."""

from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from jostle.core.record import data
from jostle.policies import Policy
from jostle.simulation import advance, begin
from jostle.theory.problem import Problem
from jostle.types import Choice, Feedback, Round


class WatchedState(NamedTuple):
    """The state of the policy, and what it was told."""

    inner: Any
    arms: Any  # (rounds,) int32
    rewards: Any  # (rounds,)
    seen: Any


class Watched(Policy):
    """A policy with a diary: it chooses and learns as ``policy`` does and notes arm and reward."""

    policy: Policy = data()

    def init(self, key: jax.Array) -> WatchedState:
        """The policy's own start, and an empty diary."""
        return WatchedState(
            self.policy.init(key), jnp.zeros(0, jnp.int32), jnp.zeros(0), jnp.int32(0)
        )

    def reserve(self, state: WatchedState, *, observations: int, arms: int | None) -> WatchedState:
        """Room for more rounds."""
        extra = (0, max(0, observations - len(state.arms)))
        inner = self.policy.reserve(state.inner, observations=observations, arms=arms)
        return state._replace(
            inner=inner, arms=jnp.pad(state.arms, extra), rewards=jnp.pad(state.rewards, extra)
        )

    def choose(self, state: WatchedState, key: Any, round: Round) -> Choice:
        """As the policy does."""
        return self.policy.choose(state.inner, key, round)

    def learn(self, state: WatchedState, key: jax.Array, feedback: Feedback) -> WatchedState:
        """As the policy does, and note it."""
        return WatchedState(
            self.policy.learn(state.inner, key, feedback),
            state.arms.at[state.seen].set(feedback.arm),
            state.rewards.at[state.seen].set(feedback.reward),
            state.seen + 1,
        )


class Journey(NamedTuple):
    """What happened in one run."""

    problem: Problem
    arms: np.ndarray
    """(rounds,): the id of the arm pulled in each round."""
    rewards: np.ndarray
    """(rounds,): what it brought."""
    regret: np.ndarray
    """(rounds,): cumulative."""

    @property
    def swept(self) -> int:
        """How many rounds it took until every arm was pulled once; all of them if one never was."""
        first = [np.flatnonzero(self.arms == arm) for arm in range(self.problem.arms)]
        return max(int(f[0]) + 1 if len(f) else len(self.arms) for f in first)

    def tallies(self, t: int) -> tuple[np.ndarray, np.ndarray]:
        """Pulls of each arm and the sum of their rewards after ``t`` rounds."""
        counts = np.bincount(self.arms[:t], minlength=self.problem.arms).astype(float)
        sums = np.bincount(self.arms[:t], self.rewards[:t], minlength=self.problem.arms)
        return counts, sums


def travel(problem: Problem, policy: Policy, rounds: int) -> Journey:
    """Play ``policy`` on the problem and watch."""
    environment, watched = problem.environment, Watched(policy.features, policy)
    progress = begin(watched, environment, rounds=rounds, seed=problem.seed)
    progress = advance(watched, environment, progress, 0, rounds)
    diary = progress.policy_state
    return Journey(
        problem,
        np.asarray(diary.arms),
        np.asarray(diary.rewards, np.float64),
        np.cumsum(np.asarray(progress.trace.regrets), dtype=np.float64),
    )
