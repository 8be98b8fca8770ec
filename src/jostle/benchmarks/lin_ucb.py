"""The cost of a round of LinUCB."""

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from jostle.benchmarks.comparison import Row, in_turns
from jostle.models.ridge import Ridge

ARMS = 20


def lin_ucb_against_numpy(quick: bool = False) -> Row:
    """A compiled round of LinUCB against the same algebra in NumPy."""
    features, rounds = 50, 500
    contexts = np.random.default_rng(0).normal(size=(ARMS, features)).astype(np.float32)

    @jax.jit
    def ours(ridge: Ridge) -> Any:
        def body(_: jax.Array, carry: Any) -> Any:
            ridge, last = carry
            moved = jnp.asarray(contexts) + last * 1e-9
            scores = ridge.estimates(moved) + 0.3 * ridge.widths(moved)
            best = jnp.argmax(scores)
            return ridge.observe(moved[best], scores[best]), best

        return jax.lax.fori_loop(0, rounds, body, (ridge, jnp.int32(0)))

    def in_numpy() -> None:
        inverse, moments = np.eye(features, dtype=np.float32), np.zeros(features, np.float32)
        for _ in range(rounds):
            theta = inverse @ moments
            widths = np.sqrt(np.einsum("ij,ij->i", contexts @ inverse, contexts))
            scores = contexts @ theta + 0.3 * widths
            x = contexts[scores.argmax()]
            direction = inverse @ x
            inverse -= np.outer(direction, direction) / (1 + x @ direction)
            moments += scores.max() * x

    ridge = Ridge.empty(features, 1.0)
    fast, slow = in_turns(lambda: ours(ridge), in_numpy, 2 if quick else 12)
    return Row(
        f"LinUCB, {ARMS} arms of {features} features: compiled round against NumPy",
        f"{1e6 * fast / rounds:.1f} us",
        f"{1e6 * slow / rounds:.1f} us",
        fast / slow,
        3.0,
    )
