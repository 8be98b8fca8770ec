"""NeuralUCB and NeuralTS against their definitions."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy import stats

from jostle import NeuralTS, NeuralUCB, Training, simulate
from jostle.core.contexts import FEW_BLOCKS, Blocks, dense, take
from jostle.models.gradients import Sparse
from jostle.models.networks import MLP, PaperNetwork
from jostle.policies import _gradient as gradient
from jostle.types import Feedback, plain_round

from cases import SMALL
from support import EASY, FEATURES

NETWORK = PaperNetwork(width=8, depth=3)
both = pytest.mark.parametrize("covariance", ["full", "diagonal"])


def brute_force(policy, rows):
    """The widths by the definition: explicit gradients at the parameters of the time, dense Z."""
    state = policy.reserve(policy.init(jax.random.key(0)), observations=len(rows), arms=0)
    z = None

    def gradients(params, contexts):
        grads = [
            jax.grad(lambda p, x=x: policy.network.apply(p, x[None])[0, 0])(params)
            for x in jnp.asarray(contexts)
        ]
        flat = [np.concatenate([np.ravel(leaf) for leaf in jax.tree.leaves(g)]) for g in grads]
        return np.asarray(flat, np.float64) / np.sqrt(policy.network.width)

    learn = jax.jit(policy.learn)
    for t, (context, reward) in enumerate(rows):
        phi = gradients(state.fit.average, context[None])[0]
        z = policy.regularisation * np.eye(len(phi)) if z is None else z
        z = z + np.outer(phi, phi)
        row = Feedback(context, reward, jnp.int32(-1), jnp.int32(-1))
        state = learn(state, jax.random.fold_in(jax.random.key(1), t), row)
    return state, z, lambda contexts: gradients(state.fit.average, contexts)


def stream(n=25):
    rng = np.random.default_rng(0)
    contexts = rng.normal(size=(n, FEATURES)).astype(np.float32)
    return list(zip(contexts, contexts[:, 0], strict=True)), contexts[:6] + 0.3


@both
@pytest.mark.parametrize("network", [NETWORK, MLP(width=8, depth=3)])
def test_neural_ucb_is_its_definition(covariance, network):
    """The gradients are those of all parameters: the linear path's of an MLP too."""
    policy = NeuralUCB.descent(
        FEATURES, network=network, covariance=covariance, exploration=0.7, regularisation=0.5,
        training=Training(steps=2, step_size=1e-3),
    )  # fmt: skip
    rows, contexts = stream()
    state, z, gradients = brute_force(policy, rows)
    inverse = np.linalg.inv(z) if covariance == "full" else np.diag(1 / np.diag(z))
    phis = gradients(contexts)
    widths = np.sqrt(np.sum(phis @ inverse * phis, axis=1))
    np.testing.assert_allclose(policy.widths(state, jnp.asarray(contexts)), widths, rtol=5e-3)
    estimates = np.asarray(policy.network.apply(state.fit.average, contexts)).ravel()
    choice = policy.choose(state, jax.random.key(0), plain_round(jnp.asarray(contexts)))
    np.testing.assert_allclose(choice.scores, estimates + 0.7 * widths, rtol=5e-3)
    assert int(choice.index) == np.argmax(estimates + 0.7 * widths)


@both
def test_neural_ts_draws_from_its_posterior(covariance):
    policy = NeuralTS.descent(
        FEATURES, network=NETWORK, covariance=covariance, exploration=0.6, regularisation=0.5,
        training=Training(steps=2, step_size=1e-3),
    )  # fmt: skip
    rows, contexts = stream()
    state, z, gradients = brute_force(policy, rows)
    inverse = np.linalg.inv(z) if covariance == "full" else np.diag(1 / np.diag(z))
    phis = gradients(contexts)
    deviations = 0.6 * np.sqrt(0.5 * np.sum(phis @ inverse * phis, axis=1))
    estimates = np.asarray(policy.network.apply(state.fit.average, contexts)).ravel()
    round = plain_round(jnp.asarray(contexts))
    keys = jax.random.split(jax.random.key(5), 2000)
    draws = jax.vmap(lambda key: policy.choose(state, key, round).scores)(keys)
    standard = (np.asarray(draws) - estimates) / deviations
    for arm in range(len(contexts)):
        assert stats.kstest(standard[:, arm], "norm").pvalue > 1e-4
    correlations = np.corrcoef(standard.T)[np.triu_indices(len(contexts), 1)]
    assert np.abs(correlations).max() < 0.12


@pytest.mark.study
def test_many_blocks_are_as_uncertain_as_vectors_with_their_zeros():
    """Where gradients leave out their zeros, against the same policy that knows of no blocks."""
    blocks, d = FEW_BLOCKS + 1, 2
    settings = {"regularisation": 0.5, "decay": 1.0, "covariance": "full", **SMALL}
    knowing = NeuralUCB.descent(blocks * d, blocks=blocks).with_settings(**settings)
    plain = NeuralUCB.descent(blocks * d).with_settings(**settings)
    rng = np.random.default_rng(0)
    seen = Blocks(
        rng.normal(size=(30, d)).astype(np.float32), rng.integers(blocks, size=30, dtype=np.int32)
    )
    shown = Blocks(seen.x[:blocks] + 0.3, np.arange(blocks, dtype=np.int32)[::-1].copy())
    widths = []
    for policy, form in ((knowing, lambda c: c), (plain, lambda c: dense(c, blocks * d))):
        state = policy.reserve(policy.init(jax.random.key(0)), observations=30, arms=0)
        learn = jax.jit(policy.learn)
        for t in range(30):
            row = Feedback(take(form(seen), t), seen.x[t, 0], seen.block[t], jnp.int32(-1))
            state = learn(state, jax.random.fold_in(jax.random.key(1), t), row)
        widths.append(policy.widths(state, jax.tree.map(jnp.asarray, form(shown))))
    assert isinstance(knowing.gradients(knowing.init(jax.random.key(0)), shown), Sparse)
    np.testing.assert_allclose(*widths, rtol=2e-3)


@pytest.mark.study
def test_more_exploration_is_more_exploration():
    """Without exploration it is greedy; with much of it the arms are tried evenly."""
    counts = []
    for exploration in (0.0, 100.0):
        policy = NeuralUCB(FEATURES, exploration=exploration, **SMALL)
        result = simulate(policy, EASY, rounds=150, seed=0)
        counts.append(result.regret[-1])
    assert counts[0] < counts[1]


def test_full_covariance_that_cannot_fit_is_refused_by_name(monkeypatch):
    monkeypatch.setattr(gradient, "_machine_memory", lambda: 2**20)
    policy = NeuralUCB(FEATURES, network=MLP(64), covariance="full")
    with pytest.raises(
        MemoryError, match=r"NeuralUCB.*needs .* GiB for [0-9,]+ .*'diagonal' needs"
    ):
        simulate(policy, EASY, rounds=1000, seed=0)
    simulate(policy.replace(covariance="diagonal"), EASY, rounds=20, seed=0)


def test_it_says_its_memory_before_it_starts():
    policy = NeuralUCB(50, network=MLP(128, 3), covariance="full")
    path = 50
    assert policy.parameters == 50 * 128 + 128 + 128 * 128 + 128 + 128 + 1 + path
    assert policy.covariance_bytes(1024) == 2 * 4 * 1024 * policy.parameters
    assert policy.covariance_bytes(10**7) == 4 * policy.parameters**2
    assert policy.replace(covariance="diagonal").covariance_bytes(10**7) == 4 * policy.parameters


def test_bad_covariance_is_named():
    with pytest.raises(ValueError, match="unknown covariance 'diag'; did you mean 'diagonal'"):
        NeuralUCB(5, covariance="diag")
    with pytest.raises(ValueError, match="regularisation"):
        NeuralTS(5, regularisation=0.0)
