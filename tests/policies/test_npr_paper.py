"""Algorithm 1 of the paper, and what users may bring to it."""

import jax
import jax.numpy as jnp
import numpy as np
import optax
import pytest

from jostle import (
    NPR,
    Agent,
    EpsilonGreedy,
    Falcon,
    NeuralTS,
    NeuralUCB,
    Training,
    Uniform,
    simulate,
)
from jostle.environments import Synthetic
from jostle.models.networks import MLP, PaperNetwork
from jostle.types import Feedback, plain_round

from support import EASY, FEATURES, POOL

SMALL = {"network": MLP(16, 2), "training": Training(steps=3, memory=1_000)}


@pytest.mark.study
@pytest.mark.parametrize(
    "policy",
    [
        NPR.descent(FEATURES, **SMALL),
        NPR.descent(FEATURES, pool=POOL, **SMALL),
        EpsilonGreedy.descent(FEATURES, **SMALL),
        NeuralUCB.descent(FEATURES, sweep=512, exploration=0, **SMALL),
        NeuralTS.descent(FEATURES, pool=POOL, sweep=512, exploration=0, **SMALL),
        Falcon.descent(FEATURES, sweep=512, **SMALL),
    ],
)
def test_every_arm_is_pulled_once_before_any_is_pulled_again(policy):
    everything = Synthetic(EASY.function, features=FEATURES, pool=POOL, shown=POOL)
    # All arms are shown each round, so the first POOL rounds must pull POOL arms.
    agent = Agent(policy)
    pool = np.random.default_rng(0).normal(size=(POOL, FEATURES))
    pulled = []
    for _ in range(POOL):
        arm = agent.choose(pool, arms=np.arange(POOL))
        agent.learn(pool[arm], 1.0, arm=arm)
        pulled.append(arm)
    assert sorted(pulled) == list(range(POOL))
    result = simulate(policy, everything, rounds=POOL, seed=0)
    assert int(result.state.tried.flags.sum()) == POOL


@pytest.mark.parametrize(
    "policy", [NPR.descent(FEATURES, pool=POOL, sweep=0), NeuralUCB.descent(FEATURES)]
)
def test_without_a_sweep_it_chooses_by_estimates_from_the_start(policy):
    state = policy.reserve(policy.init(jax.random.key(0)), observations=8, arms=POOL)
    arms = jnp.arange(3)
    learnt = state._replace(tried=state.tried.add(jnp.int32(0)))
    round = plain_round(jnp.ones((3, FEATURES)))._replace(arms=arms)
    chosen = {int(policy.choose(learnt, jax.random.key(seed), round).index) for seed in range(40)}
    assert chosen == {0, 1, 2}


@pytest.mark.study
def test_regret_does_not_depend_on_the_seed_of_the_weights():
    """The same problem and stream, other initial weights: no run is left without its best arm.

    Without pulling each arm once, unlucky weights can rule out an arm for ever.
    """
    environment = Synthetic("h1", features=10, pool=20, shown=20, noise=0.01)
    problem = environment.init(jax.random.key(0))

    class Fixed(Synthetic):
        def init(self, key):
            return problem

    fixed = Fixed("h1", features=10, pool=20, shown=20, noise=0.01)
    small = MLP(16, 2)
    letter = NPR.paper(10, pool=20, width=16, steps=20, step_size=0.1)
    for policy in (NPR.descent(10, pool=20, network=small), NPR.descent(10, network=small), letter):
        finals = [simulate(policy, fixed, rounds=400, seed=s).regret[-1] for s in range(6)]
        chance = simulate(Uniform(10), fixed, rounds=400, seed=0).regret[-1]
        assert max(finals) < 0.35 * chance, (policy, finals, chance)


def test_without_noise_it_learns_what_the_greedy_policy_learns():
    learnt = []
    for policy in (
        NPR.descent(FEATURES, noise=0.0, **SMALL),
        EpsilonGreedy.descent(FEATURES, **SMALL),
    ):
        state = policy.reserve(policy.init(jax.random.key(0)), observations=8, arms=POOL)
        learn = jax.jit(policy.learn)
        for i in range(5):
            context = jnp.arange(FEATURES) * jnp.float32(i)
            row = Feedback(context, jnp.float32(i), jnp.int32(i), jnp.int32(-1))
            state = learn(state, jax.random.key(i), row)
        learnt.append(state.fit.params)
    for a, b in zip(*map(jax.tree.leaves, learnt), strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-5, atol=1e-6)


def test_perturbations_are_fresh_each_round_and_scaled_by_noise():
    """One observation learnt under other keys moves the weights apart, the more the noise."""

    training = Training(steps=5, optimiser=optax.sgd)

    def spread(noise):
        policy = NPR.descent(FEATURES, noise=noise, network=MLP(16, 2), training=training)
        state = policy.reserve(policy.init(jax.random.key(0)), observations=4, arms=0)
        row = Feedback(jnp.ones(FEATURES), jnp.float32(1), jnp.int32(-1), jnp.int32(-1))
        learn = jax.jit(policy.learn)
        after = [learn(state, jax.random.key(k), row).fit.params[-1][0] for k in range(20)]
        return float(np.std(np.stack(after), axis=0).mean())

    assert spread(0.0) < 1e-6
    assert 1.5 < spread(0.2) / spread(0.1) < 2.5


def test_the_papers_algorithm_in_one_call():
    policy = NPR.paper(FEATURES, width=32, depth=4)
    assert policy.network == PaperNetwork(32, 4)
    training = policy.training
    assert (training.optimiser, training.fitting, training.steps) == (optax.sgd, "full", 20)
    assert (training.decay, training.average) == (0.0, 0.0)
    assert NPR.paper(FEATURES, pool=POOL).training.fitting == "pooled"
    changed = NPR.paper(FEATURES, noise=0.7, steps=3)
    assert (changed.noise, changed.training.steps) == (0.7, 3)


@pytest.mark.study
def test_an_optimiser_of_the_users_own():
    chain = optax.chain(optax.clip_by_global_norm(1.0), optax.rmsprop(0.01))
    for optimiser in (chain, optax.adamw, lambda step: optax.sgd(step, momentum=0.9)):
        policy = NPR.descent(FEATURES, training=Training(optimiser=optimiser, step_size=0.01))
        regret = simulate(policy, EASY, rounds=300, seed=1).regret[-1]
        assert regret < 0.4 * simulate(Uniform(FEATURES), EASY, rounds=300, seed=1).regret[-1]


@pytest.mark.parametrize(
    ("settings", "error", "message"),
    [
        ({"features": 0}, ValueError, "features must be at least 1"),
        ({"features": 2.0}, TypeError, "features must be a whole number"),
        ({"noise": -1}, ValueError, "noise must be at least 0"),
        ({"noise": float("inf")}, ValueError, "noise must be finite"),
        ({"noise": "loud"}, TypeError, "noise must be numeric"),
        ({"noise": None}, TypeError, "noise is missing"),
        ({"step_size": float("nan")}, ValueError, "step_size must be finite"),
        ({"regularisation": -1e-9}, ValueError, "regularisation"),
        ({"decay": -1}, ValueError, "decay must be at least 0"),
        ({"average": 1.0}, ValueError, "average must be between 0 and 0.999"),
        ({"steps": 0}, ValueError, "steps"),
        ({"every": 0}, ValueError, "every"),
        ({"batch": 0}, ValueError, "batch"),
        ({"memory": 0}, ValueError, "memory"),
        ({"pool": 0}, ValueError, "pool"),
        ({"fitting": "pool"}, ValueError, "did you mean 'pooled'"),
        ({"fitting": "pooled"}, ValueError, "needs pool="),
        ({"forget": "old"}, ValueError, "did you mean 'oldest'"),
        ({"network": 3}, TypeError, "network must have methods init"),
        ({"optimiser": "sgd"}, TypeError, "optimiser must be an Optax optimiser"),
    ],
)
def test_bad_settings_are_named(settings, error, message):
    with pytest.raises(error, match=message):
        NPR(5).with_settings(**settings)


@pytest.mark.parametrize("policy", [NPR, NeuralUCB, Falcon, EpsilonGreedy])
def test_settings_of_the_training_are_pointed_to_it(policy):
    message = r"does not take steps and batch itself: pass training=Training\(steps=10, batch=8\)"
    with pytest.raises(TypeError, match=message):
        policy(5, steps=10, batch=8)
    with pytest.raises(TypeError, match="training=Training"):
        policy(5).replace(memory=3)
    with pytest.raises(TypeError, match="training must be a Training"):
        policy(5, training={"steps": 10})
    with pytest.raises(TypeError, match="unexpected keyword argument 'stpes'"):
        policy(5, stpes=10)


def test_falcon_keeps_its_regression_when_other_settings_are_given():
    training = Falcon.descent(5, pool=3, training=Training(step_size=0.01)).effective_training
    assert (training.steps, training.decay, training.restart) == (1000, 0.0, True)
    assert Falcon.descent(5).with_settings(steps=7).effective_training.steps == 7


def test_epsilon_is_a_probability():
    with pytest.raises(ValueError, match="epsilon must be between 0 and 1"):
        EpsilonGreedy(5, epsilon=1.5)


@pytest.mark.parametrize(
    ("settings", "decay", "steps"),
    [
        ({}, 1.0, 4),
        ({"blocks": 2}, 1.0, 4),
        ({"blocks": 8}, 0.25, 4),
        ({"pool": 5}, 0.2, 2),
        ({"blocks": 8, "decay": 3, "steps": 7}, 3.0, 7),
    ],
)
def test_defaults_that_depend_on_what_contexts_are(settings, decay, steps):
    policy = NPR(features=16).with_settings(**settings)
    training = policy.effective_training
    assert (training.decay, training.steps) == (decay, steps)
    assert policy.replace(noise=0.3).settings()["decay"] == decay
