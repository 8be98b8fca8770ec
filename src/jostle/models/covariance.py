"""How uncertain an estimate is, from the gradients of the network at what was observed.

With phi = g(x; theta) / sqrt(m) the papers of NeuralUCB and NeuralTS keep

    Z = lambda I + sum_s phi_s phi_s'            and ask for   width^2 = phi' Z^-1 phi.

Three forms of it, behind one interface (``empty``, ``add``, ``squared_widths``):

- ``Diagonal`` keeps the diagonal of Z only: O(p), an approximation without guarantee.
- ``Primal`` keeps all of lambda Z^-1 =: P, p x p, by Sherman and Morrison's formula.
- ``Dual`` keeps n rows Q with P = I - Q'Q, one for each observation, O(np). It is the same formula
  in factored form: P phi = phi - Q'(Q phi), and the update P - r r' / (lambda + phi' r), r = P phi,
  appends the row r / sqrt(lambda + phi' r). The p x p matrix never exists.

Gradients may come without the zeros of the disjoint model (``gradients.Sparse``), which spares Dual
most of its products with them.

In float32 a squared width is good to about 1e-6 |phi|^2 / lambda, so a tiny lambda costs precision.
``Full`` is Dual up to two rows a parameter and Primal from then on: a round of n rows costs np, one
of the matrix p^2 twice over, to read it for the widths and to write it again.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp

from jostle.models.gradients import dense, products, squared_norms

BLOCK, LARGEST = 256, 1024  # rows of Q in its first block, and at most in any
ROWS = 2  # a parameter, from which on the matrix is the better form


class Diagonal(NamedTuple):
    """The diagonal of Z - lambda I."""

    sums: jax.Array  # (p,)

    @classmethod
    def empty(cls, parameters: int) -> "Diagonal":
        """Nothing observed."""
        return cls(jnp.zeros(parameters))

    def reserve(self, observations: int) -> "Diagonal":
        """Nothing to do: the size does not depend on what is observed."""
        del observations
        return self

    def add(self, phi: jax.Array, regularisation: Any) -> "Diagonal":
        """One more observation."""
        del regularisation
        return Diagonal(self.sums + phi**2)

    def squared_widths(self, phis: jax.Array, regularisation: Any) -> jax.Array:
        """phi' diag(Z)^-1 phi for each row."""
        return phis**2 @ (1 / (regularisation + self.sums))


class Primal(NamedTuple):
    """P = lambda Z^-1, whole."""

    matrix: jax.Array  # (p, p)
    total: jax.Array  # sum of |phi_s|^2, which bounds the largest eigenvalue of Z

    def reserve(self, observations: int) -> "Primal":
        """Nothing to do: the size does not depend on what is observed."""
        del observations
        return self

    def add(self, phi: Any, regularisation: Any) -> "Primal":
        """Sherman and Morrison's update."""
        phi = dense(_alone(phi), len(self.matrix))[0]
        r = self.matrix @ phi
        scale = regularisation + jnp.maximum(phi @ r, 0)
        return Primal(self.matrix - jnp.outer(r, r / scale), self.total + phi @ phi)

    def squared_widths(self, phis: Any, regularisation: Any) -> jax.Array:
        """phi' P phi / lambda for each row."""
        phis = dense(phis, len(self.matrix))
        inner = jnp.sum((phis @ self.matrix) * phis, axis=1)
        return _above_least(inner / regularisation, phis, self.total, regularisation)


class Dual(NamedTuple):
    """P = I - Q'Q by the rows of Q, of which the first ``seen`` are in use.

    The rows lie in blocks, each as large as all before it up to ``LARGEST``. One that is not yet in
    use is passed over: the work is that of little more than the rows there are, and growing copies
    nothing.
    """

    blocks: tuple[jax.Array, ...]  # each (rows, p)
    seen: jax.Array  # int32
    total: jax.Array

    def reserve(self, observations: int) -> "Dual | Primal":
        """Room for more rows; the primal form once that is the cheaper one."""
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

    def squared_widths(self, phis: Any, regularisation: Any) -> jax.Array:
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


def _write(block: jax.Array, index: jax.Array, row: jax.Array) -> jax.Array:
    """The block with one row replaced, or as it was if it has no such row."""
    place = jnp.clip(index, 0, len(block) - 1)
    old = jax.lax.dynamic_index_in_dim(block, place, keepdims=False)
    return jax.lax.dynamic_update_index_in_dim(block, jnp.where(index == place, row, old), place, 0)


class Full:
    """The whole of Z, in whichever form is cheaper."""

    @staticmethod
    def empty(parameters: int) -> Dual:
        """Nothing observed."""
        first = jnp.zeros((min(BLOCK, parameters), parameters))
        return Dual((first,), jnp.int32(0), jnp.float32(0))

    @staticmethod
    def bytes(parameters: int, observations: int) -> int:
        """What its arrays take."""
        if observations > ROWS * parameters:
            return 4 * parameters**2
        return 4 * parameters * max(observations, min(BLOCK, parameters))


def _alone(phi: Any) -> Any:
    """One gradient as the only row of many."""
    return jax.tree.map(lambda part: part[None], phi)


def _above_least(widths: jax.Array, phis: Any, total: jax.Array, lam: Any) -> jax.Array:
    """Rounding can take a tiny width below zero; no width is below |phi|^2 / (lambda + tr)."""
    return jnp.maximum(widths, squared_norms(phis) / (lam + total))
