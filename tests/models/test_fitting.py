"""The objective of Eq. (2), and the three ways to descend it, against brute force."""

import itertools

import jax
import jax.numpy as jnp
import numpy as np
import optax
import pytest
from scipy import stats

from jostle import NPR, Training
from jostle.models.fitting import (
    Batch,
    Fit,
    FullBatch,
    MiniBatch,
    Pooled,
    descend,
    objective,
    perturbations,
)
from jostle.models.history import History, PooledHistory
from jostle.models.networks import MLP, PaperNetwork
from jostle.types import Feedback

D, K, T = 4, 6, 40
NETWORK = PaperNetwork(width=8, depth=3)


def stream(seed=0):
    """T observations of a pool of K arms."""
    rng = np.random.default_rng(seed)
    pool = rng.normal(size=(K, D)).astype(np.float32)
    arms = rng.integers(0, K - 1, T)  # the last arm is never pulled
    return pool, arms, (pool[arms, 0] + rng.normal(size=T)).astype(np.float32)


def full_history(way, arms, pool, rewards, capacity=64):
    history, append = way.reserve(way.empty(jnp.zeros((0, D))), capacity), jax.jit(way.append)
    for arm, reward in zip(arms, rewards, strict=True):
        row = Feedback(pool[arm], reward, np.int32(arm), np.int32(-1))
        history = append(history, jax.random.key(0), row)
    return history


def params_near(seed):
    initial = NETWORK.init(jax.random.key(seed), jnp.zeros((1, D)))
    return initial, jax.tree.map(
        lambda w: w + 0.1 * jnp.sin(jnp.arange(w.size)).reshape(w.shape), initial
    )


def test_objective_is_equation_2():
    pool, arms, rewards = stream()
    noise, regularisation = 0.7, 0.3
    key = jax.random.key(4)
    initial, params = params_near(1)
    history = full_history(FullBatch(), arms, pool, rewards)
    batch = FullBatch().batches(history, key, noise)(jnp.int32(0))
    penalty = NETWORK.width * regularisation / T
    found = T * objective(NETWORK, params, initial, batch, penalty)

    gammas = noise * np.asarray(perturbations(key, jnp.arange(T)), np.float64)
    estimates = np.asarray(NETWORK.apply(params, pool[arms]), np.float64).ravel()
    loss = np.sum((estimates - (rewards + gammas)) ** 2) / 2
    moved = jax.tree.map(lambda a, b: np.sum((np.asarray(a, np.float64) - b) ** 2), params, initial)
    wanted = loss + NETWORK.width * regularisation * sum(jax.tree.leaves(moved)) / 2
    np.testing.assert_allclose(found, wanted, rtol=1e-4)


def pooled_like(batch, arms):
    """The pooled batch that stands for the same perturbed observations, by brute force."""
    targets = np.asarray(batch.targets)[:T]
    counts = np.bincount(arms, minlength=K)
    sums = np.bincount(arms, weights=targets, minlength=K)
    return counts, sums / np.maximum(counts, 1)


def test_pooled_equals_full_batch_in_value_and_path():
    pool, arms, rewards = stream()
    history = full_history(FullBatch(), arms, pool, rewards)
    full = FullBatch().batches(history, jax.random.key(1), 0.5)(jnp.int32(0))
    counts, means = pooled_like(full, arms)
    perturbed = PooledHistory(
        jnp.asarray(pool),
        jnp.asarray(counts, jnp.int32),
        jnp.asarray(means, jnp.float32),
        jnp.int32(T),
    )
    pooled = Pooled(K).batches(perturbed, jax.random.key(2), 0.0)(jnp.int32(0))

    initial, _ = params_near(0)
    values = [
        [float(objective(NETWORK, params_near(s)[1], initial, b, 0.01)) for s in range(4)]
        for b in (full, pooled)
    ]
    # Up to a constant: the spread of the rewards within each arm.
    np.testing.assert_allclose(np.diff(values[0]), np.diff(values[1]), rtol=1e-3, atol=1e-4)

    def path(batch, steps):
        optimiser = optax.sgd(0.02)
        fit = Fit(params_near(0)[1], initial, optimiser.init(initial))
        return descend(
            fit, lambda j: batch, network=NETWORK, optimiser=optimiser, steps=steps,
            regularisation=0.01, size=jnp.int32(T),
        ).params  # fmt: skip

    for steps in (1, 5, 25):
        for a, b in zip(path(full, steps), path(pooled, steps), strict=True):
            np.testing.assert_allclose(a, b, rtol=1e-3, atol=1e-5)


def test_pooled_history_keeps_counts_and_means():
    pool, arms, rewards = stream()
    history = PooledHistory.empty(K, D)
    for arm, reward in zip(arms, rewards, strict=True):
        history = history.append(Feedback(pool[arm], reward, np.int32(arm), np.int32(-1)))
    np.testing.assert_array_equal(history.counts, np.bincount(arms, minlength=K))
    for arm in range(K - 1):
        np.testing.assert_allclose(history.means[arm], rewards[arms == arm].mean(), rtol=1e-5)
        np.testing.assert_array_equal(history.contexts[arm], pool[arm])


def test_pooled_perturbations_have_the_distribution_of_the_full_ones():
    """The mean target of an arm over many rounds: N(mean reward, noise^2 / n_i), both ways."""
    pool, arms, rewards = stream()
    noise, draws = 0.5, 1500
    history = full_history(FullBatch(), arms, pool, rewards)
    pooled = full_history(Pooled(K), arms, pool, rewards)
    keys = jax.random.split(jax.random.key(3), draws)
    full_targets = jax.vmap(lambda k: FullBatch().batches(history, k, noise)(0).targets)(keys)
    pooled_targets = jax.vmap(lambda k: Pooled(K).batches(pooled, k, noise)(0).targets)(keys)
    for arm in range(K - 1):
        ours = np.asarray(pooled_targets)[:, arm]
        theirs = np.asarray(full_targets)[:, :T][:, arms == arm].mean(axis=1)
        expected = stats.norm(rewards[arms == arm].mean(), noise / np.sqrt(np.sum(arms == arm)))
        assert stats.kstest(ours, expected.cdf).pvalue > 1e-4
        assert stats.ks_2samp(ours, theirs).pvalue > 1e-4


def test_minibatches_perturb_an_observation_alike_within_a_round_and_afresh_in_the_next():
    pool, arms, rewards = stream()
    way = MiniBatch(batch=16)
    # Contexts tell observations apart: each is its own number.
    history = full_history(way, arms, pool, rewards)
    history = history._replace(contexts=jnp.arange(64.0)[:, None] * jnp.ones((1, D)))

    def draws(key):
        batch = jax.vmap(way.batches(history, key, 1.0))(jnp.arange(50))
        return np.asarray(batch.contexts)[..., 0].astype(int), np.asarray(batch.targets)

    index, targets = draws(jax.random.key(1))
    assert index.max() < T
    assert set(index.ravel()) == set(range(T))
    assert not np.array_equal(index[0], index[1])
    for s in range(T):
        assert len(set(targets[index == s])) == 1
    other_index, other_targets = draws(jax.random.key(2))
    gammas = [targets[index == s][0] - rewards[s] for s in range(T)]
    fresh = [other_targets[other_index == s][0] - rewards[s] for s in range(T)]
    assert abs(np.corrcoef(gammas, fresh)[0, 1]) < 0.5
    assert stats.kstest(gammas + fresh, "norm").pvalue > 1e-4


def test_draws_that_are_made_ahead_are_those_that_each_step_makes():
    pool, arms, rewards = stream()
    history = full_history(MiniBatch(), arms, pool, rewards)
    key = jax.random.key(3)

    @jax.jit
    def drawn(key):
        ways = MiniBatch(batch=16), MiniBatch(batch=16, ahead=20)
        return [jax.lax.map(way.batches(history, key, 0.5), jnp.arange(20)) for way in ways]

    one_by_one, together = drawn(key)
    assert len(set(np.asarray(together.targets[:, 0]).tolist())) > 10
    for mine, theirs in zip(together, one_by_one, strict=True):
        np.testing.assert_array_equal(mine, theirs)


def test_minibatch_gradients_are_unbiased_for_the_full_batch():
    pool, arms, rewards = stream()
    history = full_history(FullBatch(), arms, pool, rewards)
    initial, params = params_near(0)
    slope = jax.grad(objective, argnums=1)
    full = slope(
        NETWORK, params, initial, FullBatch().batches(history, jax.random.key(0), 0.0)(0), 0.1
    )
    batches = MiniBatch(batch=16).batches(history, jax.random.key(0), 0.0)
    draw = jax.jit(jax.vmap(lambda j: slope(NETWORK, params, initial, batches(j), 0.1)))
    many = draw(jnp.arange(4000))
    for exact, draws in zip(full, many, strict=True):
        error = np.abs(np.mean(draws, axis=0) - exact)
        assert np.all(error < 6 * np.std(draws, axis=0) / np.sqrt(4000) + 1e-5)


def test_an_empty_history_changes_nothing_and_is_finite():
    initial, _ = params_near(0)
    for way in (FullBatch(), MiniBatch(), Pooled(K)):
        history = way.reserve(way.empty(jnp.zeros((0, D))), 8)
        batch = way.batches(history, jax.random.key(0), 1.0)(jnp.int32(0))
        value = objective(NETWORK, initial, initial, batch, 0.1)
        assert np.isfinite(value)


def test_descent_finds_the_ridge_solution_of_a_linear_model():
    """With f(x) = x . theta, Eq. (2) is ridge regression, whose minimum we know."""

    class Linear:
        def init(self, key, x):
            return jax.random.normal(key, (x.shape[-1],))

        def apply(self, params, x):
            return x @ params

    pool, arms, rewards = stream()
    history = full_history(FullBatch(), arms, pool, rewards)
    start = Linear().init(jax.random.key(0), pool)
    optimiser = optax.sgd(0.3)
    fit = descend(
        Fit(start, start, optimiser.init(start)),
        FullBatch().batches(history, jax.random.key(0), 0.0),
        network=Linear(), optimiser=optimiser, steps=3000, regularisation=0.5, size=history.size,
    )  # fmt: skip
    x = pool[arms].astype(np.float64)
    gram = x.T @ x + 0.5 * np.eye(D)
    wanted = start + np.linalg.solve(gram, x.T @ (rewards - x @ np.asarray(start)))
    np.testing.assert_allclose(fit.params, wanted, rtol=1e-3, atol=1e-3)


@pytest.mark.parametrize("step_size", [0.01, 3.0])
def test_giving_up_a_fit_that_has_diverged_changes_no_estimate(step_size):
    """Against gradient steps one by one, which never give up; the larger step diverges."""
    pool, arms, rewards = stream()
    history = full_history(FullBatch(), arms, pool, rewards)
    initial, _ = params_near(0)
    batches = FullBatch().batches(history, jax.random.key(0), 0.0)
    optimiser = optax.sgd(step_size)
    fit = Fit(initial, initial, optimiser.init(initial))

    @jax.jit
    def update(fit):
        return descend(
            fit, batches,
            network=NETWORK, optimiser=optimiser, steps=20, regularisation=0.1, size=history.size,
        )  # fmt: skip

    @jax.jit
    def step(params):
        slope = jax.grad(objective, argnums=1)(NETWORK, params, initial, batches(0), 0.8 / T)
        return jax.tree.map(lambda now, move: now - step_size * move, params, slope)

    params = initial
    for _ in range(4):
        fit = update(fit)
        for _ in range(20):
            params = step(params)
        found, wanted = NETWORK.apply(fit.params, pool), NETWORK.apply(params, pool)
        np.testing.assert_allclose(found, wanted, rtol=1e-3, atol=1e-4)
    assert np.isfinite(wanted).all() == (step_size < 1)


@pytest.mark.parametrize("forget", ["oldest", "random"])
def test_a_full_history_forgets(forget):
    way = FullBatch(memory=10, forget=forget)
    history = way.reserve(way.empty(jnp.zeros((0, 1))), 1000)
    assert history.capacity == 10

    def run(key):
        def step(i, history):
            row = Feedback(jnp.full(1, i, jnp.float32), i * 1.0, jnp.int32(-1), jnp.int32(-1))
            return way.append(history, jax.random.fold_in(key, i), row)

        return jax.lax.fori_loop(0, 100, step, history)

    held = jax.jit(jax.vmap(run))(jax.random.split(jax.random.key(0), 500))
    kept = np.sort(np.asarray(held.rewards), axis=1)
    assert np.all(np.asarray(held.seen) == 100)
    np.testing.assert_array_equal(held.rewards, held.contexts[..., 0])
    if forget == "oldest":
        np.testing.assert_array_equal(kept, np.tile(np.arange(90, 100), (500, 1)))
    else:
        assert all(len(set(row)) == 10 for row in kept)
        # Each is kept with probability 0.1: five standard errors over 500 runs are 0.067.
        frequency = np.bincount(kept.ravel().astype(int), minlength=100) / 500
        np.testing.assert_allclose(frequency, 0.1, atol=0.07)


def refitted(policy, rounds):
    state = policy.reserve(policy.init(jax.random.key(0)), observations=64, arms=K)
    pool, arms, rewards = stream()
    states, learn = [state], jax.jit(policy.learn)
    for t in range(rounds):
        row = Feedback(pool[arms[t]], rewards[t], jnp.int32(arms[t]), jnp.int32(-1))
        states.append(learn(states[-1], jax.random.fold_in(jax.random.key(1), t), row))
    return states


def same(a, b):
    return all(map(np.array_equal, jax.tree.leaves(a), jax.tree.leaves(b)))


def test_every_n_rounds_updates_every_n_rounds():
    policy = NPR.descent(D, network=MLP(8, 2), training=Training(every=3, steps=2))
    states = refitted(policy, 7)
    changed = [not same(a.fit, b.fit) for a, b in itertools.pairwise(states)]
    assert changed == [False, False, True, False, False, True, False]


def test_restart_forgets_where_the_last_update_ended():
    warm = NPR.descent(D, network=MLP(8, 2), noise=0.0, training=Training(steps=3, fitting="full"))
    cold = warm.with_settings(restart=True)
    states = refitted(cold, 5)
    # One update of the final history from theta_0 is where a restarted policy stands.
    fresh = states[-1]._replace(fit=states[0].fit)
    assert same(cold.refit(fresh, jax.random.key(9)).fit.params, states[-1].fit.params)
    assert not same(refitted(warm, 5)[-1].fit.params, states[-1].fit.params)


@pytest.mark.parametrize("optimiser", [optax.adam, optax.sgd])
def test_decay_draws_back_to_the_start_whatever_the_optimiser(optimiser):
    """theta <- theta + (the optimiser's move) - step size * decay * (theta - theta_0), by hand."""
    training = Training(optimiser, step_size=0.05, decay=3.0, steps=4, average=0, fitting="full")
    policy = NPR.descent(D, network=MLP(8, 2), noise=0.0, regularisation=0.2, training=training)
    states = refitted(policy, 6)
    before, after = states[-2], states[-1]
    initial = states[0].fit.params
    batch = FullBatch().batches(after.history, jax.random.key(0), 0.0)(0)
    rule = optimiser(0.05)
    params, memory = before.fit.params, before.fit.optimiser
    for _ in range(4):
        slope = jax.grad(objective, argnums=1)(policy.network, params, initial, batch, 8 * 0.2 / 6)
        moves, memory = rule.update(slope, memory, params)
        params = jax.tree.map(lambda p, u, p0: p + u - 0.15 * (p - p0), params, moves, initial)
    for found, wanted in zip(*map(jax.tree.leaves, (after.fit.params, params)), strict=True):
        np.testing.assert_allclose(found, wanted, rtol=1e-4, atol=1e-6)


def test_choices_go_by_the_moving_average_of_the_parameters():
    policy = NPR.descent(D, network=MLP(8, 2)).with_settings(steps=2, average=0.03, step_size=0.05)
    states = refitted(policy, 5)
    wanted = states[0].fit.params
    for seen, state in enumerate(states[1:], start=1):
        keep = min(0.03, seen / (seen + 100))
        wanted = jax.tree.map(
            lambda a, p, keep=keep: keep * a + (1 - keep) * p, wanted, state.fit.params
        )
    for found, each in zip(*map(jax.tree.leaves, (states[-1].fit.average, wanted)), strict=True):
        np.testing.assert_allclose(found, each, rtol=1e-5, atol=1e-7)
    contexts = stream()[0]
    np.testing.assert_allclose(
        policy.estimates(states[-1], contexts), policy.network.apply(wanted, contexts)[:, 0],
        rtol=1e-4, atol=1e-6,
    )  # fmt: skip
    for other in (policy.with_settings(average=0.0), policy.with_settings(restart=True)):
        last = refitted(other, 3)[-1].fit
        assert same(last.average, last.params)


def test_batch_is_a_plain_tuple():
    assert Batch(1, 2, 3).targets == 2
    assert History.empty(jnp.zeros((0, 3))).contexts.shape == (0, 3)
