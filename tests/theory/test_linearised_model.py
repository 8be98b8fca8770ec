"""The K x K form of ridge regression against A_t over all p weights; problems and watched runs."""

import math

import jax
import numpy as np
import pytest

from jostle import UCB1, simulate
from jostle.environments import Synthetic
from jostle.models.networks import PaperNetwork
from jostle.theory.initial_weights import initial_weights
from jostle.theory.lemma_4_2_confidence_radius import radius_used
from jostle.theory.lemma_4_6_sum_of_widths import sum_of_widths
from jostle.theory.linearised_model import LinearisedModel
from jostle.theory.problem import Problem
from jostle.theory.watched_run import WatchedRun, watch_run

from theory_support import gradients

RNG = np.random.default_rng(0)
CONTEXTS = RNG.normal(size=(5, 3)) / 2
LAM = 0.4
PULLS = np.array([0, 1, 2, 3, 4, 2, 2, 0, 4, 4, 4])
REWARDS = RNG.normal(size=len(PULLS))
BANDIT = Synthetic("h1", features=4, pool=6, shown=6, noise=0.3)
"""As in the tests of the command, which then compile nothing again in the same process."""


@pytest.fixture(scope="module")
def rows():
    """g(x_i; theta_0) / sqrt(m), one row per arm."""
    return gradients(initial_weights(np.random.default_rng(1), 16, 2, 3), CONTEXTS)


def run_on(rows):
    """A run on arms whose gradients are ``rows``."""
    h = np.array([0.1, 0.8, 0.3, 0.6, 0.5])
    problem = Problem(BANDIT, 0, CONTEXTS, h, 2, LAM, 0.05, rows @ rows.T)
    return WatchedRun(problem, PULLS, REWARDS, np.zeros(len(PULLS)))


def test_widths_estimates_and_determinant_are_those_of_the_whole_matrix(rows):
    model = LinearisedModel(rows @ rows.T, LAM)
    for arm in PULLS:
        model.pull(arm)
    a = LAM * np.eye(rows.shape[1]) + rows[PULLS].T @ rows[PULLS]
    inverse = np.linalg.inv(a)
    np.testing.assert_allclose(model.widths**2, np.diag(rows @ inverse @ rows.T), rtol=1e-9)
    sums = np.bincount(PULLS, REWARDS, minlength=5)
    expected = rows @ inverse @ rows[PULLS].T @ REWARDS
    np.testing.assert_allclose(model.estimates(sums), expected, rtol=1e-9)
    assert model.log_det == pytest.approx(np.linalg.slogdet(a / LAM)[1], rel=1e-9)
    at_once = LinearisedModel.after(rows @ rows.T, LAM, np.bincount(PULLS, minlength=5))
    np.testing.assert_allclose(at_once.matrix, model.matrix, rtol=1e-9)
    assert at_once.log_det == pytest.approx(model.log_det)


def test_responses_have_the_covariance_of_perturbing_every_reward(rows):
    counts = np.bincount(PULLS, minlength=5)
    model = LinearisedModel.after(rows @ rows.T, LAM, counts)
    basis = model.responses(np.eye(5))  # one row per standard normal
    a = LAM * np.eye(rows.shape[1]) + rows[PULLS].T @ rows[PULLS]
    single = rows @ np.linalg.solve(a, rows[PULLS].T)  # how each reward moves each estimate
    np.testing.assert_allclose(basis.T @ basis, single @ single.T, rtol=1e-8)


def test_the_share_of_the_radius_is_the_definition_of_event_e_t1(rows):
    run = run_on(rows)
    problem, expected = run.problem, []
    for t in range(len(PULLS)):
        seen = rows[PULLS[:t]]
        a = LAM * np.eye(rows.shape[1]) + seen.T @ seen
        inverse = np.linalg.inv(a)
        errors = np.abs(rows @ inverse @ seen.T @ REWARDS[:t] - problem.rewards)
        log_ratio = math.log(np.linalg.det(a / LAM) / 0.05**2)
        alpha = 0.3 * math.sqrt(log_ratio) + math.sqrt(LAM) * problem.bound
        expected.append(np.max(errors / np.sqrt(np.diag(rows @ inverse @ rows.T))) / alpha)
    np.testing.assert_allclose(radius_used(run), expected, rtol=1e-6)


def test_the_sum_of_widths_is_that_of_lemma_4_6(rows):
    total, expected = 0.0, []
    for t, arm in enumerate(PULLS):
        a = LAM * np.eye(rows.shape[1]) + rows[PULLS[:t]].T @ rows[PULLS[:t]]
        total += min(rows[arm] @ np.linalg.solve(a, rows[arm]), 1)
        expected.append(total)
    np.testing.assert_allclose(sum_of_widths(run_on(rows)), expected, rtol=1e-8)


def test_the_printed_index_of_lemma_4_6_leaves_out_one_more_pull(rows):
    total, expected = 0.0, []
    for t, arm in enumerate(PULLS):
        seen = rows[PULLS[: max(t - 1, 0)]]
        a = LAM * np.eye(rows.shape[1]) + seen.T @ seen
        total += min(rows[arm] @ np.linalg.solve(a, rows[arm]), 1)
        expected.append(total)
    np.testing.assert_allclose(sum_of_widths(run_on(rows), late=True), expected, rtol=1e-8)


def test_a_watched_run_is_the_simulated_run():
    problem = Problem.draw(BANDIT, seed=3)
    run = watch_run(problem, UCB1(4), rounds=60)
    plain = simulate(UCB1(4), BANDIT, rounds=60, seed=3)
    np.testing.assert_allclose(run.regret, plain.regret)
    np.testing.assert_allclose(run.rewards, plain.rewards)
    # The recorded arms are those of the problem: rewards are h plus noise of 0.3, regret fits.
    assert np.abs(run.rewards - problem.rewards[run.arms]).max() < 5 * 0.3
    lost = np.diff(run.regret, prepend=0)
    assert np.all(problem.rewards[run.arms] + lost <= problem.rewards.max() + 1e-6)
    counts, sums = run.tallies(25)
    assert counts.sum() == 25
    assert sums.sum() == pytest.approx(run.rewards[:25].sum())
    first = {int(arm): t for t, arm in reversed(list(enumerate(run.arms)))}
    assert run.swept == max(first.values()) + 1


def test_a_problem_needs_a_pool():
    with pytest.raises(ValueError, match="environment must have a fixed pool"):
        Problem.draw(BANDIT.replace(pool=None))


def test_initial_weights_have_the_distribution_of_the_network():
    """Blocks and variances as in Algorithm 1, and as in ``PaperNetwork.init``."""
    weights = initial_weights(np.random.default_rng(0), 200, 3, 30)
    compiled = jax.jit(PaperNetwork(200, 3).init)(jax.random.key(0), np.zeros((1, 30), np.float32))
    for mine, other in zip(weights, compiled, strict=True):
        assert mine.shape == other.shape
        np.testing.assert_array_equal(mine == 0, np.asarray(other) == 0)
        assert mine.std() == pytest.approx(float(np.asarray(other).std()), rel=0.15)
    for weight in weights[:-1]:  # (W, 0; 0, W)
        a, b = weight.shape[0] // 2, weight.shape[1] // 2
        np.testing.assert_array_equal(weight[:a, :b], weight[a:, b:])
        assert weight[:a, :b].var() == pytest.approx(4 / 200, rel=0.1)
    np.testing.assert_array_equal(weights[-1][:100], -weights[-1][100:])
    assert weights[-1].var() == pytest.approx(2 / 200, rel=0.3)
