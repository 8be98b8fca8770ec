"""The full covariance of the paper's network by the kernel of its gradients.

The gradient of a layer's weights is the outer product of the layer's inputs a and the errors e that
come back to it, so the inner product of two gradients needs no gradient:

    k(x, x') = phi' phi* = sum_l (a_l . a_l*) (e_l . e_l*)

for which some 400 numbers are kept of an observation in place of all p entries of phi. With K the
kernel of the n observations, k that of a context with each of them, and L L' = lambda I + K,

    width^2 = phi' Z^-1 phi = (k(x, x) - |L^-1 k|^2) / lambda

and the rows of L^-1 are appended one by one: O(n^2) a context in place of ``Dual``'s O(np). The
subtraction loses as many digits as the width is smaller than the gradient, hence the double
precision, in this module alone (``jax.enable_x64``). It is never seen outside: arrays of float64 do
not pass through ``jax.jit`` and ``jnp.asarray`` unharmed where they are not enabled, so each row is
kept as its value in single precision and the remainder, which together have 48 bits. Nor do
products in float64 pass through ``jax.vmap``, which therefore calls the methods one after another.
"""

import functools
import math
from collections.abc import Callable
from typing import Any, NamedTuple, TypeVar

import jax
import jax.numpy as jnp
from jax.custom_batching import sequential_vmap

from jostle.core.arrays import Matrix, Vector
from jostle.models.covariance import ROWS, Primal, block_sizes
from jostle.models.gradients import Factors, dense

CHUNK = 64
"""Rows whose double precision exists at once: few enough for the processor's cache."""

in_double = functools.partial(jax.enable_x64, True)

Total = TypeVar("Total")
Method = TypeVar("Method", bound=Callable[..., Any])


def _one_by_one(method: Method) -> Method:
    """The method, which ``jax.vmap`` calls one after another, and so in double precision."""
    mapped = sequential_vmap(method)

    @functools.wraps(method)
    def call(self: Any, phis: Any, regularisation: Any) -> Any:
        return mapped(self, phis, regularisation)

    return call  # type: ignore[return-value]


class Held(NamedTuple):
    """A block of observations."""

    factors: Factors  # of their gradients
    high: jax.Array  # (size, end of the block), of L^-1
    low: jax.Array  # what L^-1 is more than that


class Gram(NamedTuple):
    """The factors of the gradients observed, and L^-1, in blocks like those of ``Dual``."""

    blocks: tuple[Held, ...]
    seen: jax.Array  # int32

    @classmethod
    def empty(cls, like: Factors) -> "Gram":
        """Nothing observed; gradients will have factors like these."""
        size = _sizes(0, 1, _parameters(like))[0]
        return cls((_unused(like, size, size),), jnp.int32(0))

    def reserve(self, observations: int) -> "Gram | Primal":
        """Room for more observations; the primal form once that is cheaper."""
        first = self.blocks[0].factors
        parameters = _parameters(first)
        if observations > ROWS * parameters:
            return self._primal(parameters)
        blocks, capacity = self.blocks, self.capacity
        for size in _sizes(capacity, observations, parameters):
            capacity += size
            blocks = (*blocks, _unused(first, size, capacity))
        return self._replace(blocks=blocks)

    @_one_by_one
    def add(self, phi: Factors, regularisation: Any) -> "Gram":
        """One more observation."""
        alone = jax.tree.map(lambda part: part[None], phi)
        with in_double():

            def project(total: tuple[Vector, Vector], rows: Matrix, v: Matrix) -> Any:
                left, row = total
                return left - v[0] @ v[0], row.at[: rows.shape[1]].add(v[0] @ rows)

            none = jnp.zeros(self.capacity, jnp.float64)
            left, row = self._over_rows(project, (_norms(alone)[0], none), alone)
            scale = 1 / jnp.sqrt(regularisation + jnp.maximum(left, 0))
            row = jnp.where(jnp.arange(len(row)) == self.seen, scale, -scale * row)
            # A mere conversion there and back might be optimised away.
            rounded = jax.lax.reduce_precision(row, exponent_bits=8, mantissa_bits=23)
            high, low = (part.astype(jnp.float32) for part in (rounded, row - rounded))
        # The factors wait for the row, so that all is read before anything is written.
        factors = jax.tree.map(lambda part: part + 0 * high[0], phi)
        written = tuple(
            self._written(block, start, Held(factors, high, low))
            for start, block in zip(self._starts(), self.blocks, strict=True)
        )
        return Gram(written, self.seen + 1)

    @_one_by_one
    def squared_widths(self, phis: Factors, regularisation: Any) -> Vector:
        """phi' Z^-1 phi for each row."""
        with in_double():

            def explain(left: Vector, rows: Matrix, v: Matrix) -> Vector:
                del rows
                return left - (v * v).sum(1)

            left = self._over_rows(explain, _norms(phis), phis)
            widths: Vector = (jnp.maximum(left, 0) / regularisation).astype(jnp.float32)
        return widths

    @property
    def capacity(self) -> int:
        """How many observations there is room for."""
        return int(self.blocks[-1].high.shape[1])

    def _starts(self) -> list[int]:
        return [block.high.shape[1] - block.high.shape[0] for block in self.blocks]

    def _over_rows(
        self, work: Callable[[Total, Matrix, Matrix], Total], total: Total, phis: Factors
    ) -> Total:
        """``work`` on the total so far, some rows of L^-1 in use, and their part of each L^-1 k."""
        count = len(phis.pairs[0][0])
        kernel = jnp.zeros((count, 0), jnp.float64)
        for start, block in zip(self._starts(), self.blocks, strict=True):
            own = jnp.zeros((count, len(block.high)), jnp.float64)
            kernel = jnp.concatenate([kernel, own], axis=1)

            def step(
                i: jax.Array, before: tuple[Matrix, Total], block: Held = block, start: int = start
            ) -> tuple[Matrix, Total]:
                kernel, total = before
                factors, high, low = jax.tree.map(
                    lambda part: jax.lax.dynamic_slice_in_dim(part, i * CHUNK, CHUNK), block
                )
                kernel = jax.lax.dynamic_update_slice_in_dim(
                    kernel, _kernel(phis, factors), start + i * CHUNK, 1
                )
                rows = high.astype(jnp.float64) + low
                return kernel, work(total, rows, kernel @ rows.T)

            in_use = jnp.clip(self.seen - start, 0, len(block.high))
            chunks = (in_use + CHUNK - 1) // CHUNK
            kernel, total = jax.lax.fori_loop(jnp.int32(0), chunks, step, (kernel, total))
        return total

    def _written(self, block: Held, start: int, new: Held) -> Held:
        """The block with the observation, if it is the block's turn."""
        place = self.seen - start
        inside = jnp.clip(place, 0, len(block.high) - 1)

        def write(rows: Matrix, row: Vector) -> Matrix:
            old = jax.lax.dynamic_index_in_dim(rows, inside, keepdims=False)
            now = jnp.where(inside == place, row[: rows.shape[1]], old)
            written: Matrix = jax.lax.dynamic_update_index_in_dim(rows, now, inside, 0)
            return written

        after: Held = jax.tree.map(write, block, new)
        return after

    def _primal(self, parameters: int) -> Primal:
        """A square root of lambda Z^-1 = I - G'G, with G = L^-1 Phi."""
        with in_double():
            left = jnp.eye(parameters, dtype=jnp.float64)
            rows = [dense(block.factors, parameters).astype(jnp.float64) for block in self.blocks]
            for number, block in enumerate(self.blocks):
                own = block.high.astype(jnp.float64) + block.low
                g = own @ jnp.concatenate(rows[: number + 1])
                left = left - g.T @ g
            return Primal(jnp.linalg.cholesky(left).astype(jnp.float32))


def gram_bytes(parameters: int, widths: int, observations: int) -> int:
    """Memory for so many observations, of whose gradients ``widths`` numbers are kept."""
    total = end = 0
    for size in _sizes(0, observations, parameters):
        end += size
        total += size * 4 * (2 * end + widths)
    return total


def _sizes(capacity: int, observations: int, parameters: int) -> list[int]:
    """The blocks of ``Dual``, of whole chunks."""
    return [-(-size // CHUNK) * CHUNK for size in block_sizes(capacity, observations, parameters)]


def _parameters(like: Factors) -> int:
    return sum(a.shape[-1] * e.shape[-1] for a, e in like.pairs)


def _unused(like: Factors, size: int, end: int) -> Held:
    """A block without observations."""
    factors = jax.tree.map(lambda part: jnp.zeros((size, part.shape[-1])), like)
    return Held(factors, jnp.zeros((size, end)), jnp.zeros((size, end)))


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
