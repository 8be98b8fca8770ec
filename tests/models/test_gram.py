"""The covariance by the kernel of gradients, against gradients and a dense inverse in float64."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from jostle import Agent, NeuralTS, NeuralUCB
from jostle.core.contexts import Blocks
from jostle.models.covariance import BLOCK, ROWS, Primal
from jostle.models.gradients import Factors, dense
from jostle.models.gram import Gram, gram_bytes
from jostle.models.networks import PaperNetwork, estimate
from jostle.types import Feedback

from support import assert_same

D, ARMS = 5, 12
NETWORK = PaperNetwork(width=8, depth=3)
P = 2 * D * 8 + 8 * 8 + 8


def drifting(t):
    """Parameters after t rounds of a descent."""
    start = NETWORK.init(jax.random.key(0), jnp.zeros((1, D)))
    return [w + 0.2 * jnp.sin(0.01 * t + jnp.arange(w.size)).reshape(w.shape) for w in start]


def factors(t, x):
    return Factors(tuple((a, e / np.sqrt(8)) for a, e in NETWORK.factors(drifting(t), x)))


def pool():
    return jnp.asarray(np.random.default_rng(1).normal(size=(ARMS, D)), jnp.float32)


@jax.jit
def seen(n):
    """The factors of n gradients of a few arms that are pulled again and again."""
    arms = (jnp.arange(300) * 7) % ARMS
    of_one = jax.vmap(
        lambda t: jax.tree.map(lambda part: part[0], factors(t, pool()[arms[t]][None]))
    )
    return of_one(jnp.arange(300))


@jax.jit
def observed(gram, rows, n, regularisation):
    def add(i, gram):
        return gram.add(jax.tree.map(lambda part: part[i], rows), regularisation)

    return jax.lax.fori_loop(0, n, add, gram)


def brute_force(rows, phis, regularisation):
    rows, phis = (np.asarray(dense(each, -1), np.float64) for each in (rows, phis))
    z = regularisation * np.eye(rows.shape[1]) + rows.T @ rows
    return np.sum(phis * np.linalg.solve(z, phis.T).T, axis=1)


@pytest.mark.parametrize("depth", [2, 3, 4])
def test_factors_are_those_of_the_gradient(depth):
    network = PaperNetwork(width=8, depth=depth)
    params = network.init(jax.random.key(2), jnp.zeros((1, D)))
    params = [w + 0.3 * jnp.cos(jnp.arange(w.size)).reshape(w.shape) for w in params]
    x = pool().at[0].set(0)  # where every layer is at the kink of its ReLU
    slopes = jax.vmap(jax.grad(lambda p, one: estimate(network, p, one[None])[0]), (None, 0))
    wanted = [slope.reshape(ARMS, -1) for slope in slopes(params, x)]
    found = dense(Factors(tuple(network.factors(params, x))), -1)
    np.testing.assert_allclose(found, np.concatenate(wanted, axis=1), rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("regularisation", [1.0, 1e-4])
def test_widths_are_those_of_a_dense_inverse(regularisation):
    n = BLOCK + 30  # two blocks
    assert n <= ROWS * P
    rows, phis = seen(n), factors(400.0, pool())
    gram = observed(Gram.empty(phis).reserve(n), rows, n, regularisation)
    assert isinstance(gram, Gram)
    wanted = brute_force(jax.tree.map(lambda part: part[:n], rows), phis, regularisation)
    found = jax.jit(Gram.squared_widths)(gram, phis, regularisation)
    assert found.dtype == jnp.float32
    np.testing.assert_allclose(found, wanted, rtol=1e-3)


def test_room_for_more_changes_no_number_and_the_primal_form_goes_on():
    rows, phis = seen(60), factors(400.0, pool())
    first = observed(Gram.empty(phis).reserve(40), rows, 40, 0.01)
    roomy = observed(Gram.empty(phis).reserve(2 * BLOCK), rows, 40, 0.01)
    np.testing.assert_allclose(
        first.squared_widths(phis, 0.01), roomy.squared_widths(phis, 0.01), rtol=1e-5
    )
    primal = first.reserve(ROWS * P + 1)
    assert isinstance(primal, Primal)
    wanted = brute_force(jax.tree.map(lambda part: part[:40], rows), phis, 0.01)
    np.testing.assert_allclose(primal.squared_widths(dense(phis, P), 0.01), wanted, rtol=5e-3)


def test_learning_copies_no_block_and_takes_the_memory_it_says():
    draw = np.random.default_rng(4).normal
    shapes = [(40, 32), (32, 32)]
    rows = Factors(
        tuple((jnp.float32(draw(size=(9, a))), jnp.float32(draw(size=(9, e)))) for a, e in shapes)
    )
    gram = Gram.empty(rows).reserve(5 * BLOCK)
    size = sum(leaf.nbytes for leaf in jax.tree.leaves(gram.blocks))
    assert size == gram_bytes(40 * 32 + 32 * 32, 40 + 3 * 32, 5 * BLOCK)

    def learn(gram, rows):
        def add(i, gram):
            return gram.add(jax.tree.map(lambda part: part[i], rows), 0.1)

        return jax.lax.fori_loop(0, 9, add, gram)

    program = jax.jit(learn, donate_argnums=0).lower(gram, rows)
    assert program.compile().memory_analysis().temp_size_in_bytes < size / 10


def test_policies_have_the_widths_of_their_gradients():
    """NeuralUCB in the paper's form, by its own state, gradients and contexts."""
    policy = NeuralUCB.paper(D, pool=ARMS, width=8, covariance="full", regularisation=0.01)
    contexts = pool()
    state = policy.reserve(policy.init(jax.random.key(0)), observations=20, arms=ARMS)
    learn, rows = jax.jit(policy.learn), []
    for i in range(20):
        arm = np.int32(i % ARMS)
        rows.append(policy.gradients(state, contexts[arm][None]))
        row = Feedback(contexts[arm], jnp.float32(i % 3), arm, np.int32(-1))
        state = learn(state, jax.random.key(i), row)
    together = jax.tree.map(lambda *parts: jnp.concatenate(parts), *rows)
    wanted = brute_force(together, policy.gradients(state, contexts), 0.01)
    np.testing.assert_allclose(policy.widths(state, contexts) ** 2, wanted, rtol=1e-3)


@pytest.mark.parametrize("regularisation", [1.0, 1e-4])
def test_many_gradients_of_low_rank_lose_no_accuracy(regularisation):
    """A thousand gradients in 20 dimensions of 600: all but single precision is lost of k(x, x)."""
    n, rank = 1000, 20
    draw = np.random.default_rng(3).normal
    errors = jnp.float32(draw(size=(1, 30)))
    inputs, others = (jnp.float32(draw(size=(k, rank)) / np.sqrt(rank)) for k in (n, ARMS))
    rows = Factors(((inputs, jnp.repeat(errors, n, axis=0)),))
    phis = Factors(((others, jnp.repeat(errors, ARMS, axis=0)),))
    gram = observed(Gram.empty(phis).reserve(n), rows, n, regularisation)
    assert isinstance(gram, Gram)
    a, b, e = (np.asarray(part, np.float64) for part in (inputs, others, errors))
    z = regularisation * np.eye(rank) + (e @ e.T) * (a.T @ a)
    wanted = (e @ e.T)[0] * np.sum(b * np.linalg.solve(z, b.T).T, axis=1)
    np.testing.assert_allclose(gram.squared_widths(phis, regularisation), wanted, rtol=1e-6)


def test_vectorised_widths_are_as_accurate():
    """``jax.vmap`` would make single precision of a product in double precision."""
    rows, phis, scales = seen(60), factors(400.0, pool()), jnp.array([1.0, 1e-4])
    empty = Gram.empty(phis).reserve(60)

    def widths(regularisation):
        return observed(empty, rows, 60, regularisation).squared_widths(phis, regularisation)

    rows = jax.tree.map(lambda part: part[:60], rows)
    for found, scale in zip(jax.jit(jax.vmap(widths))(scales), scales, strict=True):
        np.testing.assert_allclose(found, brute_force(rows, phis, float(scale)), rtol=1e-3)


@pytest.mark.parametrize("kind", [NeuralUCB, NeuralTS])
@pytest.mark.parametrize(
    "settings", [{}, {"blocks": 4}, {"pool": ARMS, "sweep": 0}], ids=["any", "blocks", "pool"]
)
def test_agents_have_these_widths_and_are_saved_with_them(kind, settings, monkeypatch, tmp_path):
    """Agents compile for the shapes and types of their state, ahead of the first call."""
    # So few observations are remembered that their number does not exceed that of parameters.
    monkeypatch.setattr("jostle.agent.HISTORY_NUMBERS", 1)
    policy = kind.paper(200, **settings, width=8, covariance="full", regularisation=0.01)
    shown, blocks = 4, settings.get("blocks", 1)
    x = np.random.default_rng(5).normal(size=(shown, 200 // blocks)).astype(np.float32)
    ids = np.arange(shown) if policy.needs_arms else None
    contexts = Blocks(x, ids) if policy.takes_blocks else x
    agent, rows = Agent(policy, seed=3), []
    assert isinstance(agent.state.covariance, Gram)

    def play(agent):
        choices = []
        for i in range(5):
            choice = agent.decide(x, arms=ids, mask=np.arange(shown) % 3 != i % 3)
            assert choice.index % 3 != i % 3
            gradients = policy.gradients(agent.state, contexts)
            rows.append(jax.tree.map(lambda part, at=choice.index: part[at][None], gradients))
            agent.learn(choice, float(i % 2))
            choices.append(choice)
        return choices

    play(agent)
    state = agent.state
    together = jax.tree.map(lambda *parts: jnp.concatenate(parts), *rows)
    phis = policy.gradients(state, contexts)
    wanted = brute_force(together, phis, 0.01)
    np.testing.assert_allclose(policy.widths(state, contexts) ** 2, wanted, rtol=1e-3)
    agent.save(tmp_path / "agent.npz")
    again = Agent.load(tmp_path / "agent.npz")
    assert_same(again.state, state)
    assert_same(play(again), play(agent))
    assert_same(again.state, agent.state)
