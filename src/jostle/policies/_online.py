"""The settings of ``NPR.online``: a small network, a short memory, and a state of bounded size."""

from typing import Any, TypeVar

import jax

from jostle.models.networks import Heads
from jostle.models.training import Training
from jostle.policies._stacked import StackedPolicy

STATE_BYTES = 1_000_000
"""What the state should not exceed."""
MEMORY, EVERY = 512, 16
"""Observations that the network is trained on, the latest ones, and how many come between steps."""
AVERAGE = 0.99
"""What the parameters that decide keep of themselves with each step; see ``Training``."""
FEWER = 8
"""Random features are left out so many at a time."""
LEAST_MEMBERS = 8
"""Members that remain in any case."""

Made = TypeVar("Made", bound=StackedPolicy)


def online_parts(blocks: int | None) -> dict[str, Any]:
    """The network, which all blocks share, and how it is trained."""
    training = Training(steps=1, every=EVERY, memory=MEMORY, average=AVERAGE)
    return {"network": Heads(blocks or 1), "training": training}


def state_bytes(policy: StackedPolicy) -> int:
    """The size of the state, which no number of observations changes."""

    def ready(key: jax.Array) -> Any:
        observations = policy.training.memory or MEMORY
        return policy.reserve(policy.init(key), observations=observations, arms=0)

    state = jax.eval_shape(ready, jax.random.key(0))
    return sum(leaf.size * leaf.dtype.itemsize for leaf in jax.tree.leaves(state))


def within_bounds(policy: Made) -> Made:
    """The same with fewer random features, if its state would exceed ``STATE_BYTES`` otherwise.

    If there are none left, half of the members go, and half of those.
    """
    while state_bytes(policy) > STATE_BYTES:
        if policy.shape.hidden > 0:
            policy = policy.replace(random_features=max(0, policy.shape.hidden - FEWER))
        elif policy.members > LEAST_MEMBERS:
            policy = policy.replace(members=policy.members // 2)
        else:
            break
    return policy
