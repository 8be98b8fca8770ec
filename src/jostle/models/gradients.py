"""Gradients of a network, one row a context: with or without the zeros of the disjoint model.

A context of ``contexts.Blocks`` has a gradient by the weights of its own block of features and by
those that every context shares; by the weights of other blocks it is zero. ``Sparse`` leaves these
out. With them, a row lies block after block, the shared weights last.
"""

from typing import Any, NamedTuple

import jax
import jax.numpy as jnp

from jostle.core import contexts


class Sparse(NamedTuple):
    """Rows of which most entries are zero, because they are those of other blocks."""

    own: jax.Array  # (k, q), by the weights of the row's own block
    block: jax.Array  # (k,) int32
    shared: jax.Array  # (k, s), by the weights of all


def dense(phis: Any, parameters: int) -> jax.Array:
    """The rows with their zeros, (k, parameters)."""
    if not isinstance(phis, Sparse):
        return jnp.asarray(phis)
    own, block, shared = phis
    spread = contexts.dense(contexts.Blocks(own, block), parameters - shared.shape[1])
    return jnp.concatenate([spread, shared], axis=1)


def squared_norms(phis: Any) -> jax.Array:
    """|phi|^2 of each row."""
    if isinstance(phis, Sparse):
        return jnp.sum(phis.own**2, axis=1) + jnp.sum(phis.shared**2, axis=1)
    return jnp.sum(phis**2, axis=1)


def products(matrix: jax.Array, phis: Any) -> jax.Array:
    """matrix @ phis', (n, k), for n rows of all parameters."""
    if not isinstance(phis, Sparse):
        return matrix @ phis.T
    q, s = phis.own.shape[1], phis.shared.shape[1]

    def by_own(row: tuple[jax.Array, jax.Array]) -> jax.Array:
        own, block = row
        return jax.lax.dynamic_slice_in_dim(matrix, block * q, q, axis=1) @ own

    own = jax.lax.map(by_own, (phis.own, phis.block))
    return own.T + matrix[:, matrix.shape[1] - s :] @ phis.shared.T
