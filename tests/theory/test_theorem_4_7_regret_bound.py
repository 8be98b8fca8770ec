"""Confidence radius, perturbation scale and regret bound against the paper's own formulas."""

import math

import numpy as np
import pytest

from jostle import theory
from jostle.theory.initial_weights import initial_weights

from theory_support import gradients

RNG = np.random.default_rng(0)
CONTEXTS = RNG.normal(size=(4, 3)) / 2
LAM, R, S, DELTA = 0.7, 0.2, 1.3, 0.1


@pytest.fixture(scope="module")
def rows():
    """g(x_i; theta_0) / sqrt(m) of a small network, one row per arm: p = 6 * 12 + 12."""
    return gradients(initial_weights(np.random.default_rng(5), 12, 2, 3), CONTEXTS)


def test_the_radius_is_lemma_4_2_in_the_space_of_weights(rows):
    pulls = [0, 1, 2, 3, 0, 0, 2]
    a = LAM * np.eye(rows.shape[1]) + sum(np.outer(rows[i], rows[i]) for i in pulls)
    ratio = np.linalg.det(a / LAM)  # det A_t / det lambda I
    expected = math.sqrt(R**2 * math.log(ratio / DELTA**2)) + math.sqrt(LAM) * S
    counts = np.bincount(pulls, minlength=4)
    log_det = np.linalg.slogdet(np.eye(4) + counts[:, None] * (rows @ rows.T) / LAM)[1]
    found = theory.confidence_radius(log_det, noise=R, delta=DELTA, lam=LAM, bound=S)
    assert found == pytest.approx(expected, rel=1e-6)


def test_the_scale_makes_the_perturbed_estimate_as_uncertain_as_the_radius(rows):
    """Lemma 4.4: after the sweep Var U_t is at least (alpha_t width)^2, with equality at worst."""
    kernel = rows @ rows.T
    values = np.linalg.eigvalsh(LAM * np.eye(rows.shape[1]) + rows.T @ rows)
    eigenvalue = theory.sweep_eigenvalue(kernel, LAM)
    assert eigenvalue == pytest.approx(np.sort(values)[-4], rel=1e-6)  # the K-th largest
    alpha = 2.5
    sigma = theory.perturbation_scale(alpha, lam=LAM, eigenvalue=eigenvalue)
    for extra in ([], [0, 0, 0, 1, 2], [3] * 40):
        pulls = [0, 1, 2, 3, *extra]
        inverse = np.linalg.inv(LAM * np.eye(rows.shape[1]) + rows[pulls].T @ rows[pulls])
        for g in rows:
            variance = sigma**2 * np.sum((rows[pulls] @ inverse @ g) ** 2)
            assert variance >= alpha**2 * (g @ inverse @ g) * (1 - 1e-9)
    # With equality in the direction of the least eigenvalue.
    vector = np.linalg.eigh(kernel)[1][:, 0] @ rows
    inverse = np.linalg.inv(LAM * np.eye(rows.shape[1]) + rows.T @ rows)
    variance = sigma**2 * np.sum((rows @ inverse @ vector) ** 2)
    assert variance == pytest.approx(alpha**2 * vector @ inverse @ vector, rel=1e-6)


def test_beta_bounds_all_arms_except_with_probability_one_over_t_squared():
    sigma, t, arms = 0.4, 20, 100
    beta = theory.concentration(sigma, t=t, arms=arms)
    assert beta == pytest.approx(sigma * math.sqrt(4 * math.log(20) + 2 * math.log(100)))
    either_tail = math.erfc(beta / sigma / math.sqrt(2))
    assert arms * either_tail < 1 / t**2


def test_the_bound_is_theorem_4_7():
    kernel, rounds, lam = np.diag([1.0, 2.0, 4.0]), 1000, 1.5
    found = theory.regret_bound(kernel, rounds, noise=R, bound=S, lam=lam, delta=DELTA)
    log = math.log(1 + rounds * 3 / lam)
    d = sum(math.log(1 + rounds * v / lam) for v in (1, 2, 4)) / log
    gamma = 44 * math.e * math.sqrt(math.pi)
    gamma *= 1 + math.sqrt((4 * math.log(rounds) + 2 * math.log(3)) / (1 - lam / (lam + 1)))
    radius = R * math.sqrt(d * log + 2 - 2 * math.log(DELTA)) + math.sqrt(lam) * S
    assert found.dimension == pytest.approx(d)
    assert found.gamma == pytest.approx(gamma)
    assert found.radius == pytest.approx(radius)
    assert found.scale == pytest.approx(radius / math.sqrt(1 - lam / (lam + 1)))
    printed = gamma * radius * math.sqrt(2 * d * rounds * log + 2) + 7 + 3
    assert found.printed == pytest.approx(printed)
    right = gamma * radius * math.sqrt(rounds * 2 * (d * log + 1)) + 7 + 3
    assert found.total == pytest.approx(right)


def test_the_norm_bound_is_that_of_the_shortest_linear_fit(rows):
    h = np.array([0.2, 0.9, 0.4, 0.7])
    shortest = np.linalg.lstsq(rows, h, rcond=None)[0]
    found = theory.norm_bound(rows @ rows.T, h)
    assert found == pytest.approx(math.sqrt(2) * np.linalg.norm(shortest), rel=1e-6)


def test_the_promised_optimism_is_below_the_truth():
    assert pytest.approx(0.0519, abs=5e-5) == theory.OPTIMISM
    assert math.erfc(1 / math.sqrt(2)) / 2 > theory.OPTIMISM  # P(Z > 1) = 0.159


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"lam": 0.5}, "lam must be at least max"),
        ({"bound": 0.0}, "bound must be a number above 0"),
        ({"noise": -1.0}, "noise must be at least 0"),
        ({"delta": 2.0}, "delta must be between"),
        ({"rounds": 0}, "rounds must be at least 1"),
        ({"kernel": np.ones((3, 3))}, "kernel must be positive definite"),
    ],
)
def test_errors_name_the_argument(changes, message):
    arguments = {"kernel": np.eye(3), "rounds": 10, "noise": 0.1, "bound": 1.0, "lam": 1.0}
    with pytest.raises(ValueError, match=message):
        theory.regret_bound(**{**arguments, **changes})


def test_rewards_must_fit_the_kernel():
    with pytest.raises(ValueError, match=r"rewards must be of shape \(3,\), one per arm, not"):
        theory.norm_bound(np.eye(3), np.ones(2))
    with pytest.raises(ValueError, match="rewards must be finite"):
        theory.norm_bound(np.eye(3), [0.0, np.nan, 1.0])
    with pytest.raises(ValueError, match="kernel must be positive definite"):
        theory.norm_bound(np.ones((3, 3)), np.ones(3))
