"""Covariance of a network's gradients, which gives the uncertainty of its estimates.

With phi = g(x; theta) / sqrt(m) the papers of NeuralUCB and NeuralTS use

    Z = lambda I + sum_s phi_s phi_s'            and            width^2 = phi' Z^-1 phi.

Three representations have one interface (``empty``, ``add``, ``squared_widths``):

- ``Diagonal`` keeps only the diagonal of Z: O(p), an approximation without guarantees.
- ``Primal`` keeps S, p x p, with Z^-1 = S S' / lambda. By Potter's form of the rank-one update,
  S <- S - u f' with f = S' phi and u = S f / (a + sqrt(lambda a)), a = lambda + |f|^2.
- ``Dual`` keeps the rows f and u of all n observations, O(np), so that S = I - U'F. It is the same
  formula, and the p x p matrix never exists.

Gradients may come without the zeros of the disjoint model (``gradients.Sparse``), which saves Dual
many of its products with them.

S is kept instead of Z^-1 because its condition number is the square root of that of Z: float32 is
then enough for gradients that nearly repeat, as those of a fixed pool of arms do. ``Full`` is Dual
up to two rows per parameter and Primal from then on, which is then cheaper.
"""

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp

from jostle.core.arrays import Matrix, Vector
from jostle.models.gradients import dense, products, squared_norms

BLOCK, LARGEST = 256, 1024  # observations in the first block of Dual, and at most in any
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
    """S, whole."""

    root: jax.Array  # (p, p)

    def reserve(self, observations: int) -> "Primal":
        """Nothing to do: the size does not depend on the number of observations."""
        del observations
        return self

    def add(self, phi: Any, regularisation: Any) -> "Primal":
        """One more observation."""
        f = (dense(_alone(phi), len(self.root)) @ self.root)[0]
        return Primal(self.root - jnp.outer(_gain(self.root @ f, f, regularisation), f))

    def squared_widths(self, phis: Any, regularisation: Any) -> Vector:
        """|S' phi|^2 / lambda for each row."""
        squares: Vector = squared_norms(dense(phis, len(self.root)) @ self.root) / regularisation
        return squares


class Rows(NamedTuple):
    """A block of rows of Dual, or one pair of rows."""

    f: jax.Array  # (rows, p)
    u: jax.Array  # (rows, p)

    @classmethod
    def empty(cls, rows: int, parameters: int) -> "Rows":
        """Rows that are not in use yet."""
        return cls(jnp.zeros((rows, parameters)), jnp.zeros((rows, parameters)))


class Dual(NamedTuple):
    """S = I - U'F by the rows of F and U, of which the first ``seen`` are in use.

    The rows are stored in blocks, each as large as all before it, up to ``LARGEST``. Blocks that
    are not yet in use are skipped, so the work is that of little more than the rows in use, and
    growing copies nothing.
    """

    blocks: tuple[Rows, ...]
    seen: jax.Array  # int32

    def reserve(self, observations: int) -> "Dual | Primal":
        """Room for more rows; the primal form once that is cheaper."""
        parameters = self.blocks[0].f.shape[1]
        if observations > ROWS * parameters:
            f = jnp.concatenate([block.f for block in self.blocks])
            u = jnp.concatenate([block.u for block in self.blocks])
            used = (jnp.arange(len(f)) < self.seen)[:, None]
            return Primal(jnp.eye(parameters) - jnp.where(used, u, 0).T @ f)
        capacity = sum(len(block.f) for block in self.blocks)
        sizes = block_sizes(capacity, observations, parameters)
        return self._replace(
            blocks=(*self.blocks, *(Rows.empty(size, parameters) for size in sizes))
        )

    def add(self, phi: Any, regularisation: Any) -> "Dual":
        """Append the rows of one more observation."""
        alone = _alone(phi)
        phi = dense(alone, self.blocks[0].f.shape[1])[0]
        # Both products with a block at once, while it is still in the cache.
        f = phi - self._sum(lambda block: products(block.u, alone)[:, 0] @ block.f)
        direction = f - self._sum(lambda block: (block.f @ f) @ block.u)
        gain = _gain(direction, f, regularisation)
        # The row of F waits for that of U, so that all is read before anything is written:
        # otherwise the compiler copies every block in every round.
        row = Rows(f + 0 * gain, gain)
        written = tuple(
            jax.tree.map(partial(_write, self.seen - start), block, row)
            for start, block in zip(self._starts(), self.blocks, strict=True)
        )
        return Dual(written, self.seen + 1)

    def squared_widths(self, phis: Any, regularisation: Any) -> Vector:
        """|S' phi|^2 / lambda for each row."""
        shrunk = self._sum(lambda block: products(block.u, phis).T @ block.f)
        squares: Vector = squared_norms(dense(phis, shrunk.shape[1]) - shrunk) / regularisation
        return squares

    def _starts(self) -> list[int]:
        return [sum(len(block.f) for block in self.blocks[:i]) for i in range(len(self.blocks))]

    def _sum(self, work: Callable[[Rows], jax.Array]) -> jax.Array:
        """The sum of ``work`` over the blocks in use."""
        out = jnp.zeros(jax.eval_shape(work, self.blocks[0]).shape)
        for start, block in zip(self._starts(), self.blocks, strict=True):
            used = self.seen > start
            out = jax.lax.cond(used, lambda sum, b: sum + work(b), lambda sum, b: sum, out, block)
        return out


def block_sizes(capacity: int, observations: int, parameters: int) -> list[int]:
    """The blocks to add to ``capacity`` observations: each as large as all before it, in bounds."""
    sizes: list[int] = []
    while (held := capacity + sum(sizes)) < observations:
        most = max(BLOCK, min(held, LARGEST, observations - held))
        sizes.append(most if held else min(BLOCK, parameters))
    return sizes


def _gain(direction: Vector, f: Vector, regularisation: Any) -> Vector:
    """u of Potter's update, from S f and f."""
    a = regularisation + f @ f
    gain: Vector = direction / (a + jnp.sqrt(regularisation * a))
    return gain


def _write(index: jax.Array, block: Matrix, row: Vector) -> Matrix:
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
        return Dual((Rows.empty(min(BLOCK, parameters), parameters),), jnp.int32(0))

    @staticmethod
    def bytes(parameters: int, observations: int) -> int:
        """Memory for its arrays after this many observations."""
        if observations > ROWS * parameters:
            return 4 * parameters**2
        return 2 * 4 * parameters * max(observations, min(BLOCK, parameters))


def _alone(phi: Any) -> Any:
    """One gradient as a matrix of one row."""
    return jax.tree.map(lambda part: part[None], phi)
