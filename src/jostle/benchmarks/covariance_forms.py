"""The two forms of a full covariance over network gradients: p x p, and dual."""

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from jostle.benchmarks.comparison import Row, in_turns, on_one_core
from jostle.models.covariance import ROWS, Dual, Full

ARMS = 20
PARAMETERS = 7360
"""p of the paper's network: 50 features, width 64, depth 3."""


def covariance_forms(quick: bool = False) -> list[Row]:
    """Full covariance of NeuralUCB and NeuralTS: dual form against the p x p form."""
    if quick:
        return [dual_against_primal(256, turns=1)]
    on_one = [on_one_core(dual_against_primal, n) for n in (256, 1024, 4096)]
    return [*on_one, dual_against_primal(1024)]


def dual_against_primal(observations: int, turns: int = 4) -> Row:
    """A round (20 widths and one update) after n observations: n gradients against p x p.

    Rounds run in a compiled loop, as in a simulation, so that each finds the processor's cache as
    the previous one left it.
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
            # Keep the number of observations, and with it the cost, constant.
            return after._replace(seen=covariance.seen) if isinstance(after, Dual) else after

        return jax.lax.fori_loop(0, rounds, body, covariance)

    box: dict[str, Any] = {"dual": dual, "primal": primal}

    def play_on(form: str) -> Any:
        box[form] = play(box[form])
        return jax.tree.leaves(box[form])[0]

    fast, slow = in_turns(lambda: play_on("dual"), lambda: play_on("primal"), turns)
    return Row(
        f"full covariance, p={PARAMETERS:,}, n={observations:,}: p x p form against dual",
        f"{1e3 * fast / rounds:.1f} ms",
        f"{1e3 * slow / rounds:.1f} ms",
        slow / fast,
        10.0 if observations == 1024 else 1.0,
        at_least=True,
    )
