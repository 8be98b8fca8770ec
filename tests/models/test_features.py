"""Random features of contexts: their definition, their sizes, and both array libraries."""

import jax
import numpy as np
import pytest

from jostle.core.contexts import Blocks
from jostle.models.features import (
    LARGEST_TABLE,
    LONGEST,
    RandomFeatures,
    entries_and_blocks,
    feature_shape,
    scaled,
)


def test_they_are_the_context_a_constant_and_a_hidden_layer():
    shape = feature_shape(4, 1, 6)
    features = jax.tree.map(np.asarray, RandomFeatures.draw(jax.random.key(0), shape))
    x = np.random.default_rng(0).normal(size=(3, 4)).astype(np.float32)
    u = x / 2
    hidden = np.maximum(u @ features.weight + features.bias, 0) / np.sqrt(6)
    expected = np.hstack([u / 2, np.ones((3, 1)), hidden])
    np.testing.assert_allclose(features.expand(x, 2.0), expected, rtol=1e-6)
    np.testing.assert_allclose(features.linear(x, 2.0), expected[:, : shape.linear], rtol=1e-6)
    compiled = jax.jit(RandomFeatures.expand)(features, x, 2.0)
    np.testing.assert_allclose(compiled, expected, atol=1e-6)
    assert expected.shape[1] == shape.size


def test_long_contexts_are_projected_and_keep_their_lengths():
    shape = feature_shape(5_000, 1, 8)
    assert shape.direct == LONGEST
    features = RandomFeatures.draw(jax.random.key(0), shape)
    x = np.random.default_rng(0).normal(size=(40, 5_000)).astype(np.float32)
    projected = features.linear(x, 1.0)[:, :-1] * np.sqrt(LONGEST)
    ratios = np.linalg.norm(projected, axis=1) / np.linalg.norm(x, axis=1)
    assert ratios.mean() == pytest.approx(1, abs=0.05)


@pytest.mark.parametrize("blocks", [1, 26, 500, 2_048, 10_000])
def test_tables_of_all_blocks_stay_within_their_bound(blocks):
    shape = feature_shape(54, blocks, 64)
    assert blocks * shape.size**2 <= LARGEST_TABLE
    assert shape.direct >= 1
    assert shape.hidden >= 0
    if blocks <= 500:
        assert (shape.direct, shape.hidden) == (54, 64)


def test_blocks_are_taken_apart_and_scaled():
    contexts = Blocks(np.ones((2, 3)), np.array([1, 0]))
    x, block = entries_and_blocks(scaled(contexts, 4.0))
    np.testing.assert_array_equal(x, 0.25 * np.ones((2, 3)))
    np.testing.assert_array_equal(block, [1, 0])
    plain, none = entries_and_blocks(scaled(np.ones((2, 3)), 2.0))
    assert none is None
    np.testing.assert_array_equal(plain, 0.5 * np.ones((2, 3)))
