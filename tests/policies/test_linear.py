"""The linear policies against their definitions, in NumPy and float64."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from jostle import Uniform, simulate
from jostle.environments import Synthetic
from jostle.models.ridge import Ridge
from jostle.policies.lin_fpl import LinFPL
from jostle.policies.lin_ts import LinTS
from jostle.policies.lin_ucb import LinUCB
from jostle.policies.ucb1 import UCB1
from jostle.types import NOBODY, Feedback, Round, plain_round

D = 4
DRAWS = 20_000


def stream(observations, features=D, seed=0):
    rng = np.random.default_rng(seed)
    contexts = rng.normal(size=(observations, features)).astype(np.float32)
    rewards = (contexts @ rng.normal(size=features) + rng.normal(size=observations)) / 3
    return contexts, rewards.astype(np.float32)


@jax.jit
def learn(policy, state, context, reward):
    nobody = jnp.int32(NOBODY)
    return policy.learn(state, jax.random.key(0), Feedback(context, reward, nobody, nobody))


@jax.jit
def draw(policy, state, key):
    """Many draws of theta~: the scores of the unit vectors."""
    round = plain_round(jnp.eye(policy.features))
    keys = jax.random.split(key, DRAWS)
    return jax.vmap(lambda key: policy.choose(state, key, round).scores)(keys)


def taught(policy, contexts, rewards):
    """The state after learning from a stream."""
    state = policy.init(jax.random.key(0))
    for context, reward in zip(contexts, rewards, strict=True):
        state = learn(policy, state, context, reward)
    return state


def solved(contexts, rewards, regularisation):
    """theta, V and log det(V) / det(lambda I) by a fresh solve."""
    x = contexts.astype(np.float64)
    v = regularisation * np.eye(x.shape[1]) + x.T @ x
    log_det = np.linalg.slogdet(v)[1] - x.shape[1] * np.log(regularisation)
    return np.linalg.solve(v, x.T @ rewards.astype(np.float64)), v, log_det


def widths(v, contexts):
    return np.sqrt(np.einsum("ij,ij->i", contexts, np.linalg.solve(v, contexts.T).T))


def drawn_models(policy, state, on_host=False):
    """Many draws of theta~, compiled or with NumPy."""
    if on_host:
        unit = np.eye(policy.features, dtype=np.float32)
        rng = np.random.default_rng(5)
        view = jax.tree.map(np.asarray, policy.deciding(state))
        return np.stack([policy.choose(view, rng, plain_round(unit)).scores for _ in range(DRAWS)])
    return np.asarray(draw(policy, state, jax.random.key(5)))


def assert_gaussian(draws, mean, covariance):
    """Moments of the draws within six standard errors of those of N(mean, covariance)."""
    spread = np.sqrt(np.diag(covariance))
    error = 6 / np.sqrt(len(draws))
    assert np.all(np.abs(draws.mean(0) - mean) <= error * spread + 1e-5)
    sample = (draws - mean).T @ (draws - mean) / len(draws)
    # The variance of a product of two jointly normal numbers is at most 2 of their variances.
    allowed = error * np.sqrt(2) * np.outer(spread, spread) + 1e-8
    assert np.all(np.abs(sample - covariance) <= allowed)


class TestRidge:
    """Rank-one updates in float32 against one solve in float64."""

    ROUNDS, POOL = 1_000_000, 500

    def problem(self, kind, d):
        rng = np.random.default_rng(d)
        pool = rng.normal(size=(self.POOL, d))
        pool /= np.linalg.norm(pool, axis=1, keepdims=True)
        picks = rng.integers(0, self.POOL, self.ROUNDS)
        if kind == "repeated":  # nearly always the same context; others ten times in all
            picks = np.where(rng.random(self.ROUNDS) < 1e-5, picks, 0)
        if kind == "ill-conditioned":  # axes from 1 down to 1e-4 long
            rotation = np.linalg.qr(rng.normal(size=(d, d)))[0]
            pool = pool * np.logspace(0, -4, d) @ rotation
        pool = pool.astype(np.float32)
        rewards = pool[picks] @ rng.normal(size=d) + 0.1 * rng.normal(size=self.ROUNDS)
        return pool, picks.astype(np.int32), rewards.astype(np.float32)

    @pytest.mark.parametrize(
        ("kind", "d", "regularisation"),
        [("even", 5, 1.0), ("repeated", 10, 0.1), ("ill-conditioned", 10, 0.01)],
    )
    @pytest.mark.study
    def test_stays_exact_for_a_million_rounds(self, kind, d, regularisation):
        pool, picks, rewards = self.problem(kind, d)
        policy = LinFPL.paper(d, regularisation=regularisation)

        @jax.jit
        def run(pool, picks, rewards):
            def step(t, state):
                return learn(policy, state, pool[picks[t]], rewards[t])

            return jax.lax.fori_loop(0, self.ROUNDS, step, policy.init(jax.random.key(0)))

        ridge, response = jax.device_get(run(pool, picks, rewards))
        theta, v, log_det = solved(pool[picks], rewards, regularisation)
        assert ridge.seen == self.ROUNDS
        np.testing.assert_allclose(ridge.now.log_det, log_det, rtol=1e-4)
        # What scores are made of: estimates and widths of contexts...
        np.testing.assert_allclose(ridge.estimates(pool), pool @ theta, atol=1e-4)
        np.testing.assert_allclose(ridge.widths(pool), widths(v, pool), rtol=1e-3)
        # ... also in directions that were hardly ever seen.
        np.testing.assert_allclose(ridge.now.theta, theta, atol=3e-4)
        anywhere = np.concatenate([pool, np.random.default_rng(0).normal(size=(100, d))])
        np.testing.assert_allclose(ridge.widths(anywhere), widths(v, anywhere), rtol=1e-3)
        # The spread of LinFPL's draws, sqrt(x' V^-1 (V - lambda I) V^-1 x).
        inverse = np.linalg.inv(v)
        covariance = inverse @ (v - regularisation * np.eye(d)) @ inverse
        spread = np.sqrt(np.einsum("ij,ij->i", anywhere @ covariance, anywhere))
        drawn = np.linalg.norm(anywhere @ response, axis=1)
        np.testing.assert_allclose(drawn, spread, rtol=1e-3)

    def test_many_are_as_many_single_ones(self):
        contexts, rewards = stream(30)
        users = np.random.default_rng(0).integers(0, 3, 30)
        many = Ridge.many(2, D, 0.5).joined(Ridge.many(1, D, 0.5))
        step = jax.jit(lambda many, x, r, u: many.with_row(u, many.row(u).observe(x, r)))
        for x, r, u in zip(contexts, rewards, users, strict=True):
            many = step(many, x, r, u)
        for user in range(3):
            mine = users == user
            theta, v, log_det = solved(contexts[mine], rewards[mine], 0.5)
            one = many.row(user)
            assert one.seen == mine.sum()
            np.testing.assert_allclose(one.now.theta, theta, atol=1e-5)
            np.testing.assert_allclose(one.widths(np.eye(D)), widths(v, np.eye(D)), rtol=1e-5)
            np.testing.assert_allclose(one.now.log_det, log_det, rtol=1e-5)


class TestLinUCB:
    @pytest.mark.parametrize("radius", ["fixed", "theory"])
    @pytest.mark.parametrize("observations", [0, 2, 40])
    def test_scores_as_defined(self, radius, observations):
        policy = LinUCB(
            D, exploration=0.7, regularisation=0.5, radius=radius, noise=0.4, delta=0.1, bound=1.5
        )
        contexts, rewards = stream(observations)
        theta, v, log_det = solved(contexts, rewards, 0.5)
        beta = 0.7
        if radius == "theory":
            beta = 0.4 * np.sqrt(2 * np.log(1 / 0.1) + log_det) + np.sqrt(0.5) * 1.5
        shown, _ = stream(6, seed=1)
        wanted = shown @ theta + beta * widths(v, shown.astype(np.float64))
        choice = policy.choose(
            taught(policy, contexts, rewards), jax.random.key(0), plain_round(jnp.asarray(shown))
        )
        np.testing.assert_allclose(choice.scores, wanted, rtol=1e-4, atol=1e-5)
        assert choice.index == np.argmax(wanted)

    def test_first_choice_is_the_longest_context(self):
        policy = LinUCB.paper(D)
        contexts = np.eye(D, dtype=np.float32) * [[1], [3], [2], [3]]
        mask = np.asarray([True, False, True, False])
        round = Round(contexts, mask, np.full(D, NOBODY, np.int32), np.int32(NOBODY))
        view = jax.tree.map(np.asarray, policy.init(jax.random.key(0)))
        assert policy.choose(view, np.random.default_rng(0), round).index == 2
        both = {
            int(policy.choose(view, np.random.default_rng(s), plain_round(contexts)).index)
            for s in range(20)
        }
        assert both == {1, 3}


@pytest.mark.parametrize("on_host", [False, True])
class TestLinTS:
    @pytest.mark.parametrize("observations", [0, 2, 40])
    def test_draws_from_the_posterior(self, observations, on_host):
        policy = LinTS.paper(D, exploration=0.7, regularisation=0.5)
        contexts, rewards = stream(observations)
        theta, v, _ = solved(contexts, rewards, 0.5)
        draws = drawn_models(policy, taught(policy, contexts, rewards), on_host)
        assert_gaussian(draws, theta, 0.7**2 * np.linalg.inv(v))

    def test_the_scale_of_theory(self, on_host):
        policy = LinTS(D, regularisation=1.0, radius="theory", noise=0.4, delta=0.1)
        contexts, rewards = stream(10)
        theta, v, _ = solved(contexts, rewards, 1.0)
        draws = drawn_models(policy, taught(policy, contexts, rewards), on_host)
        scale = 0.4 * np.sqrt(9 * D * np.log(11 / 0.1))
        assert_gaussian(draws, theta, scale**2 * np.linalg.inv(v))


class TestLinFPL:
    @pytest.mark.parametrize("observations", [0, 1, D - 1, D, 2 * D + 1, 50])
    def test_is_the_perturbed_history_in_distribution(self, observations):
        """O(d^2) draws, O(t d) draws of the definition, and their exact moments agree."""
        policy = LinFPL.paper(D, noise=0.7, regularisation=0.5)
        contexts, rewards = stream(observations)
        theta, v, _ = solved(contexts, rewards, 0.5)
        noise = 0.7 * np.random.default_rng(3).normal(size=(DRAWS, observations))
        defined = np.linalg.solve(v, ((rewards + noise) @ contexts).T).T
        inverse = np.linalg.inv(v)
        covariance = 0.7**2 * inverse @ (v - 0.5 * np.eye(D)) @ inverse
        assert_gaussian(defined, theta, covariance)
        assert_gaussian(drawn_models(policy, taught(policy, contexts, rewards)), theta, covariance)

    def test_draws_on_the_host_alike(self):
        policy = LinFPL.paper(D, noise=0.7, regularisation=0.5)
        contexts, rewards = stream(7)
        theta, v, _ = solved(contexts, rewards, 0.5)
        inverse = np.linalg.inv(v)
        draws = drawn_models(policy, taught(policy, contexts, rewards), on_host=True)
        assert_gaussian(draws, theta, 0.7**2 * inverse @ (v - 0.5 * np.eye(D)) @ inverse)

    def test_unseen_directions_are_not_perturbed(self):
        """Unlike Thompson sampling: the regulariser of Eq. (2) has no noise."""
        contexts = np.eye(D, dtype=np.float32)[[0, 0, 1]]
        policy = LinFPL.paper(D, noise=1.0)
        draws = drawn_models(policy, taught(policy, contexts, np.ones(3, np.float32)))
        assert np.all(draws[:, 2:] == 0)
        assert np.all(draws[:, :2].std(0) > 0.3)


def second_feature(contexts):
    return contexts[:, 1]


@pytest.mark.parametrize(
    "policy",
    [LinUCB(8), LinTS(8), LinFPL(8)],
    ids=lambda policy: type(policy).__name__,
)
def test_solves_a_linear_bandit_with_new_arms_each_round(policy):
    environment = Synthetic(second_feature, features=8, pool=None, shown=10, noise=0.1)
    regret = simulate(policy, environment, rounds=1000, seed=0).regret
    chance = simulate(Uniform(8), environment, rounds=1000, seed=0).regret
    assert regret[-1] < 0.2 * chance[-1]
    assert regret[-1] - regret[500] < 0.7 * regret[500]  # it flattens


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: LinUCB(5, radius="theroy"), "unknown radius 'theroy'; did you mean 'theory'"),
        (lambda: LinTS(5, radius="loose"), "unknown radius 'loose'; choose from 'residuals'"),
        (lambda: LinUCB(5, regularisation=0.0), "regularisation must be at least 1e-06"),
        (lambda: LinUCB(5, delta=0.0), "delta must be between 1e-12 and 1"),
        (lambda: LinTS(5, exploration=-1.0), "exploration must be at least 0"),
        (lambda: LinFPL(0), "features must be at least 1"),
        (lambda: LinFPL(5, scale="fixd"), "unknown scale 'fixd'; did you mean 'fixed'"),
        (lambda: UCB1(5, scale="theory"), "unknown scale 'theory'"),
    ],
)
def test_bad_arguments_are_named(make, message):
    with pytest.raises(ValueError, match=message):
        make()
