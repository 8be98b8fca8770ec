"""Covariance of a network's gradients, which gives the uncertainty of its estimates.

With phi = g(x; theta) / sqrt(m) the papers of NeuralUCB and NeuralTS use

    Z = lambda I + sum_s phi_s phi_s'            and            width^2 = phi' Z^-1 phi.

Three representations have one interface (``empty``, ``add``, ``squared_widths``):

- ``Diagonal`` keeps only the diagonal of Z: O(p), an approximation without guarantees.
- ``Primal`` keeps all of lambda Z^-1 =: P, p x p, by the Sherman-Morrison formula.
- ``Dual`` keeps n rows Q with P = I - Q'Q, one for each observation, O(np). It is the same formula
  in factored form: P phi = phi - Q'(Q phi), and the update P - r r' / (lambda + phi' r), r = P phi,
  appends the row r / sqrt(lambda + phi' r). The p x p matrix never exists.

Gradients may come without the zeros of the disjoint model (``gradients.Sparse``), which saves Dual
most of its products with them.

In float32 a squared width is accurate to about 1e-6 |phi|^2 / lambda, so a tiny lambda costs
precision. ``Full`` is Dual up to two rows per parameter and Primal from then on: a round with n
rows costs np, and one with the matrix 2 p^2, to read it for the widths and to write it again.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp

from jostle.core.arrays import Matrix, Vector
from jostle.models.gradients import dense, products, squared_norms

BLOCK, LARGEST = 256, 1024  # rows of Q in its first block, and at most in any
ROWS = 2  # per parameter, from which on the matrix is cheaper


class Diagonal(NamedTuple):
    """The diagonal of Z - lambda I."""

    sums: jax.Array  # (p,)

    @classmethod
    def empty(cls, parameters: int) -> "Diagonal":
        """Nothing observed."""
        return cls(jnp.zeros(parameters))

    def reserve(self, observations: int) -> "Diagonal":
        """Nothing to do: the size does not depend on the number of observations."""
        del observations
        return self

    def add(self, phi: Vector, regularisation: Any) -> "Diagonal":
        """One more observation."""
        del regularisation
        return Diagonal(self.sums + phi**2)

    def squared_widths(self, phis: Matrix, regularisation: Any) -> Vector:
        """phi' diag(Z)^-1 phi for each row."""
        return jnp.matmul(phis**2, 1 / (regularisation + self.sums))


class Primal(NamedTuple):
    """P = lambda Z^-1, whole."""

    matrix: jax.Array  # (p, p)
    total: jax.Array  # sum of |phi_s|^2, which bounds the largest eigenvalue of Z

    def reserve(self, observations: int) -> "Primal":
        """Nothing to do: the size does not depend on the number of observations."""
        del observations
        return self

    def add(self, phi: Any, regularisation: Any) -> "Primal":
        """The Sherman-Morrison update."""
        phi = dense(_alone(phi), len(self.matrix))[0]
        r = self.matrix @ phi
        scale = regularisation + jnp.maximum(phi @ r, 0)
        return Primal(self.matrix - jnp.outer(r, r / scale), self.total + phi @ phi)

    def squared_widths(self, phis: Any, regularisation: Any) -> Vector:
        """phi' P phi / lambda for each row."""
        phis = dense(phis, len(self.matrix))
        inner = jnp.sum((phis @ self.matrix) * phis, axis=1)
        return _above_least(inner / regularisation, phis, self.total, regularisation)


class Dual(NamedTuple):
    """P = I - Q'Q by the rows of Q, of which the first ``seen`` are in use.

    The rows are stored in blocks, each as large as all before it, up to ``LARGEST``. Blocks that
    are not yet in use are skipped, so the work is that of little more than the rows in use, and
    growing copies nothing.
    """

    blocks: tuple[jax.Array, ...]  # each (rows, p)
    seen: jax.Array  # int32
    total: jax.Array

    def reserve(self, observations: int) -> "Dual | Primal":
        """Room for more rows; the primal form once that is cheaper."""
        parameters = self.blocks[0].shape[1]
        if observations > ROWS * parameters:
            rows = jnp.concatenate(self.blocks)
            rows = jnp.where((jnp.arange(len(rows)) < self.seen)[:, None], rows, 0)
            return Primal(jnp.eye(parameters) - rows.T @ rows, self.total)
        blocks = self.blocks
        while (capacity := sum(map(len, blocks))) < observations:
            size = max(BLOCK, min(capacity, LARGEST, observations - capacity))
            blocks = (*blocks, jnp.zeros((size, parameters)))
        return self._replace(blocks=blocks)

    def add(self, phi: Any, regularisation: Any) -> "Dual":
        """Append the row r / sqrt(lambda + phi' r), r = P phi."""
        alone = _alone(phi)
        phi = dense(alone, self.blocks[0].shape[1])[0]
        # Both products with a block at once, while it is still in the cache.
        r = phi - self._sum(lambda block: products(block, alone)[:, 0] @ block)
        row = r / jnp.sqrt(regularisation + jnp.maximum(phi @ r, 0))
        written = tuple(
            _write(block, self.seen - start, row)
            for start, block in zip(self._starts(), self.blocks, strict=True)
        )
        return Dual(written, self.seen + 1, self.total + phi @ phi)

    def squared_widths(self, phis: Any, regularisation: Any) -> Vector:
        """(|phi|^2 - |Q phi|^2) / lambda for each row."""
        inner = squared_norms(phis)
        inner = inner - self._sum(lambda block: jnp.sum(products(block, phis) ** 2, axis=0))
        return _above_least(inner / regularisation, phis, self.total, regularisation)

    def _starts(self) -> list[int]:
        return [sum(map(len, self.blocks[:i])) for i in range(len(self.blocks))]

    def _sum(self, work: Callable[[jax.Array], jax.Array]) -> jax.Array:
        """The sum of ``work`` over the blocks in use."""
        out = jnp.zeros(jax.eval_shape(work, self.blocks[0]).shape)
        for start, block in zip(self._starts(), self.blocks, strict=True):
            used = self.seen > start
            out = jax.lax.cond(used, lambda sum, b: sum + work(b), lambda sum, b: sum, out, block)
        return out


def _write(block: Matrix, index: jax.Array, row: Vector) -> Matrix:
    """The block with one row replaced, or unchanged if it has no such row."""
    place = jnp.clip(index, 0, len(block) - 1)
    old = jax.lax.dynamic_index_in_dim(block, place, keepdims=False)
    new = jnp.where(index == place, row, old)
    written: Matrix = jax.lax.dynamic_update_index_in_dim(block, new, place, 0)
    return written


class Full:
    """All of Z, in whichever form is cheaper."""

    @staticmethod
    def empty(parameters: int) -> Dual:
        """Nothing observed."""
        first = jnp.zeros((min(BLOCK, parameters), parameters))
        return Dual((first,), jnp.int32(0), jnp.float32(0))

    @staticmethod
    def bytes(parameters: int, observations: int) -> int:
        """Memory for its arrays after this many observations."""
        if observations > ROWS * parameters:
            return 4 * parameters**2
        return 4 * parameters * max(observations, min(BLOCK, parameters))


def _alone(phi: Any) -> Any:
    """One gradient as a matrix of one row."""
    return jax.tree.map(lambda part: part[None], phi)


def _above_least(widths: jax.Array, phis: Any, total: jax.Array, lam: Any) -> jax.Array:
    """At least |phi|^2 / (lambda + tr), as in exact arithmetic; rounding could give less than 0."""
    return jnp.maximum(widths, squared_norms(phis) / (lam + total))
