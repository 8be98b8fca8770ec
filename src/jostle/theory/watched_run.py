"""Simulated runs that record which arm was pulled in each round and which reward it gave."""

from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from jostle.core.record import data
from jostle.policies import Policy
from jostle.simulation import advance, begin
from jostle.theory.array_types import ArmIds, PerArm, PerRound
from jostle.theory.problem import Problem
from jostle.types import Choice, Feedback, Round


class RecordingState(NamedTuple):
    """The state of the recorded policy, and the feedback it was given."""

    inner: Any
    arms: Any  # (rounds,) int32
    rewards: Any  # (rounds,)
    seen: Any


class RecordingPolicy(Policy):
    """A policy that chooses and learns as ``policy`` does and records each arm and reward."""

    policy: Policy = data()

    def init(self, key: jax.Array) -> RecordingState:
        """Return the initial state of the policy, and an empty record."""
        return RecordingState(
            self.policy.init(key), jnp.zeros(0, jnp.int32), jnp.zeros(0), jnp.int32(0)
        )

    def reserve(
        self, state: RecordingState, *, observations: int, arms: int | None
    ) -> RecordingState:
        """Make room for ``observations`` rounds."""
        extra = (0, max(0, observations - len(state.arms)))
        inner = self.policy.reserve(state.inner, observations=observations, arms=arms)
        return state._replace(
            inner=inner, arms=jnp.pad(state.arms, extra), rewards=jnp.pad(state.rewards, extra)
        )

    def choose(self, state: RecordingState, key: Any, round: Round) -> Choice:
        """Choose as the policy does."""
        return self.policy.choose(state.inner, key, round)

    def learn(self, state: RecordingState, key: jax.Array, feedback: Feedback) -> RecordingState:
        """Learn as the policy does, and record the feedback."""
        return RecordingState(
            self.policy.learn(state.inner, key, feedback),
            state.arms.at[state.seen].set(feedback.arm),
            state.rewards.at[state.seen].set(feedback.reward),
            state.seen + 1,
        )


class WatchedRun(NamedTuple):
    """One run of a policy on a problem, round by round."""

    problem: Problem
    arms: ArmIds
    """The id of the arm pulled in each round."""
    rewards: PerRound
    """The reward received in each round."""
    regret: PerRound
    """The cumulative regret."""

    @property
    def swept(self) -> int:
        """The number of rounds until every arm was pulled once; all rounds if one never was."""
        first = [np.flatnonzero(self.arms == arm) for arm in range(self.problem.arms)]
        return max(int(f[0]) + 1 if len(f) else len(self.arms) for f in first)

    def tallies(self, t: int) -> tuple[PerArm, PerArm]:
        """Return the number of pulls and the sum of rewards per arm after ``t`` rounds."""
        counts = np.bincount(self.arms[:t], minlength=self.problem.arms).astype(float)
        sums = np.bincount(self.arms[:t], self.rewards[:t], minlength=self.problem.arms)
        return counts, sums


def watch_run(problem: Problem, policy: Policy, rounds: int) -> WatchedRun:
    """Simulate ``policy`` on the problem and record what happens."""
    environment, recording = problem.environment, RecordingPolicy(policy.features, policy)
    progress = begin(recording, environment, rounds=rounds, seed=problem.seed)
    progress = advance(recording, environment, progress, 0, rounds)
    record = progress.policy_state
    return WatchedRun(
        problem,
        np.asarray(record.arms),
        np.asarray(record.rewards, np.float64),
        np.cumsum(np.asarray(progress.trace.regrets), dtype=np.float64),
    )
