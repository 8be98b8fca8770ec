"""UCB1 against its definition, and arms without ids."""

import jax
import jax.numpy as jnp
import numpy as np

from jostle import Uniform, simulate
from jostle.agent import Agent
from jostle.environments import Synthetic
from jostle.models.residuals import KEEP
from jostle.policies.ucb1 import UCB1
from jostle.types import NOBODY, Feedback, Round, plain_round

ARMS = 6


def shown(arms, mask=None):
    k = len(arms)
    mask = np.ones(k, bool) if mask is None else np.asarray(mask)
    return Round(np.zeros((k, 1), np.float32), mask, np.asarray(arms, np.int32), np.int32(NOBODY))


compiled_learn, compiled_choose = jax.jit(UCB1.learn), jax.jit(UCB1.choose)


def learn(policy, state, arm, reward):
    feedback = Feedback(np.zeros(1, np.float32), np.float32(reward), np.int32(arm), np.int32(0))
    return compiled_learn(policy, state, jax.random.key(0), feedback)


def empty(policy, arms=ARMS):
    return policy.reserve(policy.init(jax.random.key(0)), observations=0, arms=arms)


def test_scores_as_defined_on_a_random_stream():
    policy = UCB1.paper(1, exploration=0.5)
    rng = np.random.default_rng(0)
    state, history = empty(policy), []
    for t in range(200):
        arms = rng.permutation(ARMS)[:4]
        choice = compiled_choose(policy, state, jax.random.key(t), shown(arms))
        wanted = np.full(4, np.inf)
        for i, arm in enumerate(arms):
            rewards = [r for a, r in history if a == arm]
            if rewards:
                bonus = 0.5 * np.sqrt(2 * np.log(len(history)) / len(rewards))
                wanted[i] = np.mean(rewards) + bonus
        np.testing.assert_allclose(choice.scores, wanted, rtol=1e-4)
        assert wanted[choice.index] == wanted.max()
        reward = rng.random()
        history.append((arms[choice.index], reward))
        state = learn(policy, state, arms[choice.index], reward)
    assert float(state.all[0, 0]) == 200


def test_every_arm_is_pulled_once_before_any_twice():
    agent = Agent(UCB1(1), seed=0)
    chosen = []
    for _ in range(ARMS):
        arm = agent.choose(np.zeros((ARMS, 1)), arms=np.arange(ARMS))
        agent.learn(np.zeros(1), 1.0, arm=arm)
        chosen.append(arm)
    assert sorted(chosen) == list(range(ARMS))


def test_arms_without_an_id_are_worth_the_overall_mean():
    policy = UCB1.paper(1, exploration=1.0)
    state = empty(policy, arms=2)
    for arm, reward in [(0, 1.0), (NOBODY, 0.2), (1, 0.0)]:
        state = learn(policy, state, arm, reward)
    assert np.asarray(state.pulls).tolist() == [1, 1]  # nobody's reward is no arm's
    view = jax.tree.map(np.asarray, state)
    choice = policy.choose(view, np.random.default_rng(0), shown([0, NOBODY, 1]))
    bonus = np.sqrt(2 * np.log(3))
    np.testing.assert_allclose(choice.scores, [1 + bonus, 0.4, bonus], rtol=1e-6)


def test_without_any_id_the_choice_is_uniform():
    policy = UCB1(2)
    state = empty(policy, arms=0)
    state = learn(policy, state, NOBODY, 0.7)
    round = plain_round(jnp.zeros((4, 2)))
    keys = jax.random.split(jax.random.key(0), 2000)
    picks = jax.vmap(lambda key: policy.choose(state, key, round).index)(keys)
    np.testing.assert_allclose(np.bincount(picks, minlength=4) / 2000, 0.25, atol=0.06)


def test_growing_keeps_what_was_learnt():
    policy = UCB1.paper(1)
    state = learn(policy, empty(policy, arms=2), 1, 0.5)
    grown = policy.reserve(state, observations=0, arms=5)
    assert grown.pulls.shape == grown.means.shape == (5,)
    assert float(grown.means[1]) == 0.5
    assert float(grown.pulls.sum()) == 1


def test_means_stay_accurate_over_tens_of_millions_of_pulls():
    """A plain sum in float32 would stand still from 2^24 pulls on."""
    policy, pulls = UCB1.paper(1), 2**25

    @jax.jit
    def long_run(state):
        def pull(t, state):
            reward = jnp.where(t < pulls // 2, 1.0, 0.5)
            feedback = Feedback(jnp.zeros(1), reward, jnp.int32(1), jnp.int32(0))
            return policy.learn(state, jax.random.key(0), feedback)

        return jax.lax.fori_loop(0, pulls, pull, state)

    state = long_run(empty(policy, arms=2))
    for record in (state.arms[1, 0], state.all[0]):
        np.testing.assert_allclose(record, [pulls, 0.75], rtol=1e-6)


def test_a_round_copies_no_table():
    """So its cost does not depend on how many arms there are."""
    policy = UCB1(1)
    feedback = Feedback(np.zeros(1, np.float32), np.float32(1), np.int32(4), np.int32(0))
    step = jax.jit(UCB1.learn, donate_argnums=1)
    program = step.lower(policy, empty(policy, arms=100_000), jax.random.key(0), feedback)
    assert program.compile().memory_analysis().temp_size_in_bytes < 20_000


def first_feature(contexts):
    return 0.5 + 0.5 * contexts[:, 0]


def test_learns_which_arms_are_good():
    environment = Synthetic(first_feature, features=3, pool=10, shown=5, noise=0.1)
    regret = simulate(UCB1.paper(3, exploration=0.3), environment, rounds=2000, seed=0).regret
    chance = simulate(Uniform(3), environment, rounds=2000, seed=0).regret
    assert regret[-1] < 0.2 * chance[-1]
    assert simulate(UCB1(3), environment, rounds=2000, seed=0).regret[-1] < 0.5 * chance[-1]


def test_an_arms_first_reward_is_judged_by_the_mean_of_all():
    """The unit, computed plainly: errors of the arm's mean, or of the mean of all if it is new."""
    policy = UCB1(1)
    rng = np.random.default_rng(3)
    state, history, square, weight = empty(policy), [], 0.0, 0.0
    for _ in range(60):
        arm, reward = int(rng.choice([0, 1, 2, 5, NOBODY])), 10 * float(rng.random())
        if history:
            own = [r for a, r in history if a == arm != NOBODY]
            error = reward - np.mean(own or [r for _, r in history])
            square += (1 - KEEP) * (error**2 - square)
            weight += (1 - KEEP) * (1 - weight)
        history.append((arm, reward))
        state = learn(policy, state, arm, reward)
        if weight:
            np.testing.assert_allclose(state.residuals.unit, np.sqrt(square / weight), rtol=1e-3)
    pulls = [sum(a == arm for a, _ in history) for arm in range(ARMS)]
    np.testing.assert_array_equal(state.arms[:, 0, 0], pulls)
