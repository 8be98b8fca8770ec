"""Lemma 4.1: expected rewards are linear in the gradients, with parameters of norm at most S."""

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from jostle.ntk.kernel import gradient_kernel
from jostle.theory.array_types import Kernel, PerArm
from jostle.theory.convergence_with_width import judge_convergence
from jostle.theory.initial_weights import initial_weights
from jostle.theory.lemma_check import LemmaCheck, Verdict
from jostle.theory.plotting import BLUE, GREY, ORANGE, log_widths
from jostle.theory.problem import Problem
from jostle.theory.theorem_4_7_regret_bound import norm_bound

if TYPE_CHECKING:
    from matplotlib.axes import Axes

WIDTHS = (4, 8, 16, 32, 64, 128, 256)
EXACT = 1e-6
"""A relative residual below which the fit counts as exact."""
PROMISED_RATE = -1 / 4
"""The exponent with which G'G approaches the kernel, by the lemma's condition on m."""


def fit_within_norm(kernel: Kernel, rewards: PerArm, longest: float) -> tuple[float, float]:
    """Find the best linear fit <g_i, theta> of ``rewards`` with |theta| <= ``longest``.

    The fit is theta = G (kernel + mu I)^-1 h with the least mu >= 0 that satisfies the constraint.

    Returns:
        The relative residual |h - fit| / |h|, and |theta|.
    """
    values, vectors = np.linalg.eigh(kernel)
    values = np.where(values > 1e-12 * values[-1], values, 0)
    parts = vectors.T @ rewards

    def at(mu: float) -> tuple[float, float]:
        inverse = np.divide(1, values + mu, where=values + mu > 0, out=np.zeros_like(values))
        residual = np.linalg.norm((1 - values * inverse) * parts)
        return float(residual / np.linalg.norm(rewards)), float(
            np.sqrt(values @ (inverse * parts) ** 2)
        )

    residual, length = at(0.0)
    if length <= longest:
        return residual, length
    low, high = 1e-18 * values[-1], 1e6 * values[-1]
    for _ in range(200):  # bisection on log mu
        middle = np.sqrt(low * high)
        low, high = (middle, high) if at(middle)[1] > longest else (low, middle)
    return at(high)


def check_linear_rewards(
    problem: Problem, widths: Sequence[int] = WIDTHS, draws: int = 5, seed: int = 0
) -> LemmaCheck:
    """Measure, per width, the residual of the best fit within S and the norm of the exact fit.

    The lemma is about wide enough networks, so a residual that falls with the width cannot refute
    it; one that stops falling can.
    """
    rng = np.random.default_rng(seed)
    limit = problem.bound
    residuals = np.empty((len(widths), draws))
    needed: list[float] = []
    for i, width in enumerate(widths):
        lengths = []
        for j in range(draws):
            weights = initial_weights(rng, width, problem.depth, problem.features)
            kernel = gradient_kernel(weights, problem.contexts, problem.contexts)
            residuals[i, j] = fit_within_norm(kernel, problem.rewards, limit)[0]
            residual, length = fit_within_norm(kernel, problem.rewards, np.inf)
            lengths.append(length if residual < EXACT else np.inf)
        needed.append(max(lengths))
    within = residuals.max(axis=1).tolist()
    judged = judge_convergence(
        "residual within S", widths, residuals, tolerance=EXACT, slowest=PROMISED_RATE
    )
    # An exact fit needs no rate: it may be exact at every width.
    exact = judged.evidence.verdict is Verdict.HOLDS
    exact_from = next((w for i, w in enumerate(widths) if max(within[i:]) < EXACT), None)
    infinite = norm_bound(problem.kernel, problem.rewards) / np.sqrt(2)
    x = np.asarray(widths, float)

    def draw(axes: "Axes") -> None:
        share = [n / limit if np.isfinite(n) else np.nan for n in needed]
        axes.plot(x, within, "o-", color=BLUE, label="residual of the best fit within S")
        axes.plot(x, share, "s--", color=ORANGE, label="length of the exact fit / S")
        axes.axhline(1, color=GREY, linestyle=":")
        axes.set(ylabel="relative to |h|, to S", ylim=(0, 2.2))
        log_widths(axes, widths)
        axes.legend(frameon=False)

    at_64 = within[list(widths).index(64)] if 64 in widths else within[-1]
    return LemmaCheck(
        name="lemma-4.1",
        title="Lemma 4.1: h is linear in the gradients",
        claim="for wide networks h(x_i) = <g(x_i), theta*> exactly, with |theta*| <= S / sqrt(m)",
        found=(
            f"exact within S = {limit:.2f} from m = {exact_from} on (worst of {draws} draws); "
            f"|theta*| sqrt(m) is {needed[-1]:.2f} at m = {widths[-1]} and {infinite:.2f} at "
            "infinite width"
            if exact_from is not None
            else f"not exact within S = {limit:.2f} up to m = {widths[-1]}, where the best fit has "
            f"a relative error of {within[-1]:.1%}"
        ),
        outcome=Verdict.HOLDS if exact else judged.verdict,
        evidence=replace(judged.evidence, form=".1e"),
        draw=draw,
        numbers={
            "widths": list(widths),
            "residual_within_bound": within,
            "length_of_exact_fit": [n if np.isfinite(n) else None for n in needed],
            "bound": limit,
            "exact_from": exact_from,
            "residual_at_64": at_64,
        },
    )
