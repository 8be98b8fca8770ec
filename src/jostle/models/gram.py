"""The full covariance of the paper's network by the kernel of its gradients.

The gradient of a layer's weights is the outer product of the layer's inputs a and the errors e that
come back to it, so the inner product of two gradients needs no gradient:

    k(x, x') = phi' phi* = sum_l (a_l . a_l*) (e_l . e_l*)

for which some 400 numbers are kept of an observation in place of all p entries of phi. With K the
kernel of the n observations, k that of a context with each of them, and L L' = lambda I + K,

    width^2 = phi' Z^-1 phi = (k(x, x) - |L^-1 k|^2) / lambda

and the rows of L^-1 are appended one by one: O(n^2) a context in place of ``Dual``'s O(np). The
subtraction loses as many digits as the width is smaller than the gradient, hence the double
precision, in this module alone (``jax.enable_x64``).
"""

import math
from functools import partial
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp

from jostle.core.arrays import Matrix, Vector
from jostle.models.covariance import ROWS, Primal, block_sizes
from jostle.models.gradients import Factors, dense

in_double = partial(jax.enable_x64, True)


class Held(NamedTuple):
    """A block of observations."""

    factors: Factors  # of their gradients, in single precision
    rows: jax.Array  # (size, end of the block) float64, of L^-1


class Gram(NamedTuple):
    """The factors of the gradients observed, and L^-1, in blocks like those of ``Dual``."""

    blocks: tuple[Held, ...]
    seen: jax.Array  # int32

    @classmethod
    def empty(cls, like: Factors) -> "Gram":
        """Nothing observed; gradients will have factors like these."""
        parameters = sum(a.shape[-1] * e.shape[-1] for a, e in like.pairs)
        size = block_sizes(0, 1, parameters)[0]
        return cls((_unused(like, size, size),), jnp.int32(0))

    def reserve(self, observations: int) -> "Gram | Primal":
        """Room for more observations; the primal form once that is cheaper."""
        first = self.blocks[0].factors
        parameters = sum(a.shape[-1] * e.shape[-1] for a, e in first.pairs)
        if observations > ROWS * parameters:
            return self._primal(parameters)
        blocks, capacity = self.blocks, self.capacity
        for size in block_sizes(capacity, observations, parameters):
            capacity += size
            blocks = (*blocks, _unused(first, size, capacity))
        return self._replace(blocks=blocks)

    def add(self, phi: Factors, regularisation: Any) -> "Gram":
        """One more observation."""
        alone = jax.tree.map(lambda part: part[None], phi)
        with in_double():
            solved = [v[:, 0] for v in self._solved(alone)]
            left = _norms(alone)[0] - sum(v @ v for v in solved)
            scale = 1 / jnp.sqrt(regularisation + jnp.maximum(left, 0))
            row = jnp.zeros(self.capacity, jnp.float64)
            for start, block, v in zip(self._starts(), self.blocks, solved, strict=True):
                end = block.rows.shape[1]

                def passed(row: jax.Array, block: Held = block, v: Any = v, end: int = end) -> Any:
                    return row.at[:end].add(v @ block.rows)

                row = jax.lax.cond(self.seen > start, passed, lambda row: row, row)
            row = jnp.where(jnp.arange(len(row)) == self.seen, scale, -scale * row)
            # The factors wait for the row, so that all is read before anything is written.
            ready = (0 * row[0]).astype(jnp.float32)
        factors = jax.tree.map(lambda part: part + ready, phi)
        written = tuple(
            self._written(block, start, factors, row)
            for start, block in zip(self._starts(), self.blocks, strict=True)
        )
        return Gram(written, self.seen + 1)

    def squared_widths(self, phis: Factors, regularisation: Any) -> Vector:
        """phi' Z^-1 phi for each row."""
        with in_double():
            left = _norms(phis) - sum((v * v).sum(0) for v in self._solved(phis))
            widths: Vector = (jnp.maximum(left, 0) / regularisation).astype(jnp.float32)
        return widths

    @property
    def capacity(self) -> int:
        """How many observations there is room for."""
        return int(self.blocks[-1].rows.shape[1])

    def _starts(self) -> list[int]:
        return [block.rows.shape[1] - block.rows.shape[0] for block in self.blocks]

    def _solved(self, phis: Factors) -> list[Matrix]:
        """L^-1 k for each of ``phis``, block by block; zero where there are no observations yet."""
        kernels: list[Matrix] = []
        solved: list[Matrix] = []
        count = len(phis.pairs[0][0])
        for start, block in zip(self._starts(), self.blocks, strict=True):
            none = jnp.zeros((len(block.rows), count), jnp.float64)

            def work(before: list[Matrix], block: Held = block) -> tuple[Matrix, Matrix]:
                own = _kernel(block.factors, phis)
                return own, block.rows @ jnp.concatenate([*before, own])

            own, v = jax.lax.cond(
                self.seen > start, work, lambda before, none=none: (none, none), kernels
            )
            kernels.append(own)
            solved.append(v)
        return solved

    def _written(self, block: Held, start: int, factors: Factors, row: Vector) -> Held:
        """The block with the observation, if it is the block's turn."""
        place = self.seen - start
        inside = jnp.clip(place, 0, len(block.rows) - 1)
        turn = inside == place

        def write(rows: Matrix, new: Vector) -> Matrix:
            old = jax.lax.dynamic_index_in_dim(rows, inside, keepdims=False)
            now = jnp.where(turn, new[: rows.shape[1]], old)
            written: Matrix = jax.lax.dynamic_update_index_in_dim(rows, now, inside, 0)
            return written

        with in_double():
            return Held(jax.tree.map(write, block.factors, factors), write(block.rows, row))

    def _primal(self, parameters: int) -> Primal:
        """A square root of lambda Z^-1 = I - G'G, with G = L^-1 Phi."""
        with in_double():
            left = jnp.eye(parameters, dtype=jnp.float64)
            rows = [dense(block.factors, parameters).astype(jnp.float64) for block in self.blocks]
            for number, block in enumerate(self.blocks):
                g = block.rows @ jnp.concatenate(rows[: number + 1])
                left = left - g.T @ g
            return Primal(jnp.linalg.cholesky(left).astype(jnp.float32))


def gram_bytes(parameters: int, widths: int, observations: int) -> int:
    """Memory for so many observations, of whose gradients ``widths`` numbers are kept."""
    total = end = 0
    for size in block_sizes(0, observations, parameters):
        end += size
        total += size * (8 * end + 4 * widths)
    return total


def _unused(like: Factors, size: int, end: int) -> Held:
    """A block without observations."""
    factors = jax.tree.map(lambda part: jnp.zeros((size, part.shape[-1])), like)
    with in_double():
        return Held(factors, jnp.zeros((size, end), jnp.float64))


def _kernel(left: Factors, right: Factors) -> Matrix:
    """phi' phi* of all pairs."""
    kernel: Matrix = jnp.float64(0)
    for (a, e), (b, f) in zip(left.pairs, right.pairs, strict=True):
        a, e, b, f = (part.astype(jnp.float64) for part in (a, e, b, f))
        kernel = kernel + (a @ b.T) * (e @ f.T)
    return kernel


def _norms(phis: Factors) -> Vector:
    """|phi|^2 of each row."""
    squares: Vector = jnp.float64(0)
    for a, e in phis.pairs:
        squares = squares + math.prod((part.astype(jnp.float64) ** 2).sum(1) for part in (a, e))
    return squares
