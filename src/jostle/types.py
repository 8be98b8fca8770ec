"""What flows between policies and environments: contexts -> choice -> reward -> feedback.

All of them are named tuples, so they are pytrees, and cheap enough to build for every decision.
Their arrays may be NumPy's or JAX's: ``choose`` works on either (see ``Policy.on_host``).
"""

from typing import Any, NamedTuple

import numpy as np

from jostle.core.contexts import take

NOBODY = -1
"""The arm or user id of an arm or user that has none."""


class Round(NamedTuple):
    """What is shown before a decision: k arms, of which some may be absent."""

    contexts: Any
    """(k, features): one context vector an arm, or ``Blocks`` that stand for such vectors."""
    mask: Any
    """(k,) bool: which arms may be chosen."""
    arms: Any
    """(k,) int32: the id of each arm, the same whenever that arm comes back, or ``NOBODY``."""
    user: Any
    """int32: who asks, or ``NOBODY``."""


class Choice(NamedTuple):
    """A decision, and what it was based on."""

    index: Any
    """Which of the k arms."""
    scores: Any
    """(k,): what the policy ranked the arms by."""
    probabilities: Any = None
    """(k,): how likely each arm was to be chosen, for policies that know it."""
    context: Any = None
    """The context of the chosen arm. This and what follows is filled in by ``Agent.decide``."""
    arm: Any = None
    """The id of the chosen arm, if arms have ids."""
    user: Any = None
    """The id of the user, if one was given."""


class Feedback(NamedTuple):
    """What a policy learns from: one context that was chosen and the reward it brought."""

    context: Any
    reward: Any
    arm: Any
    user: Any


class Outcome(NamedTuple):
    """What an environment answers to a choice."""

    reward: Any
    """What the policy is told."""
    regret: Any
    """How much more the best shown arm would have brought on average. Policies never see it."""


def plain_round(contexts: Any) -> Round:
    """A round of arms that are all present and have no ids, for NumPy or JAX contexts."""
    xp = contexts.__array_namespace__()
    k = contexts.shape[0]
    ids = xp.full((k,), NOBODY, xp.int32)
    return Round(contexts, xp.ones((k,), bool), ids, np.int32(NOBODY))


def feedback_of(round: Round, index: Any, reward: Any) -> Feedback:
    """The feedback of having chosen arm ``index`` of a round."""
    return Feedback(take(round.contexts, index), reward, round.arms[index], round.user)
