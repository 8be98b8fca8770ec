"""UCB1: upper confidence bounds on the mean reward of each arm (Auer et al., 2002)."""

from typing import Any, NamedTuple

import jax
import jax.numpy as jnp

from jostle.core.record import leaf
from jostle.policies.base import UNKNOWN_ARMS, Policy
from jostle.policies.selection import pick_best
from jostle.types import NOBODY, Choice, Feedback, Round


class UCB1State(NamedTuple):
    """How often each arm was pulled, and the sum of its rewards."""

    counts: Any  # (arms,) int32
    totals: Any  # (arms,)
    seen: Any  # int32: observations of all arms, including those without an id
    total: Any  # the sum of their rewards


class UCB1(Policy):
    """The arm with the highest upper confidence bound on its mean, whatever its context.

    Auer, Cesa-Bianchi and Fischer, "Finite-time Analysis of the Multiarmed Bandit Problem", Machine
    Learning 2002, Figure 1, on arm ids, for rewards in [0, 1]:

        score_i = mean_i + exploration sqrt(2 log(n) / n_i),   infinite for an arm never pulled

    with n_i the pulls of arm i and n those of all. Nothing can be learnt about an arm without an
    id: it is scored by the mean reward of all observations, without a bonus. (If no
    arm has an id, all scores are equal and the choice is uniform.)

    Arguments:
        features: length of a context vector; contexts are ignored.
        exploration: scales the bonus; 1 is the paper's, for rewards anywhere in [0, 1]. The default
            suits noise of a tenth, and makes this a baseline that is not easily beaten.
    """

    exploration: Any = leaf(default=0.1)

    def init(self, key: jax.Array) -> UCB1State:
        """No arm has been pulled."""
        return UCB1State(jnp.zeros(1, jnp.int32), jnp.zeros(1), jnp.int32(0), jnp.float32(0))

    def reserve(self, state: UCB1State, *, observations: int, arms: int | None) -> UCB1State:
        """Room for more arm ids."""
        arms = UNKNOWN_ARMS if arms is None else arms
        extra = (0, max(0, arms - state.counts.shape[0]))
        return state._replace(
            counts=jnp.pad(state.counts, extra), totals=jnp.pad(state.totals, extra)
        )

    def choose(self, state: UCB1State, key: Any, round: Round) -> Choice:
        """The highest upper confidence bound."""
        xp = round.contexts.__array_namespace__()
        counts, seen = state.counts[round.arms], xp.maximum(state.seen, 1)
        pulls = xp.maximum(counts, 1)
        bonus = self.exploration * xp.sqrt(2 * xp.log(seen) / pulls)
        scores = xp.where(counts > 0, state.totals[round.arms] / pulls + bonus, xp.inf)
        scores = xp.where(round.arms == NOBODY, state.total / seen, scores)
        return Choice(pick_best(key, scores, round.mask), scores)

    def learn(self, state: UCB1State, key: jax.Array, feedback: Feedback) -> UCB1State:
        """Count and add."""
        arm, reward = feedback.arm, feedback.reward
        # An index beyond the end is dropped: nothing is recorded for an arm without an id.
        slot = jnp.where(arm == NOBODY, state.counts.shape[0], arm)
        return UCB1State(
            state.counts.at[slot].add(1, mode="drop"),
            state.totals.at[slot].add(reward, mode="drop"),
            state.seen + 1,
            state.total + reward,
        )

    @property
    def needs_arms(self) -> bool:
        """Arms are identified by their ids alone."""
        return True

    @property
    def on_host(self) -> bool:
        """A decision is a table look-up."""
        return True
