"""UCB1: upper confidence bounds on the mean reward of each arm (Auer et al., 2002)."""

from typing import Any, NamedTuple

import jax
import jax.numpy as jnp

from jostle.core.arrays import Scores
from jostle.core.record import leaf
from jostle.core.summation import compensated_add
from jostle.models.ridge import replaced
from jostle.policies._probabilities import ScoringPolicy
from jostle.policies.base import UNKNOWN_ARMS
from jostle.types import NOBODY, Feedback, Round


class UCB1State(NamedTuple):
    """How often each arm was pulled, and the mean of its rewards.

    Both by compensated summation, since a plain sum in float32 stops growing near 1.7e7: a record
    is (pulls, mean), then what rounding has cut off them. It is one table because the compiler
    would copy several that depend on each other in every round.
    """

    arms: Any  # (arms, 2, 2)
    all: Any  # (2, 2): of all observations, including those of arms without an id

    @property
    def pulls(self) -> Any:
        """How often each arm was pulled."""
        return self.arms[:, 0, 0]

    @property
    def means(self) -> Any:
        """The mean reward of each arm; 0 for an arm never pulled."""
        return self.arms[:, 0, 1]


class UCB1(ScoringPolicy):
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
        others: see ``KnowsProbabilities``.
    """

    behaviour = 2  # means by compensated summation

    exploration: Any = leaf(default=0.1)

    def init(self, key: jax.Array) -> UCB1State:
        """No arm has been pulled."""
        return UCB1State(jnp.zeros((1, 2, 2)), jnp.zeros((2, 2)))

    def reserve(self, state: UCB1State, *, observations: int, arms: int | None) -> UCB1State:
        """Room for more arm ids."""
        arms = UNKNOWN_ARMS if arms is None else arms
        extra = max(0, arms - state.arms.shape[0])
        return state._replace(arms=jnp.pad(state.arms, ((0, extra), (0, 0), (0, 0))))

    def scores(self, state: UCB1State, round: Round) -> Scores:
        """Upper confidence bounds."""
        xp = round.contexts.__array_namespace__()
        pulls, means = state.arms[round.arms, 0].T
        seen, mean = state.all[0]
        bonus = self.exploration * xp.sqrt(2 * xp.log(xp.maximum(seen, 1)) / xp.maximum(pulls, 1))
        bounds = xp.where(pulls > 0, means + bonus, xp.inf)
        return xp.where(round.arms == NOBODY, mean, bounds)

    def learn(self, state: UCB1State, key: jax.Array, feedback: Feedback) -> UCB1State:
        """Count, and move the means."""
        arm, reward = feedback.arm, feedback.reward
        known = (arm != NOBODY) & (arm < len(state.arms))
        slot = jnp.where(known, arm, 0)
        before = state.arms[slot]
        # Nothing is recorded for an arm without an id.
        after = jnp.where(known, _observed(before, reward), before)
        return UCB1State(replaced(state.arms, slot, after), _observed(state.all, reward))

    @property
    def needs_arms(self) -> bool:
        """Arms are identified by their ids alone."""
        return True

    @property
    def on_host(self) -> bool:
        """A decision is a table look-up."""
        return True


def _observed(record: jax.Array, reward: Any) -> jax.Array:
    """A record of pulls and mean after one more reward."""
    pulls, mean = record[0]
    change = jnp.stack([jnp.float32(1), (reward - mean) / (pulls + 1)])
    return jnp.stack(compensated_add(record[0], record[1], change))
