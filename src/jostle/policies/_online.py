"""The settings of ``NPR.online``: a small network, a short memory, and a state of bounded size."""

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

import jax

from jostle.models.networks import Heads
from jostle.models.training import Training
from jostle.policies._stacked import StackedPolicy

STATE_BYTES = 1_000_000
"""What the state should not exceed."""
MANY_ENTRIES = 16
"""Entries of a context (of a block) from which on a larger network takes the place of random
features. Fewer entries than that are fitted well by random features, which are cheaper."""
SMALL: Mapping[str, Any] = {"memory": 512, "every": 16, "average": 0.99}
"""How the small network is trained: on so many of the latest observations, one step after every so
many, and what the parameters that decide keep of themselves with each step; see ``Training``."""
LARGE: Mapping[str, Any] = {"memory": 1024, "every": 4, "average": 0.998, "decay": 0.0}
"""How the large network is trained."""
LARGE_WIDTH, LARGE_DEPTH, LARGE_MEMBERS = 80, 3, 16
"""Of the large network, and the members beside it, which are fewer to make room."""
FEWER = 8
"""Random features are left out so many at a time."""
LEAST_MEMBERS = 8
"""Members that remain in any case."""

Made = TypeVar("Made", bound=StackedPolicy)


def online(
    make: Callable[..., Made],
    features: int,
    pool: int | None,
    blocks: int | None,
    settings: Mapping[str, Any],
) -> Made:
    """The policy with a large network if that suits the contexts and the bound, else a small one.

    ``settings`` go before those that are chosen here.
    """
    if pool is None and features // (blocks or 1) >= MANY_ENTRIES:
        policy = make(
            features,
            blocks=blocks,
            network=Heads(blocks or 1, LARGE_WIDTH, LARGE_DEPTH),
            training=Training(steps=1, **LARGE),
            random_features=0,
            members=LARGE_MEMBERS,
        ).with_settings(**settings)
        if state_bytes(policy) <= STATE_BYTES:
            return policy
    training = Training(steps=1, **SMALL)
    policy = make(features, pool=pool, blocks=blocks, network=Heads(blocks or 1), training=training)
    policy = policy.with_settings(**settings)
    return policy if "random_features" in settings else within_bounds(policy)


def state_bytes(policy: StackedPolicy) -> int:
    """The size of the state, which no number of observations changes."""

    def ready(key: jax.Array) -> Any:
        observations = policy.training.memory or SMALL["memory"]
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
