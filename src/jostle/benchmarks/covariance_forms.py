"""The forms of a full covariance over network gradients: p x p, dual, and by their kernel."""

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from jostle.benchmarks.comparison import Row, in_turns, on_one_core
from jostle.models.covariance import ROWS, Dual, Full
from jostle.models.gradients import Factors, dense
from jostle.models.gram import Gram

ARMS = 20
PARAMETERS = 7360
"""p of a network of 50 features, width 64, depth 3."""
LAYERS = ((100, 64), (64, 64), (64, 1))
"""Inputs and outputs of each layer of the paper's network, which takes every feature twice."""


def covariance_forms(quick: bool = False) -> list[Row]:
    """Full covariance of NeuralUCB and NeuralTS: dual against p x p, and against the kernel."""
    if quick:
        return [dual_against_primal(256, turns=1), kernel_against_dual(256, turns=1)]
    on_one = [on_one_core(dual_against_primal, n) for n in (256, 1024, 4096)]
    by_kernel = [on_one_core(kernel_against_dual, n) for n in (256, 1024, 4096)]
    return [*on_one, dual_against_primal(1024), *by_kernel]


def dual_against_primal(observations: int, turns: int = 4) -> Row:
    """A round (20 widths and one update) after n observations: n gradients against p x p."""
    phis = jax.random.normal(jax.random.key(0), (ARMS, PARAMETERS)) / np.sqrt(PARAMETERS)
    dual = Full.empty(PARAMETERS).reserve(observations)
    primal = Full.empty(PARAMETERS).reserve(ROWS * PARAMETERS + 1)
    fast, slow = _seconds_a_round((dual, phis), (primal, phis), observations, turns)
    return Row(
        f"full covariance, p={PARAMETERS:,}, n={observations:,}: p x p form against dual",
        f"{1e3 * fast:.1f} ms",
        f"{1e3 * slow:.1f} ms",
        slow / fast,
        10.0 if observations == 1024 else 1.0,
        at_least=True,
    )


def kernel_against_dual(observations: int, turns: int = 4) -> Row:
    """The same round for the paper's network: the dual form against the kernel of gradients."""
    draw = np.random.default_rng(0).normal
    phis = Factors(
        tuple(
            (jnp.float32(draw(size=(ARMS, a))), jnp.float32(draw(size=(ARMS, e)) / np.sqrt(a * e)))
            for a, e in LAYERS
        )
    )
    parameters = sum(a * e for a, e in LAYERS)
    dual = Full.empty(parameters).reserve(observations)
    kernel = Gram.empty(phis).reserve(observations)
    fast, slow = _seconds_a_round(
        (kernel, phis), (dual, dense(phis, parameters)), observations, turns
    )
    return Row(
        f"full covariance, p={parameters:,}, n={observations:,}: dual form against kernel",
        f"{1e3 * fast:.1f} ms",
        f"{1e3 * slow:.1f} ms",
        slow / fast,
        2.0 if observations == 1024 else 1.0,
        at_least=True,
    )


def _seconds_a_round(
    fast: tuple[Any, Any], slow: tuple[Any, Any], observations: int, turns: int
) -> tuple[float, float]:
    """The time of a round in two forms, each a covariance and the gradients of all arms.

    Rounds run in a compiled loop, as in a simulation, so that each finds the processor's cache as
    the previous one left it.
    """
    rounds = 8

    @jax.jit(donate_argnums=0)
    def play(covariance: Any, phis: Any) -> Any:
        def body(_: jax.Array, covariance: Any) -> Any:
            best = jnp.argmax(covariance.squared_widths(phis, 0.1))
            after = covariance.add(jax.tree.map(lambda part: part[best], phis), 0.1)
            # Keep the number of observations, and with it the cost, constant.
            kept = isinstance(after, Dual | Gram)
            return after._replace(seen=covariance.seen) if kept else after

        return jax.lax.fori_loop(0, rounds, body, covariance)

    def used(covariance: Any) -> Any:
        kept = isinstance(covariance, Dual | Gram)
        return covariance._replace(seen=jnp.int32(observations - 1)) if kept else covariance

    held = [used(fast[0]), used(slow[0])]

    def play_on(form: int, phis: Any) -> Any:
        held[form] = play(held[form], phis)
        return jax.tree.leaves(held[form])[0]

    first, second = in_turns(lambda: play_on(0, fast[1]), lambda: play_on(1, slow[1]), turns)
    return first / rounds, second / rounds
