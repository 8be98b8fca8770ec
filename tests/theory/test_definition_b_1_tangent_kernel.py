"""The closed form against Definition B.1 by Monte Carlo, and against gradients of networks."""

import numpy as np
import pytest

from jostle.ntk.kernel import gradient_kernel
from jostle.theory import limit_kernel, ntk
from jostle.theory.initial_weights import initial_weights

from theory_support import gradients

RNG = np.random.default_rng(0)
CONTEXTS = RNG.normal(size=(5, 4)) / 2


def by_definition(x, y, depth, draws=100_000):
    """H_ij of Definition B.1, its expectations over Gaussians replaced by means of draws."""
    rng = np.random.default_rng(1)
    covariance = np.array([[x @ x, x @ y], [x @ y, y @ y]])
    sigma = tangent = covariance
    for _ in range(depth - 1):
        values, vectors = np.linalg.eigh(sigma)
        u = rng.normal(size=(draws, 2)) @ (vectors * np.sqrt(np.maximum(values, 0))).T
        u = np.concatenate([u, -u])
        positive = np.maximum(u, 0)
        slopes = 2 * ((u > 0).T.astype(float) @ (u > 0)) / len(u)
        sigma = 2 * positive.T @ positive / len(u)
        tangent = tangent * slopes + sigma
    return ((tangent + sigma) / 2)[0, 1]


@pytest.mark.parametrize("depth", [2, 3, 5])
def test_the_definition_by_monte_carlo(depth):
    kernel = ntk(CONTEXTS[:2], depth)
    x, y = CONTEXTS[:2]
    scale = np.linalg.norm(x) * np.linalg.norm(y) * depth
    assert abs(kernel[0, 1] - by_definition(x, y, depth)) < 0.01 * scale
    assert abs(kernel[0, 0] - by_definition(x, x, depth)) < 0.01 * x @ x * depth


@pytest.mark.parametrize("depth", [2, 4])
def test_the_kernel_of_a_network_is_the_product_of_its_gradients(depth):
    weights = initial_weights(np.random.default_rng(0), 8, depth, 4)
    rows = gradients(weights, CONTEXTS)
    found = gradient_kernel(weights, CONTEXTS, CONTEXTS)
    np.testing.assert_allclose(found, rows @ rows.T, rtol=1e-7, atol=1e-9)
    np.testing.assert_allclose(
        gradient_kernel(weights, CONTEXTS[:2], CONTEXTS), found[:2], rtol=1e-12
    )
    # Only the weights that are not initialised to zero: the diagonal blocks.
    started = rows[:, np.concatenate([w.ravel() for w in weights]) != 0]
    found = gradient_kernel(weights, CONTEXTS, CONTEXTS, diagonal_only=True)
    np.testing.assert_allclose(found, started @ started.T, rtol=1e-7, atol=1e-9)


@pytest.mark.parametrize(("diagonal_only", "limit"), [(True, ntk), (False, limit_kernel)])
def test_the_kernels_of_wide_networks_converge(diagonal_only, limit):
    """The mean squared error scales like 1 / m; Definition B.1 leaves out the zero blocks."""
    rng, errors = np.random.default_rng(2), {}
    for width in (32, 512):
        squares = []
        for _ in range(12):
            kernel = gradient_kernel(
                initial_weights(rng, width, 3, 4), CONTEXTS, CONTEXTS, diagonal_only=diagonal_only
            )
            squares.append(np.mean((kernel - limit(CONTEXTS, 3)) ** 2))
        errors[width] = np.sqrt(np.mean(squares))
    assert errors[512] < 0.1 * limit(CONTEXTS, 3).max()
    assert 2 < errors[32] / errors[512] < 8  # sqrt(512 / 32) = 4
    other = limit_kernel if limit is ntk else ntk
    assert np.abs(limit(CONTEXTS, 3) - other(CONTEXTS, 3)).max() > 5 * errors[512]


def textbook(theta, depth):
    """H between unit contexts at an angle, with arc cosines, in extended precision."""
    theta, pi = np.longdouble(theta), 4 * np.arctan(np.longdouble(1))
    tangent = sigma = np.cos(theta)
    for _ in range(depth - 1):
        slopes = 1 - theta / pi
        sigma = (np.sin(theta) + (pi - theta) * np.cos(theta)) / pi
        theta = np.arccos(sigma)
        tangent = tangent * slopes + sigma
    return float((tangent + sigma) / 2)


def at_angle(theta, depth):
    return ntk([[1.0, 0.0], [np.cos(theta), np.sin(theta)]], depth)[0, 1]


@pytest.mark.parametrize("depth", [2, 4])
def test_parallel_and_opposite_contexts_lose_no_digits(depth):
    for theta in (1e-3, 0.14, 0.15, 1.5, 3.0, np.pi - 1e-3, np.pi - 1e-6, np.pi - 1e-9):
        np.testing.assert_allclose(at_angle(theta, depth), textbook(theta, depth), atol=2e-15)
    for theta in (0.0, 1e-13, 1e-11, 1e-9):
        # To first order each of the L (L - 1) / 2 slopes loses theta / pi, and Sigma nothing.
        first_order = (depth + 1) / 2 - depth * (depth - 1) * theta / (4 * np.pi)
        np.testing.assert_allclose(at_angle(theta, depth), first_order, rtol=0, atol=2e-15)


def test_norms_multiply_and_zero_contexts_stay_zero():
    x = np.array([1.0, 0.0])
    twins = ntk(np.stack([x, 3 * x, -2 * x, 0 * x]), 3)
    np.testing.assert_allclose(twins[0, 1], 3 * twins[0, 0], rtol=1e-15)
    np.testing.assert_allclose(twins[0, 0], 2.0, rtol=1e-15)  # (L + 1) / 2 for unit contexts
    assert np.linalg.matrix_rank(twins[:2, :2]) == 1
    assert np.all(twins[3] == 0)
    assert np.isfinite(twins).all()


def test_many_contexts_are_computed_in_blocks(monkeypatch):
    contexts = RNG.normal(size=(37, 4))
    whole = ntk(contexts, 3)
    monkeypatch.setattr("jostle.theory.definition_b_1_tangent_kernel.BLOCK", 10)
    np.testing.assert_allclose(ntk(contexts, 3), whole, rtol=1e-13)
    np.testing.assert_array_equal(whole, whole.T)
    assert np.linalg.eigvalsh(whole)[0] > 0


@pytest.mark.parametrize(
    ("contexts", "depth", "message"),
    [
        (np.ones(3), 3, "contexts must be of shape"),
        (np.full((2, 2), np.nan), 3, "contexts must be finite"),
        (np.ones((2, 2)), 1, "depth must be at least 2"),
        ([["a"]], 3, "contexts must be numeric"),
    ],
)
def test_errors_name_the_argument(contexts, depth, message):
    with pytest.raises((ValueError, TypeError), match=message):
        ntk(contexts, depth)
