"""NeuralLinear against a posterior by brute force, in float64."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from jostle import NeuralLinear, Training, simulate
from jostle.core.contexts import Blocks
from jostle.environments import Synthetic, Units
from jostle.models.networks import MLP, PaperNetwork
from jostle.types import NOBODY, Feedback, Round

D, BLOCKS, WIDTH, PRIOR = 3, 4, 6, 0.05
ROOM = 80  # the same for every stream, so that they share a program
SMALL = {
    "network": MLP(width=WIDTH, depth=2),
    "training": Training(steps=2, batch=8, step_size=0.02),
    "prior": PRIOR,
}
learn = jax.jit(NeuralLinear.learn)


def taught(policy, observations, seed=0, blocks=True):
    """The state after a stream, the stream, and the errors of estimates made before learning."""
    rng = np.random.default_rng(seed)
    state = policy.reserve(policy.init(jax.random.key(0)), observations=ROOM, arms=0)
    x = rng.normal(size=(observations, D)).astype(np.float32)
    block = rng.integers(BLOCKS, size=observations).astype(np.int32)
    rewards = (50 + 10 * x[:, 0] + 5 * block + rng.normal(size=observations)).astype(np.float32)
    renewals = []
    for t in range(observations):
        context = Blocks(x[t], block[t]) if blocks else x[t]
        arm = block[t] if blocks else np.int32(NOBODY)
        due = int(state.due)
        feedback = Feedback(context, rewards[t], arm, np.int32(NOBODY))
        state = learn(policy, state, jax.random.key(t), feedback)
        if int(state.due) != due:
            renewals.append(t + 1)
    return state, x, block, rewards, renewals


def posterior(phi, rewards):
    """Mean and covariance / sigma^2 of the weights, for rewards less their mean."""
    precision = PRIOR * np.eye(phi.shape[1]) + phi.T @ phi
    return np.linalg.solve(precision, phi.T @ rewards), np.linalg.inv(precision)


@pytest.mark.study
@pytest.mark.parametrize("observations", [19, 20, 33])  # before, at and after a new copy
def test_scores_are_drawn_from_the_posterior_of_the_whole_history(observations):
    policy = NeuralLinear(D * BLOCKS, blocks=BLOCKS, interval=20, exploration=0.7, **SMALL)
    state, x, block, rewards, renewals = taught(policy, observations)
    assert renewals == ([20] if observations >= 20 else [])
    phi = np.asarray(policy.represent(state, Blocks(jnp.asarray(x), jnp.asarray(block))))
    assert phi.shape == (observations, WIDTH + 1)
    phi, level = phi.astype(np.float64), rewards.astype(np.float64).mean()
    shown = np.random.default_rng(9).normal(size=(BLOCKS, D)).astype(np.float32)
    arms = np.arange(BLOCKS, dtype=np.int32)
    contexts = Blocks(jnp.asarray(shown), jnp.asarray(arms))
    new = np.asarray(policy.represent(state, contexts), np.float64)
    means, deviations = np.empty(BLOCKS), np.empty(BLOCKS)
    for arm in arms:
        mean, covariance = posterior(phi[block == arm], (rewards - level)[block == arm])
        means[arm] = level + new[arm] @ mean
        deviations[arm] = np.sqrt(new[arm] @ covariance @ new[arm])
    deviations *= 0.7 * float(state.residuals.unit)
    np.testing.assert_allclose(policy.deviations(state, contexts), deviations, rtol=2e-3)
    round = Round(contexts, jnp.ones(BLOCKS, bool), jnp.asarray(arms), jnp.int32(NOBODY))
    draws = np.asarray(policy.draws(state, jax.random.key(1), round, (20_000,)), np.float64)
    assert np.all(np.abs(draws.mean(0) - means) < 5 * deviations / np.sqrt(20_000) + 1e-3 * level)
    np.testing.assert_allclose(draws.std(0), deviations, rtol=0.03)
    correlations = np.corrcoef(draws.T) - np.eye(BLOCKS)  # each arm has weights of its own
    assert np.abs(correlations).max() < 5 / np.sqrt(20_000)


def test_without_blocks_all_arms_share_the_weights():
    policy = NeuralLinear(D, interval=20, exploration=1.0, **SMALL)
    state, x, _, rewards, _ = taught(policy, 25, blocks=False)
    phi = np.asarray(policy.represent(state, jnp.asarray(x)), np.float64)
    level = rewards.astype(np.float64).mean()
    mean, covariance = posterior(phi, rewards - level)
    round = Round(
        jnp.asarray(x[:5]), jnp.ones(5, bool), jnp.full(5, NOBODY, jnp.int32), jnp.int32(NOBODY)
    )
    draws = np.asarray(policy.draws(state, jax.random.key(1), round, (20_000,)), np.float64)
    expected = float(state.residuals.unit) ** 2 * phi[:5] @ covariance @ phi[:5].T
    scale = np.sqrt(np.outer(np.diag(expected), np.diag(expected)))
    assert np.all(np.abs(np.cov(draws.T) - expected) < 0.05 * scale)
    error = 5 * np.sqrt(np.diag(expected) / 20_000) + 1e-4 * level
    assert np.all(np.abs(draws.mean(0) - level - phi[:5] @ mean) < error)


def test_a_pool_gives_the_posterior_of_its_single_observations():
    pool = np.random.default_rng(1).normal(size=(6, D)).astype(np.float32)
    pooled = NeuralLinear(D, pool=6, interval=10, **SMALL)
    state = pooled.reserve(pooled.init(jax.random.key(0)), observations=30, arms=6)
    rng = np.random.default_rng(2)
    arms = rng.integers(5, size=30).astype(np.int32)  # one is never pulled
    rewards = (3 + pool[arms, 0] + rng.normal(size=30)).astype(np.float32)
    for t, arm in enumerate(arms):
        feedback = Feedback(pool[arm], rewards[t], arm, np.int32(NOBODY))
        state = learn(pooled, state, jax.random.key(t), feedback)
    assert int(state.due) == 40  # computed from the pool after the last observation
    phi = np.asarray(pooled.represent(state, jnp.asarray(pool[arms])), np.float64)
    mean, covariance = posterior(phi, rewards - rewards.astype(np.float64).mean())
    found = state.models.row(0)
    np.testing.assert_allclose(found.around(state.residuals.mean[0]), mean, atol=2e-3)
    root = np.asarray(found.ridge.root, np.float64)
    np.testing.assert_allclose(root @ root.T, covariance, rtol=1e-2, atol=1e-3)


@pytest.mark.study
def test_a_copy_of_the_network_is_taken_ever_more_seldom():
    policy = NeuralLinear(D * BLOCKS, blocks=BLOCKS, interval=3, **SMALL)
    renewals = taught(policy, 80)[-1]
    gaps = np.diff(renewals)
    assert renewals[0] == 3
    assert gaps.min() == 3
    assert gaps[-1] == 7  # a tenth of the history, from 70 to 77


@pytest.mark.study
def test_the_unit_of_rewards_changes_no_action():
    world = Synthetic("h1", features=D, pool=None, shown=4)
    policy = NeuralLinear(D, interval=20, **SMALL)
    plain = simulate(policy, Units(world, reward_scale=1.0), rounds=60, seed=1).actions
    for power in (-10, 10):
        scaled = Units(world, reward_scale=2.0**power)
        actions = simulate(policy, scaled, rounds=60, seed=1).actions
        np.testing.assert_array_equal(actions, plain)


@pytest.mark.parametrize("network", [MLP(8, 3), PaperNetwork(8, 3)])
def test_the_last_hidden_layer_is_what_the_output_layer_sees(network):
    x = jax.random.normal(jax.random.key(0), (5, D))
    params = network.init(jax.random.key(1), x)
    assert network.hidden(params, x).shape == (5, 8)
    silenced = jax.tree.map(jnp.zeros_like, params[2:])
    np.testing.assert_array_equal(network.apply([*params[:2], *silenced], x), 0)


def test_other_networks_are_refused():
    class Mine:
        def init(self, key, x):
            return ()

        def apply(self, params, x):
            return x[:, 0]

    with pytest.raises(TypeError, match="network must be an MLP or a PaperNetwork"):
        NeuralLinear(D, network=Mine())


@pytest.mark.study
def test_finds_the_rim_of_the_wheel():
    from jostle import Uniform, make_environment

    world = make_environment("wheel:delta=0.5")
    policy = NeuralLinear.for_environment(world)
    for seed in (100, 101):
        chance = simulate(Uniform(10), world, rounds=1500, seed=seed).regret[-1]
        assert simulate(policy, world, rounds=1500, seed=seed).regret[-1] < 0.2 * chance
