"""NPR: what its scores are made of, and that units do not matter to it."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from jostle import NPR, Agent, Training, make_environment, make_policy, simulate
from jostle.core.contexts import Blocks
from jostle.environments import Synthetic, Units
from jostle.models.networks import MLP, NoNetwork
from jostle.policies.npr import BOLDNESS, FARTHER, POOL_TEMPER, TEMPER
from jostle.types import Feedback, plain_round

FEATURES, ROUNDS, RIDGE = 3, 40, 0.05
FEW = {"random_features": 6, "members": 8, "network": NoNetwork()}
WORLD = Synthetic("h1", features=5, pool=8, shown=4, noise=0.1)


def learned(policy, contexts, rewards):
    state = policy.init(jax.random.key(0))
    learn = jax.jit(policy.learn)
    for t, (x, r) in enumerate(zip(contexts, rewards, strict=True)):
        row = Feedback(jnp.asarray(x), jnp.float32(r), jnp.int32(-1), jnp.int32(-1))
        state = learn(state, jax.random.key(t), row)
    return state


@pytest.fixture(scope="module")
def stream():
    rng = np.random.default_rng(0)
    contexts = rng.normal(size=(ROUNDS, FEATURES)).astype(np.float32)
    return contexts, contexts @ [1.0, -2.0, 0.5] + 5 + 0.3 * rng.normal(size=ROUNDS)


def test_what_draws_add_is_half_gaussian_with_the_variance_of_responses_and_priors(stream):
    """For a fixed design it has the mean and the square that the members' exact fits tell."""
    policy = NPR(FEATURES, ridge=RIDGE, optimism=0, floor=0, **{**FEW, "members": 400})
    contexts, rewards = stream
    state = learned(policy, contexts, rewards)
    forecaster = state.forecaster
    shown = plain_round(jnp.asarray(np.random.default_rng(1).normal(size=(4, FEATURES)) * 2))
    phi = np.asarray(forecaster.expand(jnp.asarray(contexts)), np.float64)
    inverse = np.linalg.inv(RIDGE * np.eye(phi.shape[1]) + phi.T @ phi)
    new = np.asarray(forecaster.expand(shown.contexts), np.float64)
    nu = (
        policy.noise / float(forecaster.scales.dimension) ** TEMPER * float(forecaster.scales.noise)
    )
    rho = float(forecaster.scales.prior)
    noise = new @ inverse @ phi.T
    variance = nu**2 * (noise**2).sum(1) + (rho * RIDGE) ** 2 * ((new @ inverse) ** 2).sum(1)
    draws = policy.draws(state, jax.random.key(3), shown, (4_000,))
    added = np.asarray(draws - policy.estimates(state, shown.contexts), np.float64)
    # 400 members estimate a variance to within 7 %, and its root to half of that.
    assert added.min() > -1e-4
    np.testing.assert_allclose((added**2).mean(0), variance, rtol=0.4)
    np.testing.assert_allclose(added.mean(0), np.sqrt(2 / np.pi * variance), rtol=0.2)


@pytest.mark.parametrize("pool", [None, 8])
def test_noise_falls_with_the_dimension_and_less_so_in_a_pool(pool, stream):
    policy = NPR(FEATURES, pool=pool, prior=0, floor=0, **FEW)
    state = policy.init(jax.random.key(0))
    scales = learned(NPR(FEATURES, **FEW), *stream).forecaster
    scales, ridge = scales.scales, scales.ridge
    shown = plain_round(jnp.eye(FEATURES))

    def added(dimension):
        now = scales._replace(directions=scales.error_weight * dimension)
        known = state._replace(forecaster=state.forecaster._replace(scales=now, ridge=ridge))
        draws = policy.draws(known, jax.random.key(1), shown, (9,))
        return draws - policy.estimates(known, shown.contexts)

    temper = TEMPER if pool is None else POOL_TEMPER
    np.testing.assert_allclose(added(1.0), 16**temper * added(16.0), rtol=0.01, atol=1e-4)


def test_optimists_multiply_the_prior_and_become_rare(stream):
    always = NPR(FEATURES, optimism=1e9, noise=0, floor=0, **FEW)
    never = always.replace(optimism=0)
    state = learned(always, *stream)
    shown = plain_round(jnp.asarray(np.eye(FEATURES, dtype=np.float32) * 9))
    mean = always.estimates(state, shown.contexts)
    key = jax.random.key(1)
    bold, usual = (policy.draws(state, key, shown, (50,)) - mean for policy in (always, never))
    np.testing.assert_allclose(bold, BOLDNESS * usual, rtol=1e-3, atol=1e-5)


def test_optimists_prefer_outlying_contexts_unless_they_are_a_pools(stream):
    policy = NPR(FEATURES, **FEW)
    state = learned(policy, *stream)
    usual, farther = (c / (c + ROUNDS + 0.5) for c in (0.5, 0.5 * FARTHER))
    for context, expected in ((stream[0].mean(0), usual), (stream[0].mean(0) + 99, farther)):
        chance = policy._optimism(state, plain_round(jnp.asarray(context)[None]))
        assert float(chance) == pytest.approx(expected, rel=1e-5)
    pooled = NPR(FEATURES, pool=8, **FEW)
    state = pooled.init(jax.random.key(0))
    assert state.forecaster.outlying is None
    assert float(pooled._optimism(state, plain_round(jnp.eye(FEATURES)))) == pytest.approx(3 / 3.5)


@pytest.mark.parametrize("pool", [None, 8])
def test_rewards_times_a_power_of_two_give_the_identical_actions(pool):
    training = Training(steps=2, batch=8)
    policy = NPR(5, pool=pool, **{**FEW, "network": MLP(8, 2), "training": training})
    runs = [
        simulate(policy, Units(of=WORLD, reward_scale=2.0**k), rounds=300, seed=1).actions
        for k in range(-10, 11, 5)
    ]
    for other in runs[1:]:
        np.testing.assert_array_equal(other, runs[0])


def test_contexts_times_a_power_of_two_give_the_identical_actions_once_known():
    """The unit is found from the first observation on, before which there is no choice to make."""
    policy = NPR(5, **FEW)
    runs = [
        simulate(policy, Units(of=WORLD, context_factor=2.0**k), rounds=300, seed=1).actions
        for k in (-5, 0, 5)
    ]
    for other in runs[1:]:
        np.testing.assert_array_equal(other, runs[1])


def test_before_two_rewards_differ_it_chooses_uniformly():
    agent = Agent(NPR(FEATURES, **FEW))
    contexts = np.random.default_rng(0).normal(size=(4, FEATURES))
    for reward in (None, 2.0, 2.0):
        if reward is not None:
            agent.learn(contexts[0], reward)
        np.testing.assert_allclose(agent.decide(contexts).probabilities, 0.25)
    agent.learn(contexts[1], 3.0)
    assert np.ptp(agent.decide(contexts).probabilities) > 0


def test_perturbations_belong_to_the_observation_whatever_the_batch(stream):
    """So that learning a batch is learning its rows, and a member is the same for ever."""
    contexts, rewards = stream
    together, singly = (Agent(NPR(FEATURES, **FEW), seed=3) for _ in range(2))
    together.learn(contexts, rewards)
    for x, r in zip(contexts, rewards, strict=True):
        singly.learn(x, r)
    for a, b in zip(*(jax.tree.leaves(agent.state) for agent in (together, singly)), strict=True):
        np.testing.assert_array_equal(a, b)


def test_a_round_copies_no_table(stream):
    """Learning updates its tables in place.

    The compiler sets memory aside for one table of responses, which is used only when the unit of
    contexts is corrected. A copy of any other would come on top of it.
    """
    blocks = 64
    policy = NPR(blocks * 8, blocks=blocks, network=NoNetwork())
    state = policy.reserve(policy.init(jax.random.key(0)), observations=4, arms=blocks)
    row = Feedback(
        Blocks(jnp.ones(8), jnp.int32(3)),
        jnp.float32(1),
        jnp.int32(3),
        jnp.int32(-1),
    )
    compiled = (
        jax.jit(policy.learn, donate_argnums=0).lower(state, jax.random.key(0), row).compile()
    )
    weights, root, _ = (part.nbytes for part in state.forecaster.ridge)
    assert compiled.memory_analysis().temp_size_in_bytes < weights + root / 4


@pytest.mark.study
def test_it_finds_the_better_coin_and_the_prizes_of_the_wheel():
    coins = make_environment("coins")
    policy = make_policy("npr:network=none", coins)
    regrets = [float(simulate(policy, coins, rounds=3_000, seed=s).regret[-1]) for s in range(12)]
    assert np.mean(regrets) < 60  # a choice at random has 150
    wheel = make_environment("wheel:delta=0.5")
    policy = make_policy("npr:network=none", wheel)
    chance = simulate(make_policy("uniform", wheel), wheel, rounds=4_000, seed=0).regret[-1]
    for seed in range(3):
        assert simulate(policy, wheel, rounds=4_000, seed=seed).regret[-1] < 0.1 * chance
