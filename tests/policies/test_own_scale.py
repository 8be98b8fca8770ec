"""Policies that measure rewards in a unit of their own, learnt from the stream."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from jostle import UCB1, Agent, LinFPL, LinTS, LinUCB, simulate
from jostle.environments import Clicks, Synthetic, Units
from jostle.models.centred_ridge import CentredRidge
from jostle.models.residuals import KEEP, Residuals
from jostle.types import plain_round

D = 4
POLICIES = {"lin-ucb": LinUCB, "lin-ts": LinTS, "lin-fpl": LinFPL, "ucb1": UCB1}
WORLD = Synthetic("h1", features=D, pool=8, shown=4)


@pytest.fixture(params=POLICIES)
def kind(request):
    return POLICIES[request.param]


def actions(policy, scale=1.0, offset=0.0, rounds=120):
    world = Units(WORLD, reward_scale=scale, reward_offset=offset)
    return simulate(policy, world, rounds=rounds, seed=3).actions


def test_the_unit_of_rewards_changes_no_action(kind):
    """Exactly: multiplying by a power of two rounds nothing. Scales are inputs of one program."""
    policy = kind(D)
    plain = actions(policy)
    assert len(set(plain.tolist())) > 1
    for power in range(-10, 11):
        np.testing.assert_array_equal(actions(policy, scale=2.0**power), plain)


def test_a_constant_added_to_rewards_changes_hardly_any_action(kind):
    policy = kind(D)
    plain = actions(policy, rounds=40)
    for offset in (-3.0, 1.0, 10.0):
        assert np.mean(actions(policy, offset=offset, rounds=40) == plain) > 0.85


@pytest.mark.study
def test_the_papers_forms_depend_on_the_unit():
    for kind in POLICIES.values():
        policy = kind.paper(D)
        assert not np.array_equal(actions(policy), actions(policy, scale=1024.0))


def test_choices_are_uniform_until_rewards_differ(kind):
    agent = Agent(kind(D), seed=0)
    contexts = np.random.default_rng(0).normal(size=(3, D))
    for arm in (0, 1, 2, 2, 1):
        agent.learn(contexts[arm], 7.5, arm=arm)
    counts = np.zeros(3)
    for _ in range(300):
        choice = agent.decide(contexts, arms=np.arange(3))
        np.testing.assert_allclose(choice.probabilities, 1 / 3, rtol=1e-5)
        counts[choice.index] += 1
    assert np.all(np.abs(counts - 100) < 5 * np.sqrt(300 * 2 / 9))
    agent.learn(contexts[1], 9.0, arm=1)
    scores = agent.decide(contexts, arms=np.arange(3)).scores
    assert len(set(np.asarray(scores).tolist())) > 1


def stream(count, seed=0):
    rng = np.random.default_rng(seed)
    contexts = rng.normal(size=(count, D)).astype(np.float32)
    rewards = 100 + contexts @ rng.normal(size=D) + rng.normal(size=count)
    return contexts, rewards.astype(np.float32)


def test_moments_and_estimates_are_those_of_brute_force():
    """Every forecast by a fresh solve in float64, on rewards with a large level."""
    contexts, rewards = stream(60)
    model, square, weight = CentredRidge.empty(D, 0.5), 0.0, 0.0
    observe = jax.jit(CentredRidge.observe)
    for t, (x, reward) in enumerate(zip(contexts, rewards, strict=True)):
        past, seen = contexts[:t].astype(np.float64), rewards[:t].astype(np.float64)
        if t > 0:
            level = seen.mean()
            gram = 0.5 * np.eye(D) + past.T @ past
            theta = np.linalg.solve(gram, past.T @ (seen - level))
            np.testing.assert_allclose(model.theta, theta, atol=2e-4)
            np.testing.assert_allclose(model.estimates(x[None])[0], level + x @ theta, rtol=1e-5)
            square = KEEP * square + (1 - KEEP) * (reward - level - x @ theta) ** 2
            weight = KEEP * weight + (1 - KEEP)
        model = observe(model, x, reward)
        if t > 0:
            np.testing.assert_allclose(model.unit, np.sqrt(square / weight), rtol=1e-3)
    np.testing.assert_allclose(model.level, rewards.mean(), rtol=1e-6)


def test_scores_are_those_of_the_definition():
    contexts, rewards = stream(40)
    policy = LinUCB(D, exploration=0.7, regularisation=0.5)
    model = policy.init(jax.random.key(0))
    for x, reward in zip(contexts, rewards, strict=True):
        model = CentredRidge.observe(model, x, reward)
    shown, _ = stream(5, seed=1)
    inverse = np.linalg.inv(0.5 * np.eye(D) + contexts.T @ contexts)
    theta = inverse @ contexts.T @ (rewards - rewards.mean())
    widths = np.sqrt(np.einsum("ij,jk,ik->i", shown, inverse, shown))
    wanted = rewards.mean() + shown @ theta + 0.7 * model.unit * widths
    round = plain_round(jnp.asarray(shown))
    np.testing.assert_allclose(policy.scores(model, round), wanted, rtol=1e-5)
    # Draws of LinTS have the same mean, and widths as their deviation.
    sampler = LinTS(D, exploration=0.7, regularisation=0.5)
    draws = np.asarray(sampler.draws(model, jax.random.key(1), round, (20_000,)))
    deviation = 0.7 * float(model.unit) * widths
    error = 5 * deviation / np.sqrt(20_000)
    assert np.all(np.abs(draws.mean(0) - rewards.mean() - shown @ theta) < error + 1e-3)
    np.testing.assert_allclose(draws.std(0), deviation, rtol=0.03)


def test_equal_rewards_have_no_deviation_and_the_first_is_not_judged():
    moments = Residuals.empty()
    for reward in (0.1, 0.1, 0.1):
        moments = moments.started(reward).observe(jnp.float32(reward), jnp.float32(0))
    assert float(moments.unit) == 0
    assert float(moments.level) == np.float32(0.1)
    moments = moments.observe(jnp.float32(0.6), jnp.float32(0.5))
    expected = np.sqrt((1 - KEEP) * 0.25 / (1 - KEEP**3))
    np.testing.assert_allclose(moments.unit, expected, rtol=1e-5)


@pytest.mark.study
def test_adverts_in_any_currency_are_learnt():
    """No advert takes nearly all rounds, whatever the unit."""
    for scale in (0.001, 1.0, 1000.0):
        world = Units(Clicks(), reward_scale=scale)
        for policy in (UCB1.for_environment(world), LinUCB.for_environment(world)):
            pulls = np.bincount(simulate(policy, world, rounds=5000, seed=100).actions)
            assert pulls.max() < 4500
