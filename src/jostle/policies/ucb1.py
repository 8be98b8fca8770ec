"""UCB1: upper confidence bounds on the mean reward of each arm (Auer et al., 2002)."""

from typing import Any, ClassVar, NamedTuple, Self

import jax
import jax.numpy as jnp

from jostle.core.arrays import Scores
from jostle.core.record import leaf, static
from jostle.core.summation import compensated_add
from jostle.core.validation import unknown
from jostle.models.residuals import Residuals
from jostle.models.ridge import FIXED, RESIDUALS, replaced
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
    residuals: Any = None  # Residuals, unless the scale is fixed

    @property
    def pulls(self) -> Any:
        """How often each arm was pulled."""
        return self.arms[:, 0, 0]

    @property
    def means(self) -> Any:
        """The mean reward of each arm, less the first reward of all unless the scale is fixed."""
        return self.arms[:, 0, 1]


class UCB1(ScoringPolicy):
    """The arm with the highest upper confidence bound on its mean, whatever its context.

    Auer, Cesa-Bianchi and Fischer, "Finite-time Analysis of the Multiarmed Bandit Problem", Machine
    Learning 2002, Figure 1, on arm ids:

        score_i = mean_i + exploration u sqrt(2 log(n) / n_i),   infinite for an arm never pulled

    with n_i the pulls of arm i and n those of all. In the paper u is 1, for rewards in [0, 1]. By
    default it is the deviation of what rewards turn out to be from the mean of their arm before
    (of all arms, if it is the arm's first), so that the unit of rewards does not matter.

    Nothing can be learnt about an arm without an id: it is scored by the mean reward of all
    observations, without a bonus. (If no arm has an id, all scores are equal and the choice is
    uniform.)

    Arguments:
        features: length of a context vector; contexts are ignored.
        exploration: scales the bonus. With a fixed scale 1 is the paper's, for rewards anywhere in
            [0, 1]; ``paper`` has 0.1, which suits noise of a tenth.
        scale: "residuals", or "fixed" as in the paper.
        others: see ``KnowsProbabilities``.
    """

    behaviour = 2  # means by compensated summation

    exploration: Any = leaf(default=0.5)
    scale: str = static(default=RESIDUALS)

    PAPER_EXPLORATION: ClassVar[float] = 0.1

    @classmethod
    def paper(cls, features: int, **settings: Any) -> Self:
        """As in the paper, with a bonus in the unit of rewards."""
        policy = cls(features, scale=FIXED, exploration=cls.PAPER_EXPLORATION)
        return policy.with_settings(**settings)

    def check(self) -> None:
        """Reject bad arguments."""
        super().check()
        if self.scale not in (RESIDUALS, FIXED):
            raise ValueError(unknown("scale", self.scale, (RESIDUALS, FIXED)))

    def init(self, key: jax.Array) -> UCB1State:
        """No arm has been pulled."""
        residuals = Residuals.empty() if self.scale == RESIDUALS else None
        return UCB1State(jnp.zeros((1, 2, 2)), jnp.zeros((2, 2)), residuals)

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
        first: Any = 0.0
        if state.residuals is not None:
            bonus, first = state.residuals.unit * bonus, state.residuals.first
        bounds = xp.where(pulls > 0, means + bonus, xp.inf)
        return first + xp.where(round.arms == NOBODY, mean, bounds)

    def learn(self, state: UCB1State, key: jax.Array, feedback: Feedback) -> UCB1State:
        """Count, and move the means."""
        arm, reward = feedback.arm, feedback.reward
        known = (arm != NOBODY) & (arm < len(state.arms))
        slot = jnp.where(known, arm, 0)
        before = state.arms[slot]
        residuals = state.residuals
        if residuals is not None:
            residuals = residuals.started(reward)
            measured = reward - residuals.first
            told = known & (before[0, 0] > 0)
            error = measured - jnp.where(told, before[0, 1], state.all[0, 1])
            residuals, reward = residuals.observe(reward, error), measured
            # Always so, but the compiler has to wait for the error, and so reads the row before it
            # is written; otherwise it would copy the whole table.
            known &= residuals.square >= 0
        # Nothing is recorded for an arm without an id.
        after = jnp.where(known, _observed(before, reward), before)
        return UCB1State(replaced(state.arms, slot, after), _observed(state.all, reward), residuals)

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
