"""Scales of the rewards against their definitions."""

import jax
import numpy as np
import pytest

from jostle.models.scales import RECENT, TRUSTED, Scales


@pytest.fixture(scope="module")
def rewards():
    rng = np.random.default_rng(0)
    return rng.normal(3, 2, 400), rng.normal(0, 0.5, 400), 5 * rng.random(400) / np.arange(5, 405)


def observed(rewards, errors, leverages):
    scales = Scales.empty()
    observe = jax.jit(Scales.observe)
    for row in zip(rewards, errors, leverages, range(1, len(rewards) + 1), strict=True):
        scales = observe(scales, *(np.float32(value) for value in row))
    return scales


def test_moments_agree_with_their_definitions(rewards):
    values, errors, leverages = rewards
    scales = observed(*rewards)
    assert float(scales.mean) == pytest.approx(values.mean(), rel=1e-5)
    assert float(scales.spread) == pytest.approx(values.std(), rel=1e-4)
    weights = RECENT ** np.arange(398, -1, -1)
    recent = np.sqrt(np.average(errors[1:] ** 2, weights=weights))
    assert float(scales.noise) == pytest.approx(recent, rel=1e-4)
    dimensions = np.average(leverages[1:] * np.arange(2, 401), weights=weights)
    assert float(scales.dimension) == pytest.approx(max(dimensions, 1), rel=1e-4)
    mean = np.average(values, weights=leverages)
    total = np.average((values - mean) ** 2, weights=leverages)
    unexplained = np.average(np.r_[0, errors[1:]] ** 2, weights=leverages)
    expected = min(max(total - unexplained, 0) + total * TRUSTED / (TRUSTED + 400), total)
    assert float(scales.prior) == pytest.approx(np.sqrt(expected), rel=1e-4)


def test_they_follow_the_unit_of_the_rewards_exactly(rewards):
    values, errors, leverages = rewards
    for k in (-10, 10):
        other = observed(values * 2.0**k, errors * 2.0**k, leverages)
        for name in ("mean", "spread", "noise", "prior"):
            here = np.float32(getattr(observed(*rewards), name))
            assert np.float32(getattr(other, name)) == here * np.float32(2.0**k)


def test_there_is_no_prior_until_two_rewards_differ():
    scales = observed([2.0, 2.0], [2.0, 0.0], [0.9, 0.5])
    assert float(scales.prior) == 0
    assert float(observed([2.0, 2.0, 3.0], [2.0, 0.0, 1.0], [0.9, 0.5, 0.4]).prior) > 0


def test_moments_forget():
    values = np.r_[np.zeros(500), np.ones(500)]
    scales = Scales.empty()
    observe = jax.jit(Scales.observe)
    for value in values:
        scales = observe(
            scales, np.float32(value), np.float32(0), np.float32(0.1), np.float32(1), 0.98
        )
    assert float(scales.mean) == pytest.approx(1.0, abs=1e-3)
    assert float(scales.spread) < 0.05


@pytest.mark.parametrize(("arms", "expected"), [(range(6), 6.0), ([3], 1.0)])
def test_the_dimension_is_that_of_the_contexts_chosen(arms, expected):
    """Indicator features: all arms in turn are six directions; one arm, after them, is one."""
    arms = [*range(6), *(arm for _ in range(1200 // len(arms)) for arm in arms)]
    counts = np.zeros(6)
    scales, observe = Scales.empty(), jax.jit(Scales.observe)
    for t, arm in enumerate(arms):
        counts[arm] += 1
        row = (1.0, 0.0, 1 / counts[arm], t + 1)
        scales = observe(scales, *(np.float32(value) for value in row))
    assert float(scales.dimension) == pytest.approx(expected, rel=0.02)
