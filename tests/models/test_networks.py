"""The networks against the paper's formulas."""

from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from jostle.core.contexts import Blocks
from jostle.models.networks import MLP, Heads, PaperNetwork, estimate

sizes = st.tuples(
    st.integers(1, 40), st.integers(1, 40), st.integers(2, 4), st.integers(1, 9), st.integers(0, 99)
)


@settings(max_examples=8, deadline=None)
@given(sizes)
def test_the_papers_network_starts_at_zero(size):
    """Up to rounding: the sums of the two halves need not be taken in the same order."""
    features, half_width, depth, n, seed = size
    network = PaperNetwork(width=2 * half_width, depth=depth)
    x = np.random.default_rng(seed).normal(size=(n, features)).astype(np.float32)
    params = jax.jit(network.init)(jax.random.key(seed), x)
    compiled = jax.jit(partial(estimate, network))
    on_host = estimate(network, jax.tree.map(np.asarray, params), x)
    for estimates in (compiled(params, x), on_host):
        np.testing.assert_allclose(estimates, 0, atol=1e-5)


def test_the_papers_network_is_its_formula():
    """f(x) = sqrt(m) W_L relu(... relu(W_1 [x, x] / sqrt(2))), computed plainly in float64."""
    network = PaperNetwork(width=10, depth=4)
    x = np.random.default_rng(0).normal(size=(6, 3))
    params = network.init(jax.random.key(0), x)
    params = jax.tree.map(lambda w: w + 0.1 * jnp.cos(jnp.arange(w.size).reshape(w.shape)), params)
    h = np.concatenate([x, x], axis=1) / np.sqrt(2)
    for w in params[:-1]:
        h = np.maximum(h @ np.asarray(w, np.float64), 0)
    wanted = np.sqrt(10) * h @ np.asarray(params[-1], np.float64)
    np.testing.assert_allclose(network.apply(params, jnp.asarray(x)), wanted, rtol=1e-5)


def test_the_papers_initialisation():
    """Algorithm 1: blocks on the diagonal, entries of variance 4/m, and (w, -w) of variance 2/m."""
    m, d = 400, 300
    first, second, last = PaperNetwork(m, 3).init(jax.random.key(0), jnp.zeros((1, d)))
    for weight in (first, second):
        a, b = weight.shape[0] // 2, weight.shape[1] // 2
        np.testing.assert_array_equal(weight[:a, :b], weight[a:, b:])
        assert not np.any(weight[:a, b:])
        assert not np.any(weight[a:, :b])
        # Relative error of a variance over n entries is sqrt(2/n), here below 0.01.
        np.testing.assert_allclose(np.var(weight[:a, :b]), 4 / m, rtol=0.06)
    np.testing.assert_array_equal(last[: m // 2], -last[m // 2 :])
    np.testing.assert_allclose(np.var(last), 2 / m, rtol=0.5)
    # p of the paper counts the doubled context as d.
    assert sum(w.size for w in (first, second, last)) == m + m * (2 * d) + m**2


@pytest.mark.parametrize("linear", [False, True])
def test_the_plain_network_is_its_formula_and_starts_at_zero(linear):
    network = MLP(width=7, depth=3, linear=linear)
    x = np.random.default_rng(0).normal(size=(4, 3)).astype(np.float32)
    params = network.init(jax.random.key(0), x)
    assert np.all(np.asarray(network.apply(params, x)) == 0)
    params = jax.tree.map(lambda w: w + 0.3, params)
    params64 = jax.tree.map(lambda w: np.asarray(w, np.float64), params)
    (w1, b1), (w2, b2), (w3, b3), *path = params64
    wanted = np.maximum(np.maximum(x @ w1 + b1, 0) @ w2 + b2, 0) @ w3 + b3
    wanted = wanted + x @ path[0] if linear else wanted
    np.testing.assert_allclose(network.apply(params, jnp.asarray(x)), wanted, rtol=1e-5)
    host = network.apply(jax.tree.map(np.asarray, params), x)
    assert isinstance(host, np.ndarray)
    np.testing.assert_allclose(host, wanted, rtol=1e-5)


def test_heads_share_a_body_and_start_at_zero():
    """f(x, b) = v_b . relu(W x + c) + o_b, in compiled code and in NumPy."""
    network = Heads(blocks=3, width=4, depth=2)
    random = np.random.default_rng(0)
    contexts = Blocks(random.normal(size=(6, 5)).astype(np.float32), np.array([0, 2, 1, 1, 0, 2]))
    params = network.init(jax.random.key(0), np.zeros((1, 15)))
    assert np.all(np.asarray(estimate(network, params, contexts)) == 0)
    [(weight, bias), (heads, offsets)] = jax.tree.map(
        lambda part: random.normal(size=part.shape).astype(np.float32), params
    )
    expected = [
        np.maximum(x @ weight + bias, 0) @ heads[:, b] + offsets[b]
        for x, b in zip(*contexts, strict=True)
    ]
    changed = [(weight, bias), (heads, offsets)]
    np.testing.assert_allclose(estimate(network, changed, contexts), expected, rtol=1e-5)
    compiled = jax.jit(partial(estimate, network))(changed, contexts)
    np.testing.assert_allclose(compiled, expected, rtol=1e-5)
    alone = Heads(width=4)  # the shared model
    start = alone.init(jax.random.key(0), np.zeros((1, 5)))
    assert estimate(alone, start, contexts.x).shape == (6,)


@pytest.mark.parametrize(
    ("make", "named"),
    [
        (lambda: MLP(width=0), "width"),
        (lambda: MLP(depth=1), "depth"),
        (lambda: PaperNetwork(width=7), "width"),
        (lambda: PaperNetwork(depth=1), "depth"),
    ],
)
def test_bad_sizes_are_named(make, named):
    with pytest.raises(ValueError, match=named):
        make()
    with pytest.raises(TypeError, match="width"):
        MLP(width=2.5)


def test_the_initialisation_of_heads():
    """Gaussian weights of variance 2 / fan-in in every hidden layer; biases and output are 0."""
    network = Heads(blocks=2, width=400, depth=3)
    (first, b1), (second, b2), (heads, offsets) = network.init(
        jax.random.key(0), jnp.zeros((1, 600))
    )
    for weight, fan_in in ((first, 300), (second, 400)):
        assert weight.shape == (fan_in, 400)
        # Relative error of a variance over n entries is sqrt(2/n), here below 0.005.
        np.testing.assert_allclose(np.var(weight), 2 / fan_in, rtol=0.03)
    for zeros in (b1, b2, heads, offsets):
        assert not np.any(zeros)
    assert heads.shape == (400, 2)
