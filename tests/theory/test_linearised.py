"""The K x K form of least squares against A_t written out over all weights, and watched runs."""

import math

import jax
import numpy as np
import pytest

from jostle import UCB1, simulate
from jostle.environments import Synthetic
from jostle.models.networks import PaperNetwork
from jostle.theory.initial import initial_weights
from jostle.theory.lemma_radius import used_radius
from jostle.theory.lemma_widths import summed_widths
from jostle.theory.linearised import Linearised
from jostle.theory.problem import Problem
from jostle.theory.watched_run import Journey, travel

from theory_support import drawn, gradients

RNG = np.random.default_rng(0)
CONTEXTS = RNG.normal(size=(5, 3)) / 2
LAM = 0.4
PULLS = np.array([0, 1, 2, 3, 4, 2, 2, 0, 4, 4, 4])
REWARDS = RNG.normal(size=len(PULLS))
BANDIT = Synthetic("h1", features=3, pool=5, shown=2, noise=0.3)


@pytest.fixture(scope="module")
def rows():
    network = PaperNetwork(16, 2)
    params = network.init(jax.random.key(1), np.float32(CONTEXTS))
    return np.concatenate([r.reshape(5, -1) for r in gradients(network, params, CONTEXTS)], axis=1)


def journey_of(rows):
    """A run on arms whose gradients are ``rows``."""
    h = np.array([0.1, 0.8, 0.3, 0.6, 0.5])
    problem = Problem(BANDIT, 0, CONTEXTS, h, 2, LAM, 0.05, rows @ rows.T)
    return Journey(problem, PULLS, REWARDS, np.zeros(len(PULLS)))


def test_widths_estimates_and_determinant_are_those_of_the_whole_matrix(rows):
    model = Linearised(rows @ rows.T, LAM)
    for arm in PULLS:
        model.pull(arm)
    a = LAM * np.eye(rows.shape[1]) + rows[PULLS].T @ rows[PULLS]
    inverse = np.linalg.inv(a)
    np.testing.assert_allclose(model.widths**2, np.diag(rows @ inverse @ rows.T), rtol=1e-9)
    sums = np.bincount(PULLS, REWARDS, minlength=5)
    expected = rows @ inverse @ rows[PULLS].T @ REWARDS
    np.testing.assert_allclose(model.estimates(sums), expected, rtol=1e-9)
    assert model.log_det == pytest.approx(np.linalg.slogdet(a / LAM)[1], rel=1e-9)
    at_once = Linearised.after(rows @ rows.T, LAM, np.bincount(PULLS, minlength=5))
    np.testing.assert_allclose(at_once.matrix, model.matrix, rtol=1e-9)
    assert at_once.log_det == pytest.approx(model.log_det)


def test_responses_have_the_covariance_of_perturbing_every_reward(rows):
    counts = np.bincount(PULLS, minlength=5)
    model = Linearised.after(rows @ rows.T, LAM, counts)
    basis = model.responses(np.eye(5))  # one row for each standard normal
    a = LAM * np.eye(rows.shape[1]) + rows[PULLS].T @ rows[PULLS]
    single = rows @ np.linalg.solve(a, rows[PULLS].T)  # how each reward moves each estimate
    np.testing.assert_allclose(basis.T @ basis, single @ single.T, rtol=1e-8)


def test_the_used_radius_is_the_definition_of_the_event(rows):
    journey = journey_of(rows)
    problem, expected = journey.problem, []
    for t in range(len(PULLS)):
        seen = rows[PULLS[:t]]
        a = LAM * np.eye(rows.shape[1]) + seen.T @ seen
        inverse = np.linalg.inv(a)
        errors = np.abs(rows @ inverse @ seen.T @ REWARDS[:t] - problem.rewards)
        log_ratio = math.log(np.linalg.det(a / LAM) / 0.05**2)
        alpha = 0.3 * math.sqrt(log_ratio) + math.sqrt(LAM) * problem.bound
        expected.append(np.max(errors / np.sqrt(np.diag(rows @ inverse @ rows.T))) / alpha)
    np.testing.assert_allclose(used_radius(journey), expected, rtol=1e-6)


def test_summed_widths_are_those_of_lemma_4_6(rows):
    total, expected = 0.0, []
    for t, arm in enumerate(PULLS):
        a = LAM * np.eye(rows.shape[1]) + rows[PULLS[:t]].T @ rows[PULLS[:t]]
        total += min(rows[arm] @ np.linalg.solve(a, rows[arm]), 1)
        expected.append(total)
    np.testing.assert_allclose(summed_widths(journey_of(rows)), expected, rtol=1e-8)


def test_a_watched_run_is_the_run():
    problem = Problem.draw(BANDIT, seed=3)
    journey = travel(problem, UCB1(3), rounds=40)
    plain = simulate(UCB1(3), BANDIT, rounds=40, seed=3)
    np.testing.assert_allclose(journey.regret, plain.regret)
    np.testing.assert_allclose(journey.rewards, plain.rewards)
    # The diary names arms of the problem: their rewards are h plus noise of 0.3, their regret fits.
    assert np.abs(journey.rewards - problem.rewards[journey.arms]).max() < 5 * 0.3
    lost = np.diff(journey.regret, prepend=0)
    assert np.all(problem.rewards[journey.arms] + lost <= problem.rewards.max() + 1e-6)
    counts, sums = journey.tallies(25)
    assert counts.sum() == 25
    assert sums.sum() == pytest.approx(journey.rewards[:25].sum())
    first = {int(arm): t for t, arm in reversed(list(enumerate(journey.arms)))}
    assert journey.swept == max(first.values()) + 1


def test_a_problem_needs_a_pool():
    with pytest.raises(ValueError, match="environment must have a fixed pool"):
        Problem.draw(BANDIT.replace(pool=None))


def test_initial_weights_are_those_of_the_network():
    """Blocks and variances as in Algorithm 1, and the same law as ``PaperNetwork.init``."""
    weights = initial_weights(np.random.default_rng(0), 200, 3, 30)
    again = drawn(np.random.default_rng(0), 200, 3, 30)
    jax_weights = PaperNetwork(200, 3).init(jax.random.key(0), np.zeros((1, 30), np.float32))
    for mine, other, theirs in zip(weights, again, jax_weights, strict=True):
        np.testing.assert_array_equal(mine, other)
        assert mine.shape == theirs.shape
        np.testing.assert_array_equal(mine == 0, np.asarray(theirs) == 0)
        assert mine.std() == pytest.approx(float(theirs.std()), rel=0.15)
