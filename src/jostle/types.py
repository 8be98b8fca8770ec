"""What flows between environments and policies: specification, round, choice, feedback, outcome.

All of them are named tuples, so they are pytrees, and cheap enough to build for every decision.
Their arrays may be NumPy's or JAX's: ``choose`` works on either (see ``Policy.on_host``).
"""

from typing import Any, NamedTuple, Protocol

import numpy as np

from jostle.core.contexts import take

NOBODY = -1
"""The id of an arm or user without one."""


class BanditSpec(NamedTuple):
    """The dimensions of a bandit problem: what a policy has to know to be built for it.

    Environments have one (``environment.spec``), and so do policies (``policy.spec``: what they
    were built for). ``None`` means that the environment does not have such a thing, or that it does
    not matter to the policy.
    """

    features: int
    """Length of a context vector."""
    pool: int | None = None
    """Size of a fixed set of contexts that come back round after round, one per arm id."""
    blocks: int | None = None
    """Number of blocks of a context in the disjoint model, where each arm has weights of its own:
    a context is zero outside the block of its arm."""
    arms: int | None = None
    """Number of arm ids; None if arms are new in every round and have no ids."""
    users: int | None = None
    """Number of user ids."""
    rounds: int | None = None
    """Number of rounds; None if there is no end to them."""
    chance: float | None = None
    """Expected reward per round of choosing uniformly at random, where it is known."""


class HasSpec(Protocol):
    """Anything that states the dimensions of a bandit problem, such as an environment."""

    @property
    def spec(self) -> BanditSpec:
        """The dimensions."""
        ...


class Round(NamedTuple):
    """What is shown before a decision: k arms, some of which may be absent."""

    contexts: Any
    """(k, features): one context vector per arm, or ``Blocks`` that stand for such vectors."""
    mask: Any
    """(k,) bool: which arms are present, and so may be chosen."""
    arms: Any
    """(k,) int32: the id of each arm, the same whenever that arm comes back, or ``NOBODY``."""
    user: Any
    """int32: the id of the user, or ``NOBODY``."""


class Choice(NamedTuple):
    """A decision, and what it was based on."""

    index: Any
    """Which of the k arms was chosen."""
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
    """What a policy learns from: the context that was chosen and the reward it brought."""

    context: Any
    """(features,), or ``Blocks``."""
    reward: Any
    arm: Any
    """int32: the id of the chosen arm, or ``NOBODY``."""
    user: Any
    """int32: the id of the user, or ``NOBODY``."""
    weight: Any = None
    """How many observations this one counts for; None for one. See ``Policy.takes_weights``."""


class Outcome(NamedTuple):
    """How an environment answers a choice."""

    reward: Any
    """The reward that the policy observes."""
    regret: Any
    """How much more the best arm shown would have brought on average. Policies never see it."""


def plain_round(contexts: Any) -> Round:
    """A round of arms that are all present and have no ids, for NumPy or JAX contexts."""
    xp = contexts.__array_namespace__()
    k = contexts.shape[0]
    ids = xp.full((k,), NOBODY, xp.int32)
    return Round(contexts, xp.ones((k,), bool), ids, np.int32(NOBODY))


def feedback_of(round: Round, index: Any, reward: Any) -> Feedback:
    """The feedback for having chosen arm ``index`` of a round."""
    return Feedback(take(round.contexts, index), reward, round.arms[index], round.user)
