"""The synthetic bandits against Section 5.1."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy import stats

from jostle import Uniform, simulate
from jostle.environments import Synthetic
from jostle.environments.synthetic import unit_ball


def test_points_are_uniform_in_the_unit_ball():
    points = np.asarray(unit_ball(jax.random.key(0), (4000, 3)))
    radii = np.linalg.norm(points, axis=1)
    assert radii.max() <= 1
    assert stats.kstest(radii**3, "uniform").pvalue > 1e-4
    assert np.abs(points.mean(axis=0)).max() < 0.06


@pytest.mark.parametrize("function", ["h1", "h2"])
def test_rewards_are_the_papers_functions(function):
    environment = Synthetic(function, features=6, pool=30, shown=5)
    state = environment.init(jax.random.key(3))
    x = np.asarray(state.contexts, np.float64)
    means = np.asarray(environment.expected(state, state.contexts))
    if function == "h1":
        matrix = np.asarray(jax.random.normal(state.function_key, (6, 6)), np.float64)
        wanted = [0.01 * row @ matrix @ matrix.T @ row for row in x]
    else:
        theta = np.asarray(unit_ball(state.function_key, (6,)), np.float64)
        wanted = np.exp(-10 * (x @ theta) ** 2)
    np.testing.assert_allclose(means, wanted, rtol=1e-4)


def test_the_papers_defaults():
    environment = Synthetic("h1")
    assert (environment.features, environment.pool, environment.shown) == (50, 100, 20)
    assert environment.noise == 0.1
    assert environment.rounds is None
    assert environment.arms == 100


def test_arms_are_shown_without_replacement_and_regret_is_against_the_best_shown():
    environment = Synthetic("h2", features=4, pool=9, shown=5, noise=0.2)
    state = environment.init(jax.random.key(0))
    means = np.asarray(environment.expected(state, state.contexts))
    for t in range(20):
        round = environment.observe(state, jax.random.key(t), t)
        ids = np.asarray(round.arms)
        assert len(set(ids)) == 5
        np.testing.assert_array_equal(round.contexts, state.contexts[ids])
        outcome = environment.reward(state, jax.random.key(100 + t), t, round, 2)
        np.testing.assert_allclose(outcome.regret, means[ids].max() - means[ids[2]], atol=1e-6)


def test_noise_has_its_scale_and_does_not_depend_on_the_arm():
    environment = Synthetic("h1", features=4, pool=9, shown=5, noise=0.2)
    state = environment.init(jax.random.key(0))
    round = environment.observe(state, jax.random.key(1), 0)
    means = environment.expected(state, round.contexts)
    keys = jax.random.split(jax.random.key(2), 2000)

    def noise(arm):
        rewards = jax.vmap(lambda key: environment.reward(state, key, 0, round, arm).reward)(keys)
        return np.asarray(rewards - means[arm])

    assert stats.kstest(noise(0) / 0.2, "norm").pvalue > 1e-4
    np.testing.assert_allclose(noise(0), noise(3), atol=1e-6)


def test_without_a_pool_arms_are_new_each_round():
    environment = Synthetic("h1", features=4, pool=None, shown=3)
    state = environment.init(jax.random.key(0))
    rounds = [environment.observe(state, jax.random.key(t), t) for t in range(2)]
    assert environment.pool is None
    assert environment.arms is None
    assert np.all(np.asarray(rounds[0].arms) == -1)
    assert not np.array_equal(rounds[0].contexts, rounds[1].contexts)


def test_users_bring_their_own_function():
    environment = Synthetic(lambda x: jnp.sin(x[:, 0]), features=3, pool=8, shown=8, noise=0.0)
    result = simulate(Uniform(3), environment, rounds=30, seed=0)
    state = environment.init(jax.random.key(0))
    np.testing.assert_allclose(
        environment.expected(state, state.contexts), np.sin(state.contexts[:, 0]), rtol=1e-6
    )
    assert len(set(np.round(result.rewards, 5))) <= 8


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"function": "h3"}, "'h3'.*did you mean"),
        ({"shown": 101}, "shown must be at most pool = 100"),
        ({"shown": 0}, "shown"),
        ({"features": -1}, "features"),
        ({"noise": -0.1}, "noise"),
        ({"noise": float("nan")}, "noise"),
    ],
)
def test_bad_settings_are_named(settings, message):
    with pytest.raises(ValueError, match=message):
        Synthetic(**settings)
