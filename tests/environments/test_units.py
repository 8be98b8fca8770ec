"""Environments in other units are the same environments."""

import numpy as np
import pytest

from jostle import LinUCB, Uniform, make_environment, simulate
from jostle.core.description import settings
from jostle.environments import Classification, Synthetic, Units

from field_cases import STREAMS

PLAIN = Synthetic("h1", features=3, pool=5, shown=3)
ROWS = np.random.default_rng(0).normal(size=(30, 3))


@pytest.mark.parametrize("inside", [PLAIN, STREAMS["arrivals"], STREAMS["wheel"]])
def test_arms_and_noise_stay_and_numbers_change_unit(inside):
    environment = Units(inside, reward_scale=0.01, reward_offset=10.0, context_factor=30.0)
    assert environment.spec == inside.spec
    assert environment.behaviour == inside.behaviour
    policy = Uniform(inside.features)
    before = simulate(policy, inside, rounds=40, seed=3)
    after = simulate(policy, environment, rounds=40, seed=3)
    np.testing.assert_array_equal(after.actions, before.actions)
    np.testing.assert_allclose(after.rewards, 0.01 * before.rewards + 10, rtol=1e-5)
    np.testing.assert_allclose(after.regret, 0.01 * before.regret, rtol=1e-3, atol=1e-6)


def test_a_policy_learns_from_contexts_and_rewards_in_the_new_units():
    environment = Units(PLAIN, reward_scale=4.0, context_factor=2.0)
    # With contexts x 2 and lambda x 4 widths stay; rewards x 4 make the weights x 2, scores x 4.
    before = simulate(
        LinUCB.paper(3, regularisation=0.1, exploration=0.1), PLAIN, rounds=40, seed=3
    )
    after = simulate(
        LinUCB.paper(3, regularisation=0.4, exploration=0.4), environment, rounds=40, seed=3
    )
    np.testing.assert_array_equal(after.actions, before.actions)
    np.testing.assert_allclose(after.state.now.theta, 2 * before.state.now.theta, rtol=1e-3)


def test_full_information_stays_full():
    inside = Classification.from_arrays(ROWS, np.arange(30) % 3, full_information=True)
    environment = Units(inside, reward_scale=4.0, context_factor=2.0)
    policy = LinUCB.paper(inside.features, regularisation=0.1, exploration=0.1)
    before = simulate(policy, inside, seed=1)
    after = simulate(policy.replace(regularisation=0.4, exploration=0.4), environment, seed=1)
    np.testing.assert_allclose(
        after.state.now.theta, 2 * before.state.now.theta, rtol=1e-3, atol=1e-5
    )


def test_units_by_name():
    environment = make_environment("units:of=(h1:shown=5,pool=9),reward_scale=0.01")
    assert (environment.of.shown, environment.of.pool, environment.reward_scale) == (5, 9, 0.01)
    assert make_environment("units:of=h2,context_factor=30").of.function == "h2"
    nested = make_environment("units:of=(units:of=(h1:shown=5),reward_scale=2),reward_offset=1")
    assert nested.of.of.shown == 5
    described = settings(environment)
    assert (described["of"], described["shown"], described["reward_scale"]) == (
        "Synthetic",
        5,
        0.01,
    )


def test_what_a_random_choice_brings_is_in_the_new_unit():
    environment = make_environment("units:of=(offers:rate=0.2),reward_scale=10,reward_offset=1")
    assert environment.spec.chance == pytest.approx(3)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("units:of=h3", "unknown environment 'h3'"),
        ("units:of=3", "of must be an environment, not 3"),
        ("units:reward_scale=2", "of"),
        ("units:of=h1,reward_scale=0", "reward_scale must be at least"),
        ("units:of=(h1:pol=3)", "did you mean 'pool'"),
        ("units:of=(h1:pool=3", "parenthesis"),
    ],
)
def test_bad_units_are_refused_in_words(text, message):
    with pytest.raises(ValueError, match=message):
        make_environment(text)
