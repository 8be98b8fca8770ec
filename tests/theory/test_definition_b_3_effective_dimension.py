"""The effective dimension against its definition by eigenvalues, and of repeated contexts."""

import numpy as np
import pytest

from jostle.theory import StreamDimension, effective_dimension, limit_kernel

CONTEXTS = np.random.default_rng(0).normal(size=(6, 3))


def test_the_definition_by_eigenvalues():
    kernel = limit_kernel(CONTEXTS, 3)
    values = np.linalg.eigvalsh(kernel)
    expected = np.log(1 + 500 * values / 0.3).sum() / np.log(1 + 500 * 6 / 0.3)
    assert effective_dimension(kernel, 500, 0.3) == pytest.approx(expected, rel=1e-12)


def test_one_direction_has_dimension_one():
    one = np.outer(np.ones(50), np.ones(50))
    assert effective_dimension(one, 1000, 1.0) == pytest.approx(1.0)
    assert effective_dimension(np.eye(50), 10**9, 1.0) == pytest.approx(50, rel=0.2)


def test_a_stream_has_the_determinant_of_all_its_contexts():
    stream = StreamDimension(depth=3, lam=0.5)
    assert stream.value == 0
    contexts = np.random.default_rng(1).normal(size=(130, 3))  # more than its first capacity
    for n, context in enumerate(contexts, start=1):
        value = stream.add(context)
        if n in (1, 2, 64, 65, 130):
            seen = np.eye(n) + limit_kernel(contexts[:n], 3) / 0.5
            expected = np.linalg.slogdet(seen)[1] / np.log1p(n / 0.5)
            assert value == pytest.approx(expected, rel=1e-9)


def test_a_repeated_pool_is_definition_b_3():
    stream, rounds = StreamDimension(depth=3, lam=2.0), 7
    for _ in range(rounds):
        for context in CONTEXTS:
            value = stream.add(context)
    expected = effective_dimension(limit_kernel(CONTEXTS, 3), rounds, 2.0)
    assert value == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize(
    ("kernel", "rounds", "lam", "message"),
    [
        (np.ones((2, 3)), 10, 1.0, "kernel must be of shape"),
        (np.array([[1.0, 2.0], [0.0, 1.0]]), 10, 1.0, "symmetric"),
        (-np.eye(3), 10, 1.0, "positive semi-definite"),
        (np.eye(2), 0, 1.0, "rounds must be at least 1"),
        (np.eye(2), 10, 0.0, "lam must be a number above 0"),
    ],
)
def test_errors_name_the_argument(kernel, rounds, lam, message):
    with pytest.raises(ValueError, match=message):
        effective_dimension(kernel, rounds, lam)


def test_a_stream_rejects_contexts_of_another_length():
    stream = StreamDimension()
    stream.add(np.ones(3))
    with pytest.raises(ValueError, match=r"context must be of shape \(3,\), not \(4,\)"):
        stream.add(np.ones(4))
    with pytest.raises(ValueError, match="context must be finite"):
        stream.add([1.0, np.inf, 0.0])
