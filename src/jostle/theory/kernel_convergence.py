"""Lemma B.1 of Zhou et al. (2020), which Lemma 4.6 needs: G'G converges to the tangent kernel."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from jostle.ntk.kernel import gradient_kernel
from jostle.theory.array_types import Kernel
from jostle.theory.convergence_with_width import judge_convergence
from jostle.theory.definition_b_1_tangent_kernel import limit_kernel, ntk
from jostle.theory.initial_weights import initial_weights
from jostle.theory.lemma_check import LemmaCheck, Verdict, worst
from jostle.theory.plotting import BLUE, GREY, ORANGE, log_widths
from jostle.theory.problem import Problem

if TYPE_CHECKING:
    from matplotlib.axes import Axes

WIDTHS = (16, 32, 64, 128, 256, 512, 1024)
TOLERANCE = 0.15
"""The relative error at the largest width up to which G'G counts as converged."""
PROMISED_RATE = -1 / 4
"""The exponent of the error, by the lemma's condition that m is of order epsilon^-4."""


def check_kernel_convergence(
    problem: Problem, widths: Sequence[int] = WIDTHS, draws: int = 4, seed: int = 0
) -> LemmaCheck:
    """Measure |G'G - H|_F / |H|_F per width.

    With the gradient of all weights, to its own limit and to the H of Definition B.1, and without
    the blocks that start at zero. The first and the last decide. The second is the statement as
    it is printed, which cannot hold if the first does and the two limits are far apart.
    """
    rng, x = np.random.default_rng(seed), problem.contexts
    wide, definition = limit_kernel(x, problem.depth), ntk(x, problem.depth)
    whole, diagonal, crossed = (np.empty((len(widths), draws)) for _ in range(3))
    for i, width in enumerate(widths):
        for j in range(draws):
            weights = initial_weights(rng, width, problem.depth, problem.features)
            kernel = gradient_kernel(weights, x, x)
            whole[i, j] = _distance(kernel, wide)
            crossed[i, j] = _distance(kernel, definition)
            kernel = gradient_kernel(weights, x, x, diagonal_only=True)
            diagonal[i, j] = _distance(kernel, definition)
    to_wide, to_own = (
        judge_convergence(name, widths, e, tolerance=TOLERANCE, slowest=PROMISED_RATE)
        for name, e in (
            ("error of G'G to H~", whole),
            ("error of G'G without zero blocks to H", diagonal),
        )
    )
    apart = _distance(wide, definition)
    outcome = worst((to_wide.verdict, to_own.verdict))
    refuted = to_wide.verdict is Verdict.HOLDS and apart > TOLERANCE
    printed = Verdict.FAILS if refuted else Verdict.UNCLEAR
    to_definition = crossed.mean(axis=1).tolist()

    def draw(axes: "Axes") -> None:
        axes.loglog(widths, to_wide.means, "o-", color=BLUE, label="all weights, to H~")
        axes.loglog(widths, to_own.means, "s-", color=ORANGE, label="no zero blocks, to H")
        axes.loglog(widths, to_definition, "^:", color=GREY, label="all weights, to H")
        axes.axhline(apart, color=GREY, linewidth=1, linestyle="--", label="from H~ to H")
        axes.set(ylabel="relative error of G'G")
        log_widths(axes, widths)
        axes.legend(frameon=False)

    return LemmaCheck(
        name="kernel",
        title="G'G of a network and the kernel",
        claim="G'G converges to H as m grows (used in Lemma 4.6)",
        found=(
            f"the error scales like m^{to_wide.rate:.2f} ± {to_wide.rate_error:.2f} and is "
            f"{to_wide.means[-1]:.1%} ± {to_wide.standard_errors[-1]:.1%} at m = {widths[-1]}, but "
            f"the limit is H~, which differs from the H of Definition B.1 by {apart:.0%} "
            f"(verdict on the statement as printed: {printed})"
        ),
        outcome=outcome,
        # What is shown must be what decides: the requirement whose verdict is the worst.
        evidence=next(c.evidence for c in (to_wide, to_own) if c.verdict is outcome),
        corrected=True,
        draw=draw,
        numbers={
            "widths": list(widths),
            "draws": draws,
            "verdicts": {"all_weights": to_wide.verdict, "without_zero_blocks": to_own.verdict},
            "standard_errors_all_weights": to_wide.standard_errors,
            "standard_errors_without_zero_blocks": to_own.standard_errors,
            "error_all_weights": to_wide.means,
            "error_without_zero_blocks": to_own.means,
            "error_all_weights_to_definition": to_definition,
            "distance_of_the_limits": apart,
            "exponent_all_weights": to_wide.rate,
            "exponent_without_zero_blocks": to_own.rate,
            "verdict_as_printed": str(printed),
        },
    )


def _distance(kernel: Kernel, limit: Kernel) -> float:
    return float(np.linalg.norm(kernel - limit) / np.linalg.norm(limit))
