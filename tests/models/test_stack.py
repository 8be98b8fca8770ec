"""Weights of forecasts against a solver for the same problem with bounds."""

from functools import partial

import jax
import numpy as np
import pytest
from scipy.optimize import lsq_linear

from jostle.models.stack import CERTAIN, CHANCE, KEEP, Stack, solve

CAUTION = 50.0


def stacked(forecasts, targets, scale=1.0):
    stack = Stack.empty(forecasts.shape[1])
    observe = jax.jit(Stack.observe)
    for f, y in zip(forecasts * scale, targets * scale, strict=True):
        stack = observe(stack, f.astype(np.float32), np.float32(y), True, CAUTION)
    return stack


@pytest.fixture(scope="module")
def past():
    rng = np.random.default_rng(0)
    forecasts = rng.normal(size=(300, 3))
    forecasts[:, 1] += 0.5 * forecasts[:, 0]
    truth = np.array([0.4, 1.6, -0.5])  # two of them outside of what weights may be
    return forecasts, forecasts @ truth + 0.3 * rng.normal(size=300)


def test_converges_to_the_bounded_least_squares_weights(past):
    forecasts, targets = past
    stack = stacked(*past)
    ages = np.arange(len(targets))[::-1]
    u = KEEP**ages
    prior = CAUTION / u.sum()
    own = np.sqrt(prior * (u @ forecasts**2))
    rows = np.vstack([np.sqrt(u)[:, None] * forecasts, np.diag(own)])
    right = np.concatenate([np.sqrt(u) * targets, own * [1, 0, 0]])
    expected = lsq_linear(rows, right, bounds=(0, 1)).x
    weights = solve(stack.products, stack.targets, prior, stack.full, sweeps=100)
    np.testing.assert_allclose(weights, expected, atol=1e-3)
    # The few sweeps of each observation follow closely.
    np.testing.assert_allclose(stack.weights, expected, atol=0.02)


def test_the_unit_of_rewards_does_not_matter(past):
    for scale in (2.0**-10, 2.0**10):
        np.testing.assert_array_equal(stacked(*past).weights, stacked(*past, scale=scale).weights)


def test_it_starts_with_the_first_forecast_and_leaves_it_for_a_better_one():
    stack = Stack.empty(2)
    np.testing.assert_array_equal(stack.weights, [1, 0])
    rng = np.random.default_rng(0)
    targets = rng.normal(size=400)
    noise = rng.normal(size=400)
    after = stacked(np.stack([noise, targets], axis=1), targets)
    assert after.weights[0] < 0.15
    assert after.weights[1] > 0.85


def test_what_is_not_known_is_no_forecast():
    stack = Stack.empty(2).observe(np.ones(2, np.float32), np.float32(5), False, CAUTION)
    np.testing.assert_array_equal(stack.weights, [1, 0])
    assert float(stack.count) == 0


def doubting(forecasts, targets, doubted=1):
    """What is believed after each observation, and the stack at the end."""
    observe = jax.jit(partial(Stack.observe, doubted=doubted))
    stack, beliefs = Stack.empty(forecasts.shape[1]), []
    for f, y in zip(np.float32(forecasts), np.float32(targets), strict=True):
        stack = observe(stack, f, y, True, CAUTION)
        beliefs.append(float(stack.belief))
    return np.array(beliefs), stack


def test_a_doubted_forecast_is_left_out_unless_it_is_plainly_better():
    rng = np.random.default_rng(0)
    targets, noise = rng.normal(size=600), rng.normal(size=(2, 600))
    useless, stack = doubting(np.stack([targets + noise[0], noise[1]], axis=1), targets)
    assert useless.max() == 0
    assert stack.weights[1] == 0
    np.testing.assert_array_equal(stack.weights, stack.reduced)
    better, stack = doubting(np.stack([targets + noise[0], targets], axis=1), targets)
    assert better[0] == 0
    assert better[-1] == 1
    np.testing.assert_array_equal(stack.weights, stack.full)


def test_evidence_is_the_difference_of_squared_errors_in_units_of_their_variance():
    """The sums by hand, from the weights that held before each observation."""
    rng = np.random.default_rng(1)
    forecasts, targets = rng.normal(size=(200, 2)), rng.normal(size=200)
    observe = jax.jit(partial(Stack.observe, doubted=1))
    stack, errors, count, evidence = Stack.empty(2), 0.0, 0.0, 0.0
    for f, y in zip(forecasts, targets, strict=True):
        full, reduced, both = (np.float64(w) for w in (stack.full, stack.reduced, stack.weights))
        variance = errors / max(count, 1)
        gain = (y - f @ reduced) ** 2 - (y - f @ full) ** 2
        evidence = KEEP * evidence + (np.clip(gain / variance, -1, 1) if variance > 0 else 0)
        errors, count = KEEP * errors + (y - f @ both) ** 2, KEEP * count + 1
        stack = observe(stack, np.float32(f), np.float32(y), True, CAUTION)
        assert float(stack.evidence) == pytest.approx(evidence, abs=1e-3)
        expected = np.clip((evidence - CHANCE) / (CERTAIN - CHANCE), 0, 1)
        assert float(stack.belief) == pytest.approx(expected, abs=1e-3)


def test_no_single_reward_is_evidence():
    """One enormous reward, foretold by the doubted forecast alone."""
    targets = np.r_[np.random.default_rng(0).normal(size=100), 1e4]
    forecasts = np.stack([np.zeros(101), np.r_[np.zeros(100), 1e4]], axis=1)
    beliefs, _ = doubting(forecasts, targets)
    assert beliefs.max() == 0
