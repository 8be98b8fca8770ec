"""``NPR.online``: constant memory, a bounded state, and updates when they are due."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from jostle import NPR
from jostle.environments import Clicks
from jostle.factory import make_policy
from jostle.models.history import History
from jostle.models.networks import Heads
from jostle.policies._online import STATE_BYTES, state_bytes
from jostle.types import Feedback

from support import assert_same, nbytes

CLICKS = Clicks(arms=4, user_features=2)
SMALL = {"random_features": 6, "members": 4, "width": 4, "memory": 32, "batch": 8, "every": 4}


def test_its_state_does_not_grow_and_its_size_is_known():
    policy = make_policy("npr.online", CLICKS).with_settings(**SMALL)
    assert isinstance(policy.network, Heads)
    assert policy.network.blocks == 4
    start = policy.reserve(policy.init(jax.random.key(0)), observations=40, arms=0)
    later = policy.reserve(start, observations=10**9, arms=0)
    assert nbytes(start) == nbytes(later) == state_bytes(policy)


@pytest.mark.parametrize(("features", "blocks"), [(10, 5), (54 * 7, 7), (100, None), (40 * 20, 20)])
def test_its_state_is_below_a_megabyte(features, blocks):
    """With fewer random features where the matrices are many or large, never with more."""
    policy = NPR.online(features, blocks=blocks)
    assert state_bytes(policy) <= STATE_BYTES
    assert policy.shape.hidden <= NPR(features, blocks=blocks).shape.hidden
    assert NPR.online(features, blocks=blocks, random_features=3).shape.hidden == 3


@pytest.mark.parametrize(
    ("features", "settings", "large"),
    [
        (15 * 7, {"blocks": 7}, False),
        (16 * 7, {"blocks": 7}, True),
        (54 * 7, {"blocks": 7}, True),
        (16, {}, True),
        (256, {}, False),  # a large network would not fit into the bound
        (16, {"pool": 9}, False),
        (54 * 7, {"blocks": 7, "memory": 5000}, False),
    ],
)
def test_a_larger_network_takes_the_place_of_random_features_where_entries_are_many(
    features, settings, large
):
    policy = NPR.online(features, **settings)
    assert (policy.network.depth, policy.network.width) == ((3, 80) if large else (2, 64))
    assert (policy.members, policy.training.every) == ((16, 4) if large else (policy.members, 16))
    assert policy.training.memory == settings.get("memory", 1024 if large else 512)
    if large:
        assert policy.shape.hidden == 0
        assert state_bytes(policy) <= STATE_BYTES


def test_settings_go_before_those_of_the_larger_network():
    policy = NPR.online(54 * 7, blocks=7, random_features=8, width=30, every=2, members=4)
    assert policy.shape.hidden == 8
    assert (policy.network.width, policy.network.depth) == (30, 3)
    assert (policy.members, policy.training.every, policy.training.memory) == (4, 2, 1024)


@pytest.mark.study
def test_the_network_is_updated_after_every_so_many_observations():
    """And is the same as if the update had been computed by itself, with the same key."""
    policy = make_policy("npr.online", CLICKS).with_settings(**SMALL)
    state = policy.reserve(policy.init(jax.random.key(0)), observations=100, arms=4)
    learn = jax.jit(policy.learn)
    rng = np.random.default_rng(1)
    for t in range(12):
        x = jnp.asarray(rng.normal(size=policy.features // 4), jnp.float32)
        context = type(state.history.contexts)(x, jnp.int32(t % 4))
        row = Feedback(context, jnp.float32(t % 3), jnp.int32(t % 4), jnp.int32(-1))
        key = jax.random.key(t)
        before, state = state, learn(state, key, row)
        if (t + 1) % 4:
            assert_same(state.fit, before.fit)
        else:
            alone = policy.with_settings(every=1)
            remembered = alone.remember(before, jax.random.split(key)[0], row)
            expected = alone.refit(remembered, jax.random.split(key)[1]).fit
            for a, b in zip(*map(jax.tree.leaves, (state.fit, expected)), strict=True):
                np.testing.assert_allclose(a, b, rtol=1e-4, atol=1e-6)


def test_a_reservoir_that_does_not_take_an_observation_is_unchanged():
    history = History.empty(jnp.zeros((0, 1))).reserve(3)
    for t in range(200):
        row = Feedback(jnp.full(1, float(t)), jnp.float32(t), jnp.int32(0), jnp.int32(0))
        before, history = history, history.append(jax.random.key(t), row, "random")
        changed = int((history.rewards != before.rewards).sum())
        assert changed <= 1
        if changed:
            assert t in history.rewards
        np.testing.assert_array_equal(history.contexts[:, 0], history.rewards)
    assert int(history.seen) == 200
    assert len(set(history.rewards.tolist())) == 3
