"""Shared by the tests of the theory: networks and their gradients, written out."""

import jax
import numpy as np

from jostle.models.networks import estimate


def gradients(network, params, contexts):
    """g(x; theta_0) / sqrt(m) of each context, written out."""
    rows = jax.vmap(jax.grad(lambda p, x: estimate(network, p, x[None])[0]), in_axes=(None, 0))(
        params, np.float32(contexts)
    )
    return [np.asarray(r, np.float64) / np.sqrt(network.width) for r in rows]


def drawn(rng, width, depth, features):
    """The initial weights of Algorithm 1, drawn by NumPy."""
    half, weights = width // 2, []
    for fan in [features] + [half] * (depth - 2):
        block = rng.normal(size=(fan, half)) * np.sqrt(4 / width)
        weights.append(np.block([[block, 0 * block], [0 * block, block]]))
    last = rng.normal(size=(half, 1)) * np.sqrt(2 / width)
    return [*weights, np.concatenate([last, -last])]
