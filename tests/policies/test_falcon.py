"""FALCON+ against its definition."""

import jax
import jax.numpy as jnp
import numpy as np

from jostle import Falcon
from jostle.simulation import advance, begin
from jostle.types import Feedback

from cases import SMALL
from support import EASY, FEATURES, POOL


def test_weights_are_the_inverse_gaps():
    policy = Falcon.descent(FEATURES, complexity=0.5)
    state = policy.init(jax.random.key(0))._replace(fitted=jnp.int32(64))
    scores = np.asarray([0.3, 0.9, -0.2, 0.5], np.float32)
    mask = np.asarray([True, True, False, True])
    gamma = np.sqrt(3 / (0.5 / 64)) / 2
    wanted = np.asarray([1 / (3 + gamma * 0.6), 0, 0, 1 / (3 + gamma * 0.4)])
    wanted[1] = 1 - wanted.sum()
    found = policy.weights(state, jnp.asarray(scores), jnp.asarray(mask))
    np.testing.assert_allclose(found, wanted, rtol=1e-5)


def test_before_the_first_regression_all_arms_are_alike():
    policy = Falcon.descent(FEATURES)
    state = policy.init(jax.random.key(0))
    weights = policy.weights(state, jnp.zeros(4), jnp.asarray([True, False, True, True]))
    np.testing.assert_allclose(weights, [1 / 3, 0, 1 / 3, 1 / 3], rtol=1e-6)


def test_it_is_fitted_at_powers_of_two_to_the_epoch_just_ended():
    policy = Falcon.descent(FEATURES, pool=POOL, **SMALL).with_settings(steps=3)
    progress = begin(policy, EASY, rounds=40, seed=0)
    fitted = []
    for t in range(40):
        before = jax.tree.map(np.array, progress.policy_state.fit.params)
        progress = advance(policy, EASY, progress, t, t + 1)
        after = progress.policy_state.fit.params
        same = all(map(np.array_equal, jax.tree.leaves(before), jax.tree.leaves(after)))
        if not same:
            fitted.append((t + 1, int(progress.policy_state.fitted)))
            assert int(progress.policy_state.history.seen) == 0
    assert fitted == [(2, 2), (4, 2), (8, 4), (16, 8), (32, 16)]


def test_each_regression_starts_from_scratch():
    """The network after an epoch depends on that epoch alone."""
    policy = Falcon.descent(FEATURES, **SMALL).with_settings(fitting="full", steps=3)

    def after(first_rewards):
        state = policy.reserve(policy.init(jax.random.key(0)), observations=8, arms=0)
        learn = jax.jit(policy.learn)
        for t, reward in enumerate([*first_rewards, 1.0, 2.0]):
            context = jnp.full(FEATURES, t, jnp.float32)
            row = Feedback(context, jnp.float32(reward), jnp.int32(-1), jnp.int32(-1))
            state = learn(state, jax.random.key(t), row)
        return state.fit.params

    for a, b in zip(*map(jax.tree.leaves, (after([5, 6]), after([-1, 0]))), strict=True):
        np.testing.assert_array_equal(a, b)


def test_gaps_are_measured_in_units_of_the_error_and_plainly_before_there_is_one():
    policy = Falcon(FEATURES, **{**SMALL, "random_features": 8})
    state = policy.init(jax.random.key(0))
    assert float(policy.error_scale(state)) == 0
    assert float(policy.gap_unit(state)) == 1
