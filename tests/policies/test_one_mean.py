"""NeuralUCB, NeuralTS, EpsilonGreedy and Falcon explore around NPR's mean, in any unit.

Compilation is nearly all that this costs: policies that differ in numbers alone share ``LEARN``.
"""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from jostle import NPR, EpsilonGreedy, Falcon, NeuralTS, NeuralUCB, Training, simulate
from jostle.core.contexts import Blocks
from jostle.environments import Synthetic, Units
from jostle.models.networks import MLP, NoNetwork
from jostle.types import Feedback, Round, plain_round

FEATURES, ROUNDS = 5, 40
SMALL = {
    "random_features": 6,
    "network": MLP(8, 2),
    "training": Training(steps=2, batch=8, memory=300),
}
WORLD = Synthetic("h1", features=FEATURES, pool=8, shown=4, noise=0.1)
POLICIES = {
    "epsilon-greedy": EpsilonGreedy(FEATURES, **SMALL),
    "falcon": Falcon(FEATURES, **SMALL),
    "neural-ucb": NeuralUCB(FEATURES, **SMALL),
    "neural-ts": NeuralTS(FEATURES, samples=4_000, **SMALL),
}
FULL = NeuralUCB(FEATURES, covariance="full", **SMALL)
every = pytest.mark.parametrize(
    "policy",
    [*POLICIES.values(), pytest.param(FULL, marks=pytest.mark.study)],
    ids=[*POLICIES, "neural-ucb-full"],
)
LEARN = jax.jit(lambda policy, state, key, row: policy.learn(state, key, row))


@pytest.fixture(scope="module")
def stream():
    rng = np.random.default_rng(0)
    contexts = rng.normal(size=(ROUNDS, FEATURES)).astype(np.float32)
    rewards = contexts @ [1.0, -2.0, 0.5, 0.0, 1.0] + 0.3 * rng.normal(size=ROUNDS)
    shown = rng.normal(size=(6, FEATURES)).astype(np.float32)
    return contexts, rewards.astype(np.float32), plain_round(jnp.asarray(shown))


def learned(policy, contexts, rewards, watch=None):
    """The state after some observations; ``watch`` is shown the states before and after each."""
    state = policy.reserve(policy.init(jax.random.key(0)), observations=ROUNDS, arms=0)
    for t, (x, r) in enumerate(zip(contexts, rewards, strict=True)):
        row = Feedback(jnp.asarray(x), jnp.float32(r), jnp.int32(-1), jnp.int32(-1))
        before, state = state, LEARN(policy, state, jax.random.key(t), row)
        if watch is not None:
            watch(before, state, x)
    return state


def weighed(policy, state, shown):
    """The mean of each arm, and its probability."""
    _, probabilities = policy.weigh(state, jax.random.key(1), shown)
    return np.asarray(policy.estimates(state, shown.contexts)), np.asarray(probabilities)


@pytest.fixture(scope="module")
def npr_estimates(stream):
    contexts, rewards, shown = stream
    policy = NPR(FEATURES, members=4, **SMALL)
    return policy.estimates(learned(policy, contexts, rewards), shown.contexts)


@every
def test_the_mean_is_that_of_npr(policy, stream, npr_estimates):
    """From the same observations and keys: so comparisons with NPR are of exploration alone."""
    contexts, rewards, shown = stream
    found = policy.estimates(learned(policy, contexts, rewards), shown.contexts)
    np.testing.assert_allclose(found, npr_estimates, rtol=1e-4, atol=1e-5)


@every
def test_units_do_not_matter(policy, stream):
    """Powers of two change nothing at all, offsets as little as numbers are rounded."""
    contexts, rewards, shown = stream
    mean, probabilities = weighed(policy, learned(policy, contexts, rewards), shown)
    for power in (-10, 10):
        found = weighed(policy, learned(policy, contexts, rewards * 2.0**power), shown)
        np.testing.assert_array_equal(found[0], mean * 2.0**power)
        np.testing.assert_array_equal(found[1], probabilities)
    longer = shown._replace(contexts=shown.contexts * 32)
    found = weighed(policy, learned(policy, contexts * 32, rewards), longer)
    np.testing.assert_array_equal(found[0], mean)
    np.testing.assert_array_equal(found[1], probabilities)
    found = weighed(policy, learned(policy, contexts, rewards + 32), shown)
    np.testing.assert_allclose(found[0] - 32, mean, atol=0.02)
    np.testing.assert_allclose(found[1], probabilities, atol=0.02)


@every
def test_before_two_rewards_differ_it_chooses_uniformly(policy, stream):
    contexts, _, shown = stream
    for rewards in ([], [0.3], [0.3, 0.3, 0.3]):
        state = learned(policy, contexts[: len(rewards)], rewards)
        _, probabilities = weighed(policy, state, shown)
        np.testing.assert_allclose(probabilities, 1 / 6, rtol=1e-6)
    state = learned(policy, contexts[:2], [0.3, 0.4])
    assert np.ptp(weighed(policy, state, shown)[1]) > 0.1


@pytest.mark.study
@every
@pytest.mark.parametrize("pool", [None, 8])
def test_rewards_times_a_power_of_two_give_the_identical_actions(policy, pool):
    policy = policy.replace(pool=pool)
    plain, *others = (
        simulate(policy, Units(of=WORLD, reward_scale=2.0**k), rounds=200, seed=1).actions
        for k in (0, -10, 10)
    )
    for other in others:
        np.testing.assert_array_equal(other, plain)


@pytest.mark.parametrize(
    "policy", [pytest.param(FULL, marks=pytest.mark.study), POLICIES["neural-ucb"]]
)
def test_widths_are_those_of_gradients_in_units_of_the_errors(policy, stream):
    """Against explicit gradients at contexts in their unit, and a dense Z."""
    contexts, rewards, shown = stream
    policy = policy.replace(exploration=0.7, regularisation=0.5)
    z = 0.5 * np.eye(policy.parameters)
    one = jax.jit(jax.grad(lambda p, x: policy.network.apply(p, x[None])[0, 0]))

    def gradients(params, x, unit):
        rows = [jax.tree.leaves(one(params, each / unit)) for each in jnp.asarray(x)]
        flat = [np.concatenate([np.ravel(leaf) for leaf in row]) for row in rows]
        return np.asarray(flat, np.float64) / np.sqrt(policy.network.width)

    def watch(before, after, x):
        nonlocal z
        phi = gradients(before.fit.average, x[None], after.forecaster.unit)[0]
        z += np.outer(phi, phi)

    state = learned(policy, contexts, rewards * 100, watch)
    inverse = np.linalg.inv(z) if policy.covariance == "full" else np.diag(1 / np.diag(z))
    phis = gradients(state.fit.average, shown.contexts, state.forecaster.unit)
    widths = float(state.forecaster.scales.noise) * np.sqrt(np.sum(phis @ inverse * phis, axis=1))
    np.testing.assert_allclose(policy.widths(state, shown.contexts), widths, rtol=5e-3)
    mean = np.asarray(policy.estimates(state, shown.contexts))
    np.testing.assert_allclose(policy.scores(state, shown), mean + 0.7 * widths, rtol=5e-3)


def test_thompson_draws_have_these_widths(stream):
    contexts, rewards, shown = stream
    policy = POLICIES["neural-ts"].replace(exploration=0.6, regularisation=0.5)
    state = learned(policy, contexts, rewards)
    draws = policy.draws(state, jax.random.key(0), shown, (4_000,))
    deviations = 0.6 * np.sqrt(0.5) * np.asarray(policy.widths(state, shown.contexts))
    np.testing.assert_allclose(draws.std(0), deviations, rtol=0.06)  # five standard errors
    mean = np.asarray(policy.estimates(state, shown.contexts))
    assert np.all(np.abs(draws.mean(0) - mean) < 5 * deviations / np.sqrt(4_000))


def test_gaps_count_in_units_of_the_errors(stream):
    contexts, rewards, shown = stream
    policy = POLICIES["falcon"].replace(complexity=0.5)
    state = learned(policy, contexts, rewards)
    mean, found = weighed(policy, state, shown)
    gamma = np.sqrt(len(mean) * ROUNDS / 0.5) / 2
    gaps = (mean.max() - mean) / float(state.forecaster.scales.noise)
    expected = 1 / (len(mean) + gamma * gaps)
    expected[mean.argmax()] += 1 - expected.sum()
    np.testing.assert_allclose(found, expected, rtol=1e-4)


def test_without_epsilon_it_is_greedy_on_the_mean(stream):
    contexts, rewards, shown = stream
    policy = POLICIES["epsilon-greedy"].replace(epsilon=0.0)
    mean, probabilities = weighed(policy, learned(policy, contexts, rewards), shown)
    assert probabilities[mean.argmax()] == 1


@pytest.mark.parametrize("kind", [NeuralUCB, NeuralTS])
def test_widths_need_a_network(kind):
    with pytest.raises(ValueError, match=f"{kind.__name__} needs a network, since it explores by"):
        kind(FEATURES, network=NoNetwork())


@every
def test_every_form_can_be_made(policy):
    kind = type(policy)
    assert (policy.effective_sweep, policy.replace(pool=3).effective_sweep) == (0, 3)
    paper, descent = kind.paper(FEATURES, width=8), kind.descent(FEATURES, sweep=7)
    assert type(paper) is type(descent) is kind.paper_form
    assert (paper.network.width, descent.effective_sweep) == (8, 7)
    assert descent.behaviour < policy.behaviour


@pytest.mark.study
@pytest.mark.parametrize("network", [MLP(8, 2), NoNetwork()])
@every
def test_blocks_have_estimates_of_their_own(policy, network):
    """The disjoint model; with no network, only if the policy does without gradients."""
    if isinstance(network, NoNetwork) and isinstance(policy, NeuralUCB | NeuralTS):
        pytest.skip("explores by gradients of its network")
    policy = policy.replace(features=2 * FEATURES, blocks=2, network=network)
    state = policy.reserve(policy.init(jax.random.key(0)), observations=ROUNDS, arms=2)
    rng = np.random.default_rng(0)
    for t in range(ROUNDS):
        x, block = rng.normal(size=FEATURES).astype(np.float32), jnp.int32(t % 2)
        reward = jnp.float32(x[0] if t % 2 else -x[0])
        row = Feedback(Blocks(jnp.asarray(x), block), reward, block, jnp.int32(-1))
        state = LEARN(policy, state, jax.random.key(t), row)
    blocks = jnp.arange(2, dtype=jnp.int32)
    x = jnp.zeros((2, FEATURES)).at[:, 0].set(2.0)
    shown = Round(Blocks(x, blocks), jnp.ones(2, bool), blocks, jnp.int32(-1))
    mean, probabilities = weighed(policy, state, shown)
    np.testing.assert_allclose(mean, [-2, 2], atol=1)
    assert probabilities[1] > 0.8
