"""How uncertain an estimate is, from the gradients of the network at what was observed.

With phi = g(x; theta) / sqrt(m) the papers of NeuralUCB and NeuralTS keep

    Z = lambda I + sum_s phi_s phi_s'            and ask for   width^2 = phi' Z^-1 phi.

Three forms of it, behind one interface (``empty``, ``add``, ``squared_widths``):

- ``Diagonal`` keeps the diagonal of Z only: O(p), an approximation without guarantee.
- ``Primal`` keeps all of lambda Z^-1 =: P, p x p, by Sherman and Morrison's formula.
- ``Dual`` keeps n rows Q with P = I - Q'Q, one for each observation, O(np). It is the same formula
  in factored form: P phi = phi - Q'(Q phi), and the update P - r r' / (lambda + phi' r), r = P phi,
  appends the row r / sqrt(lambda + phi' r). The p x p matrix never exists.

In float32 a squared width is good to about 1e-6 |phi|^2 / lambda, so a tiny lambda costs precision.
``Full`` is Dual while there are fewer rows than parameters and Primal from then on.
"""

from typing import Any, NamedTuple

import jax
import jax.numpy as jnp

BLOCK = 256  # rows of Q that one step of a loop handles: only those in use are read


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

    def add(self, phi: jax.Array, regularisation: Any) -> "Primal":
        """Sherman and Morrison's update."""
        r = self.matrix @ phi
        scale = regularisation + jnp.maximum(phi @ r, 0)
        return Primal(self.matrix - jnp.outer(r, r / scale), self.total + phi @ phi)

    def squared_widths(self, phis: jax.Array, regularisation: Any) -> jax.Array:
        """phi' P phi / lambda for each row."""
        inner = jnp.sum((phis @ self.matrix) * phis, axis=1)
        return _above_least(inner / regularisation, phis, self.total, regularisation)


class Dual(NamedTuple):
    """P = I - Q'Q by the rows of Q, of which the first ``seen`` are in use."""

    rows: jax.Array  # (capacity, p), capacity a multiple of BLOCK
    seen: jax.Array  # int32
    total: jax.Array

    def reserve(self, observations: int) -> "Dual | Primal":
        """Room for more rows; the primal form once that is the smaller one."""
        capacity, parameters = self.rows.shape
        wanted = BLOCK * -(-max(observations, 1) // BLOCK)
        if wanted > parameters:
            used = (jnp.arange(capacity) < self.seen)[:, None]
            rows = jnp.where(used, self.rows, 0)
            return Primal(jnp.eye(parameters) - rows.T @ rows, self.total)
        extra = max(0, wanted - capacity)
        return self._replace(rows=jnp.pad(self.rows, ((0, extra), (0, 0))))

    def add(self, phi: jax.Array, regularisation: Any) -> "Dual":
        """Append the row r / sqrt(lambda + phi' r), r = P phi."""
        products = self._products(phi[:, None])[:, 0]
        r = phi - self._combination(products)
        scale = jnp.sqrt(regularisation + jnp.maximum(phi @ r, 0))
        rows = self.rows.at[self.seen].set(r / scale)
        return Dual(rows, self.seen + 1, self.total + phi @ phi)

    def squared_widths(self, phis: jax.Array, regularisation: Any) -> jax.Array:
        """(|phi|^2 - |Q phi|^2) / lambda for each row."""
        inner = jnp.sum(phis**2, axis=1) - jnp.sum(self._products(phis.T) ** 2, axis=0)
        return _above_least(inner / regularisation, phis, self.total, regularisation)

    def _blocks(self) -> jax.Array:
        return (self.seen + BLOCK - 1) // BLOCK

    def _block(self, i: jax.Array) -> jax.Array:
        return jax.lax.dynamic_slice_in_dim(self.rows, i * BLOCK, BLOCK)

    def _products(self, columns: jax.Array) -> jax.Array:
        """Q @ columns, reading only the rows in use (the rest are zero)."""

        def step(i: jax.Array, out: jax.Array) -> jax.Array:
            return jax.lax.dynamic_update_slice_in_dim(out, self._block(i) @ columns, i * BLOCK, 0)

        out = jnp.zeros((self.rows.shape[0], columns.shape[1]))
        return jax.lax.fori_loop(0, self._blocks(), step, out)

    def _combination(self, weights: jax.Array) -> jax.Array:
        """Q' weights, reading only the rows in use."""

        def step(i: jax.Array, out: jax.Array) -> jax.Array:
            part = jax.lax.dynamic_slice_in_dim(weights, i * BLOCK, BLOCK)
            return out + part @ self._block(i)

        return jax.lax.fori_loop(0, self._blocks(), step, jnp.zeros(self.rows.shape[1]))


class Full:
    """The whole of Z, in whichever form is smaller."""

    @staticmethod
    def empty(parameters: int) -> Dual:
        """Nothing observed, and no room yet."""
        return Dual(jnp.zeros((0, parameters)), jnp.int32(0), jnp.float32(0))

    @staticmethod
    def bytes(parameters: int, observations: int) -> int:
        """What the larger array takes."""
        return 4 * parameters * min(parameters, BLOCK * -(-max(observations, 1) // BLOCK))


def _above_least(widths: jax.Array, phis: jax.Array, total: jax.Array, lam: Any) -> jax.Array:
    """Rounding can take a tiny width below zero; no width is below |phi|^2 / (lambda + tr)."""
    return jnp.maximum(widths, jnp.sum(phis**2, axis=1) / (lam + total))
