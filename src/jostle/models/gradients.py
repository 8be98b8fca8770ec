"""Gradients of a network, one row per context: whole, by their factors, or without zeros.

The estimate for a context of ``Blocks`` depends on the weights of its own block of features and on
those that all contexts share; its gradient with respect to the weights of other blocks is zero.
``Sparse`` leaves these zeros out. With them, a row is block after block, then the shared weights.
"""

from typing import Any, NamedTuple

import jax
import jax.numpy as jnp

from jostle.core import contexts
from jostle.core.arrays import Matrix, Vector


class Sparse(NamedTuple):
    """Gradients most of whose entries are zero, because they belong to other blocks."""

    own: jax.Array  # (k, q), for the weights of the row's own block
    block: jax.Array  # (k,) int32
    shared: jax.Array  # (k, s), for the weights that all share


class Factors(NamedTuple):
    """Gradients of a network's layers, each an outer product of inputs and errors."""

    pairs: tuple[tuple[jax.Array, jax.Array], ...]  # (k, inputs) and (k, outputs) of each layer


def dense(phis: Any, parameters: int) -> Matrix:
    """The rows with their zeros, (k, parameters)."""
    if isinstance(phis, Factors):
        layers = [jax.vmap(jnp.outer)(a, e).reshape(len(a), -1) for a, e in phis.pairs]
        return jnp.concatenate(layers, axis=1)
    if not isinstance(phis, Sparse):
        return jnp.asarray(phis)
    own, block, shared = phis
    spread = contexts.dense(contexts.Blocks(own, block), parameters - shared.shape[1])
    return jnp.concatenate([spread, shared], axis=1)


def squared_norms(phis: Any) -> Vector:
    """|phi|^2 of each row."""
    if isinstance(phis, Sparse):
        return jnp.sum(phis.own**2, axis=1) + jnp.sum(phis.shared**2, axis=1)
    return jnp.sum(phis**2, axis=1)


def products(matrix: Matrix, phis: Any) -> Matrix:
    """matrix @ phis', (n, k), for a matrix of n rows with one entry per parameter."""
    if not isinstance(phis, Sparse):
        return jnp.matmul(matrix, phis.T)
    q, s = phis.own.shape[1], phis.shared.shape[1]

    def by_own(row: tuple[jax.Array, jax.Array]) -> jax.Array:
        own, block = row
        return jax.lax.dynamic_slice_in_dim(matrix, block * q, q, axis=1) @ own

    own: Matrix = jax.lax.map(by_own, (phis.own, phis.block))
    return own.T + matrix[:, matrix.shape[1] - s :] @ phis.shared.T
