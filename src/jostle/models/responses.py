"""Ridge regressions of many targets on the same contexts, without a history.

All targets share V = lambda I + sum_s phi_s phi_s', and so the gain of an observation,

    g = V^-1 phi / (1 + phi'V^-1 phi)     (V before the observation)
    w <- w + g (target - phi'w)            for each target

in O(p^2) for all of them together. A response w = V^-1 sum_s target_s phi_s that starts at w_0
instead of 0 becomes w + lambda V^-1 w_0: this is what remains of w_0 where little was observed.
Of V only a square root S of V^-1 = S S' is kept, as in ``jostle.models.ridge``.

In the disjoint model each block has its own V and responses.
"""

from typing import Any, NamedTuple

import jax
import jax.numpy as jnp


class Growth(NamedTuple):
    """Factors by which forgetting multiplies what is known of a block."""

    weights: Any  # (targets,)
    root: Any
    count: Any


class OneBlock(NamedTuple):
    """The responses of a single block, or of all contexts if there are no blocks."""

    weights: Any  # (targets, p)
    root: Any  # (p, p), S
    count: Any  # observations, as far as they are not forgotten

    def grown(self, by: Growth) -> "OneBlock":
        """Multiplied by factors."""
        return OneBlock(
            self.weights * by.weights[:, None], self.root * by.root, self.count * by.count
        )

    def observe(
        self, phi: Any, targets: Any, growth: Growth | None = None
    ) -> tuple["OneBlock", Any]:
        """Learn one observation of every target, after ``growth``; also returns its leverage."""
        # The root is read three times. Growth joins in, instead of being a fourth.
        factor = 1.0 if growth is None else growth.root
        f = factor * (phi @ self.root)
        variance = f @ f
        direction = factor * (self.root @ f)
        gain = direction / (1 + variance)
        shrinkage = 1 / (1 + variance + jnp.sqrt(1 + variance))
        forecasts, before = self.weights @ phi, self
        if growth is not None:
            forecasts, before = forecasts * growth.weights, self.grown(growth)
        after = OneBlock(
            before.weights + (targets - forecasts)[:, None] * gain,
            before.root - jnp.outer(direction, f * shrinkage),
            before.count + 1,
        )
        return after, variance / (1 + variance)


class Responses(NamedTuple):
    """The responses of each block to each target."""

    weights: Any  # (blocks, targets, p)
    root: Any  # (blocks, p, p), S; None in a copy for decisions
    count: Any  # (blocks,), observations, as far as they are not forgotten

    @classmethod
    def empty(cls, initial: Any, regularisation: Any) -> "Responses":
        """Nothing observed; ``initial`` is (blocks, targets, p)."""
        blocks, _, size = initial.shape
        root = jnp.eye(size) / jnp.sqrt(regularisation)
        return cls(initial, jnp.broadcast_to(root, (blocks, size, size)), jnp.zeros(blocks))

    def observe(self, block: Any, phi: Any, targets: Any) -> tuple["Responses", Any]:
        """Learn one observation of every target; also returns its leverage phi'g."""
        # Both tables are read before either is written, so that the compiler updates them in place.
        own = OneBlock(*jax.lax.optimization_barrier(tuple(part[block] for part in self)))
        after, leverage = own.observe(phi, targets)
        responses = Responses(
            *(
                jax.lax.dynamic_update_index_in_dim(table, new, block, 0)
                for table, new in zip(self, after, strict=True)
            )
        )
        return responses, leverage

    def estimates(self, phi: Any, block: Any, mean: Any) -> Any:
        """phi'(w_r - m w_1) of each context: the fit to rewards less their mean m.

        The first two targets must be the reward and a constant 1.
        """
        if block is None:
            own = self.weights[0, :2]
            return phi @ (own[0] - mean * own[1])
        own = self.weights[block, :2]
        return (phi * (own[:, 0] - mean * own[:, 1])).sum(-1)

    def deciding(self) -> "Responses":
        """The part that decisions read."""
        return self._replace(root=None)
