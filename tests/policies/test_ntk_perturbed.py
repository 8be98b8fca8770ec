"""NTKPerturbed against its definition: least squares over all p weights, solved by brute force."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from jostle import NPR, Agent, NTKPerturbed, theory
from jostle.models.networks import PaperNetwork, estimate

from support import FEATURES, POOL

CONTEXTS = np.random.default_rng(0).normal(size=(POOL, FEATURES)).astype(np.float32) / 2
PULLS = np.concatenate([np.arange(POOL), np.random.default_rng(1).integers(0, 4, 30)])
REWARDS = np.random.default_rng(2).normal(size=len(PULLS)).astype(np.float32)


def learned(policy, pulls=PULLS):
    agent = Agent(policy, seed=1)
    agent.learn(CONTEXTS[pulls], REWARDS[: len(pulls)], arm=pulls)
    return agent


def rows_of(policy, agent):
    """g(x_i; theta_0) / sqrt(m), one row an arm."""
    network = PaperNetwork(policy.width, policy.depth)
    slopes = jax.vmap(jax.grad(lambda p, x: estimate(network, p, x[None])[0]), in_axes=(None, 0))(
        agent.state.weights, CONTEXTS
    )
    flat = [np.asarray(s, np.float64).reshape(POOL, -1) for s in slopes]
    return np.concatenate(flat, axis=1) / np.sqrt(policy.width)


@pytest.fixture(scope="module")
def unperturbed():
    policy = NTKPerturbed(FEATURES, POOL, width=16, depth=2, noise=0.0, regularisation=0.3)
    return policy, learned(policy)


def test_estimates_are_least_squares_in_the_space_of_weights(unperturbed):
    policy, agent = unperturbed
    rows = rows_of(policy, agent)
    a = 0.3 * np.eye(rows.shape[1]) + rows[PULLS].T @ rows[PULLS]
    expected = rows @ np.linalg.solve(a, rows[PULLS].T @ REWARDS)
    found = agent.decide(CONTEXTS, arms=np.arange(POOL)).scores
    np.testing.assert_allclose(found, expected, atol=1e-4)


def test_perturbations_have_the_law_of_perturbing_each_reward(unperturbed):
    """Covariance over the arms of the estimates of 4,000 draws against sigma^2 W N W."""
    policy, agent = unperturbed
    rows = rows_of(policy, agent)
    noisy = policy.replace(noise=0.5)
    keys = jax.random.split(jax.random.key(0), 4000)
    duals = jax.jit(jax.vmap(lambda key: noisy._solve(agent.state, key)))(keys)
    estimates = np.asarray(duals) @ np.asarray(agent.state.kernel)
    a = 0.3 * np.eye(rows.shape[1]) + rows[PULLS].T @ rows[PULLS]
    gain = rows @ np.linalg.solve(a, rows[PULLS].T)  # how each single reward moves each estimate
    expected = 0.25 * gain @ gain.T
    scale = np.sqrt(np.outer(expected.diagonal(), expected.diagonal()))
    # Five standard errors of a correlation over 4,000 draws, with room for the variances.
    np.testing.assert_allclose(np.cov(estimates.T) / scale, expected / scale, atol=0.12)


def test_an_infinitely_wide_network_has_the_kernel_in_closed_form():
    policy = NTKPerturbed(FEATURES, POOL, depth=3, noise=0.0)
    agent = learned(policy)
    np.testing.assert_allclose(
        agent.state.kernel, theory.limit_kernel(CONTEXTS, 3), rtol=1e-4, atol=1e-5
    )


@pytest.mark.parametrize(("pulls", "lam"), [(PULLS, 1.0), (PULLS[:5], 1.0), (PULLS[:5], 0.6)])
def test_the_scale_is_that_of_lemma_4_4(pulls, lam):
    """Also before all arms were pulled, of those that were."""
    policy = NTKPerturbed(FEATURES, POOL, scale="theory", regularisation=lam, bound=1.5)
    state = learned(policy, pulls).state
    seen = np.unique(pulls)
    kernel = theory.limit_kernel(CONTEXTS[seen], 3)
    counts = np.bincount(pulls, minlength=POOL)[seen]
    log_det = np.linalg.slogdet(np.eye(len(seen)) + counts[:, None] * kernel / lam)[1]
    alpha = theory.confidence_radius(log_det, noise=0.1, delta=0.05, lam=lam, bound=1.5)
    sigma = theory.perturbation_scale(
        alpha, lam=lam, eigenvalue=theory.sweep_eigenvalue(kernel, lam)
    )
    pivots = np.diag(np.linalg.cholesky(ridged(np.asarray(state.kernel), pulls, lam)))
    found = policy._lemma_scale(state, jnp.asarray(pivots, jnp.float32))
    np.testing.assert_allclose(found, sigma, rtol=1e-3)


def ridged(kernel, pulls, lam):
    counts = np.bincount(pulls, minlength=POOL)
    return kernel + np.diag(np.where(counts > 0, lam / np.maximum(counts, 1), 1.0))


def test_theory_npr_has_a_scale_that_suffices_in_every_round():
    policy = NPR.theory(CONTEXTS, rounds=500, bound=1.5, width=16)
    kernel = theory.limit_kernel(CONTEXTS, 3)
    eigenvalue = theory.sweep_eigenvalue(kernel, 1.0)
    needed = []
    for counts in (np.full(POOL, 500 / POOL), np.eye(POOL)[0] * 500, np.arange(POOL) * 7):
        log_det = np.linalg.slogdet(np.eye(POOL) + counts[:, None] * kernel)[1]
        alpha = theory.confidence_radius(log_det, noise=0.1, delta=0.05, lam=1.0, bound=1.5)
        needed.append(theory.perturbation_scale(alpha, lam=1.0, eigenvalue=eigenvalue))
    assert max(needed) <= policy.noise < 1.5 * max(needed)
    assert policy.pool == POOL
    assert policy.network == PaperNetwork(16, 3)


def test_bad_arguments_are_named():
    with pytest.raises(ValueError, match="did you mean 'theory'"):
        NTKPerturbed(FEATURES, POOL, scale="theorie")
    with pytest.raises(ValueError, match="width must be even"):
        NTKPerturbed(FEATURES, POOL, width=5)
    with pytest.raises(ValueError, match="contexts must not be parallel"):
        NPR.theory(np.ones((3, 2)), rounds=10, bound=1.0)
    with pytest.raises(ValueError, match="contexts must have shape"):
        NPR.theory(np.ones(3), rounds=10, bound=1.0)
