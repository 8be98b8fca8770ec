"""Responses against the normal equations, and their forgetting against weighted ones."""

from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from jostle.models.forgetting import Clock, observe_forgetting
from jostle.models.responses import Responses

BLOCKS, TARGETS, SIZE, ROUNDS, RIDGE = 3, 4, 5, 60, 0.3


@pytest.fixture(scope="module")
def stream():
    rng = np.random.default_rng(0)
    phis = rng.normal(size=(ROUNDS, SIZE))
    return rng.integers(0, BLOCKS, ROUNDS), phis, rng.normal(size=(ROUNDS, TARGETS))


@pytest.fixture(scope="module")
def initial():
    return np.random.default_rng(1).normal(size=(BLOCKS, TARGETS, SIZE))


def solved(block, stream, initial):
    """V and the responses of a block by the normal equations, in float64."""
    own = stream[0] == block
    phis, targets = stream[1][own], stream[2][own]
    v = RIDGE * np.eye(SIZE) + phis.T @ phis
    return v, np.linalg.solve(v, phis.T @ targets + RIDGE * initial[block].T).T


def test_agrees_with_the_normal_equations(stream, initial):
    responses = Responses.empty(jnp.asarray(initial, jnp.float32), RIDGE)
    observe = jax.jit(Responses.observe)
    leverages = []
    for block, phi, targets in zip(*stream, strict=True):
        responses, leverage = observe(responses, block, phi, targets)
        leverages.append(float(leverage))
    for block in range(BLOCKS):
        v, weights = solved(block, stream, initial)
        np.testing.assert_allclose(responses.weights[block], weights, atol=2e-5)
        root = np.asarray(responses.root[block])
        np.testing.assert_allclose(root @ root.T, np.linalg.inv(v), atol=1e-5)
        assert responses.count[block] == (stream[0] == block).sum()
    # The leverage of an observation is what one more like it would have had to say.
    first = stream[1][0]
    assert leverages[0] == pytest.approx(first @ first / (RIDGE + first @ first), rel=1e-5)


def test_a_least_leverage_forgets_exponentially_in_its_own_direction():
    """With one indicator feature per arm the response is a moving average, arm by arm."""
    least, rng = 0.1, np.random.default_rng(0)
    responses = Responses.empty(jnp.zeros((1, 1, 2)), 1e-3)
    observe = jax.jit(lambda now, phi, y: now.observe(0, phi, y[None], least=least)[0])
    averages, counts = np.zeros(2), np.full(2, 1e-3)
    for _ in range(200):
        arm, reward = rng.integers(2), rng.normal()
        counts[arm] += 1
        step = max(1 / counts[arm], least)
        averages[arm] += step * (reward - averages[arm])
        responses = observe(responses, np.eye(2)[arm], np.float32(reward))
    np.testing.assert_allclose(responses.weights[0, 0], averages, atol=1e-4)
    # What remains unknown of each arm no longer falls below the least leverage.
    root = np.asarray(responses.root[0])
    np.testing.assert_allclose(np.diag(root @ root.T), least, rtol=1e-3)


def test_a_context_of_zeros_teaches_nothing():
    responses = Responses.empty(jnp.ones((1, 1, 2)), 0.5)
    for least in (0.0, 0.1):
        after, leverage = responses.observe(0, jnp.zeros(2), jnp.ones(1), least)
        assert np.isfinite(float(leverage))
        for a, b in zip(after[:2], responses[:2], strict=True):
            np.testing.assert_array_equal(a, b)


def test_forgetting_is_a_weighted_fit(stream):
    """Against V, and the sums on its right-hand side, kept in float64 and scaled in every step."""
    keep, members = 0.9, 2
    rng = np.random.default_rng(2)
    prior = rng.normal(size=(1, members, SIZE))
    start = np.concatenate([np.zeros((1, 1 + members, SIZE)), prior], axis=1)
    responses = Responses.empty(jnp.asarray(start, jnp.float32), RIDGE)
    clock = Clock.start(1)
    v = RIDGE * np.eye(SIZE)
    rewards, noise, priors = np.zeros(SIZE), np.zeros((members, SIZE)), RIDGE * prior[0]
    forget = partial(
        observe_forgetting, regularisation=RIDGE, prior=jnp.asarray(prior, jnp.float32)
    )
    observe = jax.jit(lambda now, clock, *row: forget(now, clock, jnp.int32(0), 0, *row)[0])
    time = 0
    for t, phi in enumerate(stream[1]):
        if t % 3 == 2:
            continue  # a gap of two: as if another block had been observed
        z, reward = rng.normal(size=members), rng.normal()
        factor, feature = keep ** (t - time), int(clock.turn[0]) % SIZE
        clock = clock.after((t - time) * -np.log2(keep))
        time = t
        v, rewards, noise, priors = (
            factor * v,
            factor * rewards,
            factor**0.5 * noise,
            factor * priors,
        )
        share = SIZE * (1 - factor) * RIDGE
        v[feature, feature] += share
        priors[:, feature] += share * prior[0, :, feature]
        targets = np.concatenate([[reward], z, np.zeros(members)])
        responses = observe(responses, clock, phi, targets)
        clock = clock.brought_up(0)
        v += np.outer(phi, phi)
        rewards, noise = rewards + reward * phi, noise + z[:, None] * phi
        expected = np.linalg.solve(v, np.vstack([rewards, noise, priors]).T).T
        np.testing.assert_allclose(responses.weights[0], expected, atol=1e-4)


def test_uncertainty_returns_where_nothing_is_observed_any_more():
    """After many half-lives in one direction the prior is back in the others, and bounded."""
    prior = jnp.ones((1, 1, 2))
    responses = Responses.empty(jnp.concatenate([jnp.zeros((1, 2, 2)), prior], axis=1), RIDGE)
    clock = Clock.start(1)
    for _ in range(30):
        responses, _ = responses.observe(0, jnp.array([0.0, 1.0]), jnp.zeros(3))
    assert float(responses.weights[0, 2, 1]) < 0.02

    @jax.jit
    def step(held, t):
        now, clock = held[0], held[1].after(0.15)
        seen = jnp.array([1.0, 0.0]), jnp.zeros(3)
        now, _ = observe_forgetting(
            now, clock, jnp.int32(0), 0, *seen, regularisation=RIDGE, prior=prior
        )
        return (now, clock.brought_up(0)), None

    (responses, clock), _ = jax.lax.scan(step, (responses, clock), jnp.arange(1, 400))
    remaining = np.asarray(responses.weights[0, 2])
    assert remaining[0] < 0.1
    assert remaining[1] == pytest.approx(1.0, abs=0.05)
    assert np.isfinite(np.asarray(responses.root)).all()


def test_blocks_take_turns_and_forget_what_is_due_to_each(stream):
    """Half lives that change over time, against weights kept for every observation."""
    rng = np.random.default_rng(3)
    responses, clock = Responses.empty(jnp.zeros((BLOCKS, 1, SIZE)), RIDGE), Clock.start(BLOCKS)
    observe = jax.jit(partial(observe_forgetting, regularisation=RIDGE))
    half_lives = rng.random(ROUNDS) * (rng.random(ROUNDS) < 0.5)  # at times nothing is forgotten
    v = np.broadcast_to(RIDGE * np.eye(SIZE), (BLOCKS, SIZE, SIZE)).copy()
    right, due, turns = np.zeros((BLOCKS, SIZE)), np.zeros(BLOCKS), np.zeros(BLOCKS, int)
    for t, (block, phi, targets) in enumerate(zip(*stream, strict=True)):
        places = jnp.int32(block), jnp.int32(t % BLOCKS)
        clock = clock.after(np.float32(half_lives[t]))
        responses, leverage = observe(responses, clock, *places, phi, targets[:1])
        clock = clock.brought_up(*places)
        due += half_lives[t]
        for each in (block, t % BLOCKS):
            if due[each] > 0:
                factor = 0.5 ** due[each]
                v[each], right[each] = factor * v[each], factor * right[each]
                v[each][turns[each] % SIZE, turns[each] % SIZE] += SIZE * (1 - factor) * RIDGE
                due[each], turns[each] = 0, turns[each] + 1
        variance = phi @ np.linalg.solve(v[block], phi)
        assert float(leverage) == pytest.approx(variance / (1 + variance), rel=1e-3)
        v[block], right[block] = v[block] + np.outer(phi, phi), right[block] + targets[0] * phi
    np.testing.assert_allclose(clock.due, due, atol=1e-5)
    expected = np.linalg.solve(v, right[..., None])[..., 0]
    np.testing.assert_allclose(responses.weights[:, 0], expected, atol=2e-4)


def test_nothing_is_forgotten_where_nothing_is_due(stream, initial):
    """What is learned is what is learned without a clock."""
    plain = forgetful = Responses.empty(jnp.asarray(initial, jnp.float32), RIDGE)
    clock = Clock.start(BLOCKS).after(0.0)
    learn = jax.jit(Responses.observe)
    forget = jax.jit(partial(observe_forgetting, regularisation=RIDGE))
    for t, (block, phi, targets) in enumerate(zip(*stream, strict=True)):
        places = jnp.int32(block), jnp.int32(t % BLOCKS)
        plain, _ = learn(plain, places[0], phi, targets)
        forgetful, _ = forget(forgetful, clock, *places, phi, targets)
        clock = clock.brought_up(*places)
    assert not np.asarray(clock.turn).any()
    for new, old in zip(forgetful, plain, strict=True):
        np.testing.assert_allclose(new, old, rtol=1e-5, atol=1e-6)  # another order of additions
