"""What makes the baselines affordable."""

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from jostle.benchmarks.measure import Row, in_turns
from jostle.models.covariance import ROWS, Dual, Full
from jostle.models.ridge import Ridge

PARAMETERS, ARMS = 7360, 20  # the paper's network: 50 features, 64 wide, 3 deep


def dual_against_primal(observations: int, turns: int = 4) -> Row:
    """A round of full covariance (20 widths, one update): n gradient rows against p x p.

    Rounds follow each other in a compiled loop, as in a simulation: each finds in the cache what
    the last one left there.
    """
    rounds = 8
    phis = jax.random.normal(jax.random.key(0), (ARMS, PARAMETERS)) / np.sqrt(PARAMETERS)
    dual = Full.empty(PARAMETERS).reserve(observations)
    primal = Full.empty(PARAMETERS).reserve(ROWS * PARAMETERS + 1)
    dual = dual._replace(seen=jnp.int32(observations - 1))  # type: ignore[call-arg]

    @jax.jit(donate_argnums=0)
    def play(covariance: Any) -> Any:
        def body(_: jax.Array, covariance: Any) -> Any:
            best = jnp.argmax(covariance.squared_widths(phis, 0.1))
            after = covariance.add(phis[best], 0.1)
            # The dual form stays at this many observations.
            return after._replace(seen=covariance.seen) if isinstance(after, Dual) else after

        return jax.lax.fori_loop(0, rounds, body, covariance)

    box: dict[str, Any] = {"dual": dual, "primal": primal}

    def play_on(form: str) -> Any:
        box[form] = play(box[form])
        return box[form].total

    fast, slow = in_turns(lambda: play_on("dual"), lambda: play_on("primal"), turns)
    return Row(
        f"full covariance, p={PARAMETERS:,}, n={observations:,}: p x p form against dual",
        f"{1e3 * fast / rounds:.1f} ms",
        f"{1e3 * slow / rounds:.1f} ms",
        slow / fast,
        10.0 if observations == 1024 else 1.0,
        at_least=True,
    )


def linucb_against_numpy(turns: int = 12) -> Row:
    """A round of LinUCB in a compiled loop against the same algebra in bare NumPy."""
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

    def bare() -> None:
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
    fast, slow = in_turns(lambda: ours(ridge), bare, turns)
    return Row(
        f"LinUCB, {ARMS} arms of {features} features: compiled round against bare NumPy",
        f"{1e6 * fast / rounds:.1f} us",
        f"{1e6 * slow / rounds:.1f} us",
        fast / slow,
        3.0,
    )
