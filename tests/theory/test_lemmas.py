"""The check of each lemma against an independent computation, and on inputs that break it."""

import dataclasses
import math

import numpy as np
import pytest
from scipy.special import ndtr

from jostle.environments import Synthetic
from jostle.theory import OPTIMISM, limit_kernel
from jostle.theory.kernel_convergence import check_kernel_convergence
from jostle.theory.lemma_4_1_linear_rewards import check_linear_rewards, fit_within_norm
from jostle.theory.lemma_4_2_confidence_radius import check_confidence_radius
from jostle.theory.lemma_4_3_concentration import (
    check_concentration,
    concentrated,
    tail_bound,
)
from jostle.theory.lemma_4_4_optimism import check_optimism
from jostle.theory.lemma_4_6_sum_of_widths import check_sum_of_widths
from jostle.theory.lemma_c_1_gradient_descent import check_gradient_descent, promised_rate
from jostle.theory.linearised_model import LinearisedModel
from jostle.theory.network_fit import fit_to_convergence, initial_network, linear_solution
from jostle.theory.perturbed_estimates import (
    PerturbedEstimates,
    perturb_linearised,
    perturb_network,
)
from jostle.theory.power_law import regret_exponent
from jostle.theory.problem import Problem
from jostle.theory.theorem_4_7_regret_growth import check_regret_growth
from jostle.theory.watched_run import WatchedRun

from theory_support import gradients

ARMS = 6
RNG = np.random.default_rng(0)
CONTEXTS = RNG.normal(size=(ARMS, 4)) / 2
PROBLEM = Problem(
    Synthetic("h1", features=4, pool=ARMS, shown=3, noise=0.2),
    0,
    CONTEXTS,
    RNG.random(ARMS),
    3,
    1.0,
    0.05,
    limit_kernel(CONTEXTS, 3),
)


def run_of(pulls):
    """A run that pulled these arms."""
    noise = 0.2 * np.random.default_rng(3).normal(size=len(pulls))
    return WatchedRun(PROBLEM, pulls, PROBLEM.rewards[pulls] + noise, np.zeros(len(pulls)))


RUN = run_of(np.concatenate([np.arange(ARMS), np.random.default_rng(4).integers(0, ARMS, 60)]))


def test_the_fit_within_a_norm_is_constrained_least_squares():
    rows = RNG.normal(size=(ARMS, 20))
    h = PROBLEM.rewards
    residual, length = fit_within_norm(rows @ rows.T, h, np.inf)
    free = np.linalg.lstsq(rows, h, rcond=None)[0]
    assert residual < 1e-9
    assert length == pytest.approx(np.linalg.norm(free))
    limit = 0.6 * length
    residual, short = fit_within_norm(rows @ rows.T, h, limit)
    assert short == pytest.approx(limit, rel=1e-6)
    # By projected descent over all 20 parameters instead.
    theta = np.zeros(20)
    for _ in range(20_000):
        theta -= 0.01 * rows.T @ (rows @ theta - h)
        theta *= min(1, limit / np.linalg.norm(theta))
    expected = np.linalg.norm(rows @ theta - h) / np.linalg.norm(h)
    assert residual == pytest.approx(expected, rel=1e-3)


def test_only_wide_networks_fit_the_rewards_within_the_bound():
    found = check_linear_rewards(PROBLEM, widths=(2, 256), draws=3)
    narrow, wide = found.numbers["residual_within_bound"]
    assert narrow > 0.01
    assert wide < 1e-6
    assert found.verdict == "holds"
    assert found.numbers["tolerance"] == 1e-6
    # One width has no trend, so it cannot refute a statement about wide networks.
    assert check_linear_rewards(PROBLEM, widths=(2,), draws=3).verdict == "cannot tell"


def test_rewards_that_need_longer_parameters_refute_lemma_4_1():
    """With a kernel of ten times the truth, S is too small by sqrt(10) at every width."""
    short = dataclasses.replace(PROBLEM, kernel=10 * PROBLEM.kernel, lam=1e6)
    found = check_linear_rewards(short, widths=(64, 256), draws=4)
    assert found.numbers["residual_within_bound"][-1] > 0.01
    assert found.verdict == "does not hold"


@pytest.mark.study
def test_the_error_of_the_kernel_falls_like_the_square_root_of_the_width():
    found = check_kernel_convergence(PROBLEM, widths=(32, 256, 2048), draws=8)
    assert -0.75 < found.numbers["exponent_all_weights"] < -0.3
    assert found.verdict == "holds, corrected"
    assert found.numbers["error_all_weights_to_definition"][-1] > 0.2
    assert found.numbers["distance_of_the_limits"] > 0.2
    assert found.numbers["verdict_as_printed"] == "does not hold"


def test_a_kernel_that_networks_do_not_approach_is_found_out(monkeypatch):
    module = "jostle.theory.kernel_convergence"
    monkeypatch.setattr(f"{module}.limit_kernel", lambda x, depth: 2 * limit_kernel(x, depth))
    found = check_kernel_convergence(PROBLEM, widths=(32, 128, 512), draws=8)
    assert found.verdict == "does not hold"
    # Narrow networks only: the error falls, and is still too large.
    monkeypatch.undo()
    assert check_kernel_convergence(PROBLEM, (4, 16), draws=8).verdict == "cannot tell"


def test_optimism_is_the_tail_of_a_normal():
    (perturbed,) = perturb_linearised(RUN, [40], draws=20_000)
    counts, sums = RUN.tallies(40)
    model = LinearisedModel.after(PROBLEM.kernel, 1.0, counts)
    sigma = PROBLEM.scale(model.log_det)
    assert perturbed.scale == sigma
    spread = sigma * np.sqrt((model.matrix**2) @ counts)
    expected = ndtr((model.estimates(sums) - PROBLEM.rewards) / spread)
    found = np.mean(perturbed.estimates >= PROBLEM.rewards, axis=0)
    np.testing.assert_allclose(found, expected, atol=5 * 0.5 / math.sqrt(20_000))
    assert perturbed.within_radius
    assert expected.min() > OPTIMISM  # the lemma itself


def test_concentration_counts_draws_in_which_all_arms_are_near():
    centre, wide = np.zeros(2), np.ones(2)
    beta = math.sqrt(4 * math.log(10) + 2 * math.log(2))
    estimates = np.array([[0.0, 0.9], [0.0, 1.1], [-1.2, 0.0], [0.5, -0.5]]) * beta
    perturbed = PerturbedEstimates(10, True, centre, wide, 1.0, estimates)
    held, epsilon = concentrated(perturbed)
    assert held == 0.5
    assert epsilon == pytest.approx(0.2 * beta)


def test_checks_report_when_a_lemma_fails():
    small = perturb_linearised(RUN, [20, 60], draws=2000)
    network = small[-1]
    assert check_concentration(small, network, 8).holds
    assert check_optimism(PROBLEM.rewards, small, small, network, 8).holds
    wild = [m._replace(estimates=m.centre + 9 * (m.estimates - m.centre)) for m in small]
    assert check_concentration(wild, network, 8).verdict == "does not hold"
    # Twice the deviation: too few draws leave to count them, too wide for the tails.
    wide = [m._replace(estimates=m.centre + 2 * (m.estimates - m.centre)) for m in small]
    few = [m._replace(estimates=m.estimates[:10]) for m in wide]
    assert check_concentration(few, network, 8).verdict == "cannot tell"
    gloomy = [m._replace(estimates=m.estimates - 99) for m in small]
    assert check_optimism(PROBLEM.rewards, gloomy, small, network, 8).verdict == "does not hold"
    outside = [m._replace(within_radius=False) for m in small]  # so the lemma says nothing
    unknown = check_optimism(PROBLEM.rewards, outside, small, network, 8)
    assert unknown.verdict == "cannot tell"
    assert "E_t1, which the lemma assumes, held in none" in unknown.found
    several = [RUN, *(run_of(np.roll(RUN.arms, n)) for n in (1, 2, 3, 4))]
    assert check_confidence_radius({"run": several}).verdict == "holds"
    assert check_confidence_radius({"run": [RUN]}).verdict == "cannot tell"
    liars = [run._replace(rewards=run.rewards + 50) for run in several]
    assert check_confidence_radius({"honest": several, "run": liars}).verdict == "does not hold"
    assert check_sum_of_widths({"run": RUN}).verdict == "holds"
    assert check_sum_of_widths({"run": RUN}, PROBLEM.kernel / 1e4).verdict == "does not hold"


def test_the_tails_are_those_of_the_normal_distribution():
    rng = np.random.default_rng(1)
    estimates = rng.normal(size=(20_000, 2)) * np.array([1.0, 0.5])
    perturbed = PerturbedEstimates(3, True, np.zeros(2), np.ones(2), 1.0, estimates)
    beta = math.sqrt(4 * math.log(3) + 2 * math.log(2))
    expected = 2 * ndtr(-beta) + 2 * ndtr(-2 * beta)
    assert tail_bound(perturbed) == pytest.approx(expected, rel=0.2)
    assert tail_bound(perturbed, 3) > tail_bound(perturbed) > concentrated(perturbed)[0] - 1


@pytest.fixture(scope="module")
def initial():
    return initial_network(PROBLEM, 16)


COUNTS = np.array([1.0, 2, 3, 1, 5, 2])


def test_the_linear_solution_is_a_inverse_b(initial):
    targets = PROBLEM.rewards
    flat = gradients(initial.params, CONTEXTS)
    a = np.eye(flat.shape[1]) + flat.T @ (COUNTS[:, None] * flat)
    solution = np.linalg.solve(a, flat.T @ (COUNTS * targets))
    tree, estimates = linear_solution(initial, COUNTS, targets, 1.0)
    found = np.concatenate([np.asarray(leaf).ravel() for leaf in tree])
    np.testing.assert_allclose(found, solution / math.sqrt(16), rtol=1e-3, atol=1e-5)
    np.testing.assert_allclose(estimates, flat @ solution, rtol=1e-4, atol=1e-5)


def test_descent_on_tiny_targets_finds_the_linear_solution(initial):
    """So near to theta_0 no ReLU switches, and the network is its linearisation."""
    targets = 1e-3 * PROBLEM.rewards
    fits, estimates = fit_to_convergence(initial, COUNTS, np.stack([targets, 0 * targets]), 1.0)
    _, linear = linear_solution(initial, COUNTS, targets, 1.0)
    np.testing.assert_allclose(estimates[0], linear, rtol=0.02, atol=1e-6)
    np.testing.assert_allclose(estimates[1], 0, atol=1e-9)
    for fitted, start in zip(fits[1], initial.params, strict=True):  # nothing to learn from zeros
        np.testing.assert_allclose(fitted, start, atol=1e-7)
    # Lemma 4.4's perturbations are not tiny: a network of 16 is far from linear under them.
    perturbed = perturb_network(RUN, initial, draws=2)
    assert perturbed.estimates.shape == (2, ARMS)


def test_descent_approaches_the_linear_solution_as_networks_get_wider():
    found = check_gradient_descent(PROBLEM, widths=(16, 256), draws=4)
    near, _ = found.numbers["exponents"].values()
    assert near < -0.15
    first, _ = found.numbers["verdicts"].values()
    assert first == "holds"
    assert found.numbers["tolerance"] == 0.15


def test_descent_that_does_not_move_refutes_lemma_c_1():
    found = check_gradient_descent(PROBLEM, widths=(16, 256), draws=4, steps=0)
    assert found.verdict == "does not hold"
    assert found.numbers["error"] == pytest.approx(1)
    # One network per width has no standard error, so there is no verdict.
    alone = check_gradient_descent(PROBLEM, widths=(16, 256), draws=1, steps=0)
    assert alone.verdict == "cannot tell"


def test_the_promised_rate_of_lemma_c_1():
    """Between two widths the exponent is the ratio of logarithms."""
    ratio = (256 / 16) ** (-1 / 6) * math.sqrt(math.log(256) / math.log(16))
    assert promised_rate((16, 256)) == pytest.approx(math.log(ratio) / math.log(16))


def test_the_exponent_of_a_power_law_and_its_interval():
    rng, t = np.random.default_rng(0), np.arange(1, 2001)
    powers = 0.5 + 0.1 * rng.normal(size=8)
    runs = np.stack([3 * t**p for p in powers])
    found = regret_exponent(runs, after=0.01)
    assert found.mean == pytest.approx(powers.mean(), abs=0.01)
    half = 2.3646 * powers.std(ddof=1) / math.sqrt(8)  # Student's 97.5% point with 7 degrees
    assert found.high - found.mean == pytest.approx(half, rel=0.05)
    assert regret_exponent(runs[:1], after=0.01).high == math.inf


def test_the_sweep_is_not_counted_in_the_growth():
    t = np.arange(1, 2001)
    after = 30 + 2 * np.sqrt(t)
    runs = np.stack([np.concatenate([np.linspace(0, 30, 100), after])] * 2)
    found = check_regret_growth(runs, swept=100)
    assert found.numbers["exponent"] == pytest.approx(0.5, abs=0.01)
    assert found.verdict == "holds"
    alone = check_regret_growth(runs[:1], swept=100)
    assert alone.verdict == "cannot tell"
    assert "no interval" in alone.found
    straight = np.stack([0.2 * np.arange(1, 501)] * 2)
    assert check_regret_growth(straight, swept=50).verdict == "does not hold"
