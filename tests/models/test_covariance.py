"""The covariances against a dense inverse in float64."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from jostle.models.covariance import BLOCK, ROWS, Diagonal, Dual, Full, Primal
from jostle.models.gradients import Sparse, dense

P = 600


def gradients(n, seed=0, rank=40):
    """Rows like a network's gradients: a strong common direction, a decaying spectrum, noise."""
    rng = np.random.default_rng(seed)
    basis = rng.normal(size=(rank, P)) / np.sqrt(P)
    weights = rng.normal(size=(n, rank)) * np.geomspace(2, 0.05, rank) + np.eye(rank)[0] * 2
    return (weights @ basis + 0.02 * rng.normal(size=(n, P))).astype(np.float32)


def dense_widths(rows, phis, regularisation):
    rows, phis = rows.astype(np.float64), phis.astype(np.float64)
    z = regularisation * np.eye(P) + rows.T @ rows
    return np.sum(phis * np.linalg.solve(z, phis.T).T, axis=1)


def observed(covariance, rows, regularisation):
    step = jax.jit(
        lambda i, c, rows: c.add(jax.tree.map(lambda part: part[i], rows), regularisation)
    )
    for i in range(len(jax.tree.leaves(rows)[0])):
        covariance = step(i, covariance, rows)
    return covariance


@pytest.mark.parametrize("regularisation", [1.0, 0.01])
def test_dual_primal_and_a_dense_inverse_agree(regularisation):
    n = BLOCK + 30
    rows, phis = gradients(n), gradients(7, seed=1)
    empty = Full.empty(P)
    dual = observed(empty.reserve(n), jnp.asarray(rows), regularisation)
    primal = observed(empty.reserve(ROWS * P + 1), jnp.asarray(rows), regularisation)
    assert isinstance(dual, Dual)
    assert isinstance(primal, Primal)
    wanted = dense_widths(rows, phis, regularisation)
    for form in (dual, primal):
        found = form.squared_widths(jnp.asarray(phis), regularisation)
        np.testing.assert_allclose(found, wanted, rtol=5e-3)


def test_a_dual_that_outgrows_its_parameters_becomes_primal_with_the_same_numbers():
    rows, phis = gradients(50), jnp.asarray(gradients(5, seed=1))
    dual = observed(Full.empty(P).reserve(50), jnp.asarray(rows), 0.1)
    primal = dual.reserve(ROWS * P + 1)
    assert isinstance(primal, Primal)
    np.testing.assert_allclose(
        primal.squared_widths(phis, 0.1), dual.squared_widths(phis, 0.1), rtol=1e-3
    )
    more = jnp.asarray(gradients(20, seed=2))
    grown = dual.reserve(2 * BLOCK)
    assert isinstance(grown, Dual)
    np.testing.assert_allclose(
        observed(primal, more, 0.1).squared_widths(phis, 0.1),
        observed(grown, more, 0.1).squared_widths(phis, 0.1),
        rtol=2e-3,
    )


def test_learning_copies_no_block():
    covariance = Full.empty(P).reserve(2 * BLOCK)
    size = sum(leaf.nbytes for leaf in jax.tree.leaves(covariance))

    def learn(covariance, rows):
        return jax.lax.fori_loop(0, 9, lambda i, c: c.add(rows[i], 0.1), covariance)

    program = jax.jit(learn, donate_argnums=0).lower(covariance, jnp.asarray(gradients(9)))
    assert program.compile().memory_analysis().temp_size_in_bytes < size / 10


def test_only_rows_in_use_count():
    """Room for more rows changes no number."""
    rows, phis = jnp.asarray(gradients(20)), jnp.asarray(gradients(5, seed=1))
    tight = observed(Full.empty(P).reserve(20), rows, 0.1)
    roomy = observed(Full.empty(P).reserve(2 * BLOCK), rows, 0.1)
    np.testing.assert_array_equal(tight.squared_widths(phis, 0.1), roomy.squared_widths(phis, 0.1))


@pytest.mark.study
@pytest.mark.parametrize("form", [Dual, Primal])
def test_gradients_that_repeat_lose_no_accuracy(form):
    """A pool of 20 arms, each pulled some 100 times: widths are those of float64."""
    pool = gradients(20, rank=20)
    pulled = np.random.default_rng(3).integers(20, size=2000)
    room = 2000 if form is Dual else ROWS * P + 1
    rows, parameters = (pool, P) if form is Primal else (np.pad(pool, ((0, 0), (0, 401))), P + 401)

    @jax.jit
    def learn(covariance):
        def add(covariance, arm):
            return covariance.add(jnp.asarray(rows)[arm], 1e-3), None

        return jax.lax.scan(add, covariance, jnp.asarray(pulled))[0]

    covariance = learn(Full.empty(parameters).reserve(room))
    assert isinstance(covariance, form)
    found = covariance.squared_widths(jnp.asarray(rows), 1e-3)
    np.testing.assert_allclose(found, dense_widths(pool[pulled], pool, 1e-3), rtol=5e-3)


def test_diagonal_is_the_diagonal():
    rows, phis = gradients(30), gradients(4, seed=1)
    found = observed(Diagonal.empty(P), jnp.asarray(rows), 0.3).squared_widths(phis, 0.3)
    diagonal = 0.3 + np.sum(rows.astype(np.float64) ** 2, axis=0)
    np.testing.assert_allclose(found, np.sum(phis**2 / diagonal, axis=1), rtol=1e-4)


def test_widths_stay_positive_when_rounding_would_take_them_below_zero():
    rows = jnp.asarray(np.repeat(gradients(1), 400, axis=0))
    for room in (400, ROWS * P + 1):
        covariance = observed(Full.empty(P).reserve(room), rows, 1e-3)
        found = covariance.squared_widths(rows[:1], 1e-3)
        assert found > 0
        assert found < 0.05


def test_memory_is_that_of_the_smaller_form():
    assert Full.bytes(1000, 256) == 2 * 4 * 1000 * 256  # F and U
    assert Full.bytes(1000, 10_000) == 4 * 1000 * 1000
    # The case that had to fit: 30,000 parameters for 10,000 rounds, in less than 6 GB.
    assert Full.bytes(30_000, 10_000) < 2.5e9


@pytest.mark.parametrize("form", [Dual, Primal])
def test_rows_without_their_zeros_give_what_rows_with_them_give(form):
    blocks, q, s, n = 10, 50, 100, 40
    rng = np.random.default_rng(0)
    rows = Sparse(
        jnp.asarray(rng.normal(size=(n, q)), jnp.float32) / 10,
        jnp.asarray(rng.integers(blocks, size=n), jnp.int32),
        jnp.asarray(rng.normal(size=(n, s)), jnp.float32) / 10,
    )
    full = np.asarray(dense(rows, P))
    for row, block in zip(full, rows.block, strict=True):
        assert set(np.flatnonzero(row[: blocks * q]) // q) == {int(block)}
    covariance = Full.empty(P).reserve(n if form is Dual else ROWS * P + 1)
    assert isinstance(covariance, form)
    covariance = observed(covariance, rows, 0.1)
    np.testing.assert_allclose(
        covariance.squared_widths(rows, 0.1), dense_widths(full, full, 0.1), rtol=5e-3
    )
    np.testing.assert_allclose(
        covariance.squared_widths(jnp.asarray(full), 0.1),
        covariance.squared_widths(rows, 0.1),
        rtol=1e-4,
    )
