"""Responses against the normal equations, and their forgetting against weighted ones."""

import math
from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from jostle.models.forgetting import Clock, observe_forgetting
from jostle.models.responses import Responses

BLOCKS, TARGETS, SIZE, ROUNDS, RIDGE = 3, 4, 5, 60, 0.3
NO_MEMBERS = np.zeros((0, SIZE))


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


def test_a_context_of_zeros_teaches_nothing():
    responses = Responses.empty(jnp.ones((1, 1, 2)), 0.5)
    after, leverage = responses.observe(0, jnp.zeros(2), jnp.ones(1))
    assert float(leverage) == 0
    for a, b in zip(after[:2], responses[:2], strict=True):
        np.testing.assert_array_equal(a, b)


class Weighted:
    """V, and the sums on the right-hand side, of one block, scaled and topped up in float64."""

    def __init__(self, prior=NO_MEMBERS):
        self.v, self.due, self.turn = RIDGE * np.eye(SIZE), 0.0, 0
        self.prior, self.priors = prior, RIDGE * prior
        self.rewards, self.noise = np.zeros(SIZE), np.zeros((len(prior), SIZE))

    def forget(self):
        """What is due, if it is at least a 32nd."""
        factor = 0.5**self.due
        if 1 - factor < 1 / 32:
            return
        self.due = 0.0
        self.v, self.rewards, self.priors = (
            factor * part for part in (self.v, self.rewards, self.priors)
        )
        self.noise = factor**0.5 * self.noise
        entries = math.ceil(SIZE * (1 - factor))
        share = SIZE * (1 - factor) * RIDGE / entries
        for i in range(self.turn, self.turn + entries):
            self.v[i % SIZE, i % SIZE] += share
            self.priors[:, i % SIZE] += share * self.prior[:, i % SIZE]
        self.turn += entries

    def observe(self, phi, reward, z=NO_MEMBERS[:, 0]):
        self.v += np.outer(phi, phi)
        self.rewards, self.noise = self.rewards + reward * phi, self.noise + z[:, None] * phi

    def solved(self):
        right = np.vstack([self.rewards, self.noise, self.priors])
        return np.linalg.solve(self.v, right.T).T


@pytest.mark.parametrize("keep", [0.9, 0.99])
def test_forgetting_is_a_weighted_fit(stream, keep):
    members = 2
    rng = np.random.default_rng(2)
    prior = rng.normal(size=(1, members, SIZE))
    start = np.concatenate([np.zeros((1, 1 + members, SIZE)), prior], axis=1)
    responses = Responses.empty(jnp.asarray(start, jnp.float32), RIDGE)
    clock, expected = Clock.start(1), Weighted(prior[0])
    forget = partial(
        observe_forgetting, regularisation=RIDGE, prior=jnp.asarray(prior, jnp.float32)
    )
    observe = jax.jit(lambda now, clock, *row: forget(now, clock, jnp.int32(0), 0, *row))
    for t, phi in enumerate(stream[1]):
        clock = clock.after(-np.log2(keep))
        expected.due -= np.log2(keep)
        if t % 3 == 2:
            continue  # a gap of two: as if another block had been observed
        z, reward = rng.normal(size=members), rng.normal()
        targets = np.concatenate([[reward], z, np.zeros(members)])
        responses, clock, _ = observe(responses, clock, phi, targets)
        expected.forget()
        expected.observe(phi, reward, z)
        np.testing.assert_allclose(responses.weights[0], expected.solved(), atol=1e-4)
    assert int(clock.turn[0]) == expected.turn > SIZE


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
        now, clock, _ = observe_forgetting(
            now, clock, jnp.int32(0), 0, *seen, regularisation=RIDGE, prior=prior
        )
        return (now, clock), None

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
    expected = [Weighted() for _ in range(BLOCKS)]
    for t, (block, phi, targets) in enumerate(zip(*stream, strict=True)):
        places = jnp.int32(block), jnp.int32(t % BLOCKS)
        clock = clock.after(np.float32(half_lives[t]))
        responses, clock, leverage = observe(responses, clock, *places, phi, targets[:1])
        for each in expected:
            each.due += half_lives[t]
        for each in (block, t % BLOCKS):
            expected[each].forget()
        variance = phi @ np.linalg.solve(expected[block].v, phi)
        assert float(leverage) == pytest.approx(variance / (1 + variance), rel=1e-3)
        expected[block].observe(phi, targets[0])
    np.testing.assert_allclose(clock.due, [each.due for each in expected], atol=1e-5)
    np.testing.assert_array_equal(clock.turn, [each.turn for each in expected])
    solved = [each.solved()[0] for each in expected]
    np.testing.assert_allclose(responses.weights[:, 0], solved, atol=2e-4)


@pytest.mark.parametrize("pace", [0.002, 0.006, 0.02])
def test_many_blocks_forget_in_time_and_stay_finite(pace):
    """When their turn comes, 0.6, 1.8 or 6 half lives are due: more than a step takes."""
    blocks, size = 300, 40
    prior = jnp.ones((blocks, 1, size))
    start = jnp.concatenate([jnp.zeros((blocks, 2, size)), prior], axis=1)

    @jax.jit
    def step(held, t):
        key = jax.random.fold_in(jax.random.key(0), t)
        phi, targets = jax.random.normal(key, (size,)), jnp.array([1.0, 0.5, 0.0])
        block = jnp.where(t < 3_000, t % blocks, t % 2)
        now, clock, _ = observe_forgetting(
            held[0], held[1].after(pace), block, t % blocks, phi, targets,
            regularisation=RIDGE, prior=prior,
        )  # fmt: skip
        return (now, clock), None

    held = Responses.empty(start, RIDGE), Clock.start(blocks)
    (responses, _), _ = jax.lax.scan(step, held, jnp.arange(30_000))
    for part in responses:
        assert np.isfinite(np.asarray(part)).all()
    # Of blocks that were never seen, or only before all was forgotten, nothing is known.
    np.testing.assert_allclose(responses.weights[5:, 2], 1, atol=0.05)


def test_nothing_is_forgotten_where_nothing_is_due(stream, initial):
    """What is learned is what is learned without a clock."""
    plain = forgetful = Responses.empty(jnp.asarray(initial, jnp.float32), RIDGE)
    clock = Clock.start(BLOCKS).after(0.0)
    learn = jax.jit(Responses.observe)
    forget = jax.jit(partial(observe_forgetting, regularisation=RIDGE))
    for t, (block, phi, targets) in enumerate(zip(*stream, strict=True)):
        places = jnp.int32(block), jnp.int32(t % BLOCKS)
        plain, _ = learn(plain, places[0], phi, targets)
        forgetful, clock, _ = forget(forgetful, clock, *places, phi, targets)
    assert not np.asarray(clock.turn).any()
    for new, old in zip(forgetful, plain, strict=True):
        np.testing.assert_allclose(new, old, rtol=1e-5, atol=1e-6)  # another order of additions
