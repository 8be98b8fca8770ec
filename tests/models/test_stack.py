"""Weights of forecasts against a solver for the same problem with bounds."""

import jax
import numpy as np
import pytest
from scipy.optimize import lsq_linear

from jostle.models.stack import KEEP, Stack, solve

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
    weights = solve(stack.products, stack.targets, prior, stack.weights, sweeps=100)
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
