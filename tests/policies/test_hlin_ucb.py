"""HLinUCB against its definition, and on a problem with features that nobody is shown."""

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from jostle import simulate
from jostle.core.record import static
from jostle.environments import Environment
from jostle.environments.synthetic import unit_ball
from jostle.policies.hlin_ucb import HLinUCB
from jostle.policies.lin_ucb import LinUCB
from jostle.types import NOBODY, BanditSpec, Feedback, Outcome, Round

from support import assert_same

D, HIDDEN, ITEMS, USERS = 3, 2, 7, 3
POLICY = HLinUCB(
    D,
    hidden=HIDDEN,
    users=USERS,
    exploration=0.4,
    item_exploration=0.2,
    regularisation=0.5,
    item_regularisation=0.3,
)


class BruteForce:
    """Algorithm 1 with matrices inverted afresh each time, in float64."""

    def __init__(self, policy, hidden):
        self.policy = policy
        size = D + HIDDEN
        self.a = np.stack([policy.regularisation * np.eye(size)] * policy.users)
        self.b = np.zeros((policy.users, size))
        self.c = np.stack([policy.item_regularisation * np.eye(HIDDEN)] * len(hidden))
        self.d = np.zeros((len(hidden), HIDDEN))
        self.v = hidden.astype(np.float64)

    def theta(self, user):
        return np.linalg.solve(self.a[user], self.b[user])

    def scores(self, contexts, arms, user):
        theta, scores = self.theta(user), []
        for x, arm in zip(contexts, arms, strict=True):
            z = np.concatenate([x, self.v[arm]])
            of_user = z @ np.linalg.inv(self.a[user]) @ z
            of_item = theta[D:] @ np.linalg.inv(self.c[arm]) @ theta[D:]
            bonus = self.policy.exploration * np.sqrt(of_user)
            scores.append(z @ theta + bonus + self.policy.item_exploration * np.sqrt(of_item))
        return np.asarray(scores)

    def learn(self, x, reward, arm, user):
        z = np.concatenate([x, self.v[arm]])
        self.a[user] += np.outer(z, z)
        self.b[user] += reward * z
        theta = self.theta(user)
        self.c[arm] += np.outer(theta[D:], theta[D:])
        self.d[arm] += theta[D:] * (reward - x @ theta[:D])
        self.v[arm] = np.linalg.solve(self.c[arm], self.d[arm])


learn, choose = jax.jit(HLinUCB.learn), jax.jit(HLinUCB.choose)


def empty(policy=POLICY, items=ITEMS):
    return policy.reserve(policy.init(jax.random.key(1)), observations=0, arms=items)


def test_scores_as_defined_on_a_random_stream():
    rng = np.random.default_rng(0)
    state = empty()
    brute = BruteForce(POLICY, np.asarray(state.hidden))
    key = jax.random.key(0)
    for _ in range(300):
        arms = rng.permutation(ITEMS)[:4].astype(np.int32)
        contexts = rng.normal(size=(4, D)).astype(np.float32)
        user = np.int32(rng.integers(USERS))
        choice = choose(POLICY, state, key, Round(contexts, np.ones(4, bool), arms, user))
        wanted = brute.scores(contexts, arms, user)
        np.testing.assert_allclose(choice.scores, wanted, rtol=2e-3, atol=2e-3)
        i = int(choice.index)
        reward = np.float32(contexts[i].sum() + arms[i] * (user - 1) / 5 + 0.1 * rng.normal())
        state = learn(POLICY, state, key, Feedback(contexts[i], reward, arms[i], user))
        brute.learn(contexts[i], reward, arms[i], user)
    np.testing.assert_allclose(state.hidden, brute.v, rtol=1e-2, atol=1e-3)


def test_hidden_features_start_random_and_do_not_depend_on_when_room_was_made():
    at_once = empty(items=20)
    in_steps = POLICY.reserve(empty(items=6), observations=0, arms=20)
    np.testing.assert_array_equal(at_once.hidden, in_steps.hidden)
    assert len(np.unique(at_once.hidden)) == 20 * HIDDEN
    other = POLICY.init(jax.random.key(2))
    assert not np.array_equal(other.hidden, at_once.hidden[:1])


def test_a_round_touches_one_user_and_one_item():
    feedback = Feedback(np.ones(D, np.float32), np.float32(1), np.int32(4), np.int32(2))
    before = empty()
    after = learn(POLICY, before, jax.random.key(0), feedback)
    for stack, row in [("users", 2), ("items", 4)]:
        old, new = getattr(before, stack).now.theta, getattr(after, stack).now.theta
        changed = np.any(np.asarray(old) != np.asarray(new), axis=1)
        assert np.flatnonzero(changed).tolist() == [row]


def test_a_round_copies_no_table():
    """So its cost does not depend on how many users and items there are."""
    policy = HLinUCB(D, hidden=HIDDEN, users=5000)
    state = empty(policy, items=5000)
    feedback = Feedback(np.ones(D, np.float32), np.float32(1), np.int32(4), np.int32(2))
    learn = jax.jit(policy.learn, donate_argnums=0).lower(state, jax.random.key(0), feedback)
    assert learn.compile().memory_analysis().temp_size_in_bytes < 20_000


def test_strangers():
    """No user id is user 0, and so is one beyond the last; no arm id means no hidden features."""
    contexts = np.eye(D, dtype=np.float32)
    key, x = jax.random.key(0), contexts[0]
    state = empty()
    for user in (0, 1):
        state = learn(POLICY, state, key, Feedback(x, np.float32(1), np.int32(0), np.int32(user)))

    def scores(user, arms=(0, 1, 2)):
        ids = np.asarray(arms, np.int32)
        round = Round(contexts, np.ones(D, bool), ids, np.int32(user))
        return np.asarray(choose(POLICY, state, key, round).scores)

    np.testing.assert_array_equal(scores(NOBODY), scores(0))
    np.testing.assert_array_equal(scores(USERS), scores(0))
    assert not np.array_equal(scores(1), scores(0))
    # Without an id: the user's estimate and bonus of (x, 0).
    user = state.users.row(0)
    plain = np.concatenate([contexts, np.zeros((D, HIDDEN), np.float32)], axis=1)
    wanted = user.estimates(plain) + POLICY.exploration * user.widths(plain)
    np.testing.assert_allclose(scores(0, [NOBODY] * D), wanted, rtol=1e-5)
    anonymous = Feedback(x, np.float32(1), np.int32(NOBODY), np.int32(0))
    after = learn(POLICY, state, key, anonymous)
    np.testing.assert_array_equal(after.hidden, state.hidden)
    np.testing.assert_array_equal(after.items.seen, state.items.seen)
    assert int(after.users.seen[0]) == int(state.users.seen[0]) + 1
    beyond = Feedback(x, np.float32(1), np.int32(1), np.int32(USERS))
    assert_same(learn(POLICY, state, key, beyond), state)


class PartlyShown(Environment):
    """Items of eight features, of which a policy sees five; users with tastes of their own."""

    users: int = static(default=1)
    seen: int = static(default=5)

    @property
    def spec(self) -> BanditSpec:
        return BanditSpec(self.seen, pool=40, arms=40, users=self.users)

    def init(self, key: jax.Array) -> Any:
        item_key, user_key = jax.random.split(key)
        return unit_ball(item_key, (self.pool, 8)), unit_ball(user_key, (self.users, 8))

    def observe(self, state: Any, key: jax.Array, t: jax.Array) -> Round:
        items, _ = state
        arm_key, user_key = jax.random.split(key)
        ids = jax.random.permutation(arm_key, self.pool)[:10].astype(jnp.int32)
        user = jax.random.randint(user_key, (), 0, self.users)
        return Round(items[ids, : self.seen], jnp.ones(10, bool), ids, user)

    def reward(
        self, state: Any, key: jax.Array, t: jax.Array, round: Round, index: jax.Array
    ) -> Outcome:
        items, tastes = state
        means = items[round.arms] @ tastes[round.user]
        return Outcome(means[index] + 0.1 * jax.random.normal(key), means.max() - means[index])


def regret(policy, environment, rounds):
    return np.mean(
        [simulate(policy, environment, rounds=rounds, seed=s).regret[-1] for s in (0, 1)]
    )


@pytest.mark.study
def test_beats_linucb_where_features_are_hidden():
    ours = regret(HLinUCB(5, hidden=3), PartlyShown(), 2000)
    assert ours < 0.4 * regret(LinUCB(5), PartlyShown(), 2000)


@pytest.mark.study
def test_users_share_what_they_learn_of_items():
    environment = PartlyShown(users=10)
    ours = regret(HLinUCB(5, hidden=3, users=10), environment, 6000)
    # A LinUCB for each user: hidden features that are held at nothing.
    apart = HLinUCB(5, hidden=3, users=10, item_exploration=0, item_regularisation=1e6)
    assert ours < 0.6 * regret(apart, environment, 6000)


def test_items_follow_users_unless_they_are_told_otherwise():
    """So a grid over exploration and regularisation tunes the items' regressions too."""
    both = {"exploration": 0.7, "regularisation": 3.0}
    items = {"item_exploration": 0.7, "item_regularisation": 3.0}
    follows, told = HLinUCB(D, **both), HLinUCB(D, **both, **items)
    assert follows.settings() == told.settings()
    assert follows.settings()["item_regularisation"] == 3.0
    tuned = HLinUCB(D).with_settings(**both)
    assert tuned.settings() == told.settings()
    apart = HLinUCB(D, item_exploration=0.0, item_regularisation=9.0)
    assert apart.with_settings(**both).settings()["item_regularisation"] == 9.0
    assert apart.with_settings(**both).settings()["item_exploration"] == 0.0
    feedback = Feedback(np.ones(D, np.float32), np.float32(1), np.int32(1), np.int32(0))
    states = [learn(each, empty(each), jax.random.key(0), feedback) for each in (follows, told)]
    jax.tree.map(np.testing.assert_array_equal, *states)


def test_a_user_without_a_model_is_taken_for_the_first():
    users = np.array([NOBODY, 0, 1, USERS - 1, USERS, USERS + 4])
    np.testing.assert_array_equal(POLICY._user(users), [0, 0, 1, USERS - 1, 0, 0])
