"""Lemma B.1 of Zhou et al. (2020), which Lemma 4.6 needs: G'G converges to the tangent kernel."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from jostle.core.power_law import power_law_exponent
from jostle.ntk.kernel import gradient_kernel
from jostle.theory.array_types import Kernel
from jostle.theory.definition_b_1_tangent_kernel import limit_kernel, ntk
from jostle.theory.initial_weights import initial_weights
from jostle.theory.lemma_check import LemmaCheck
from jostle.theory.plotting import BLUE, GREY, ORANGE, log_widths
from jostle.theory.problem import Problem

if TYPE_CHECKING:
    from matplotlib.axes import Axes

WIDTHS = (16, 32, 64, 128, 256, 512, 1024)


def check_kernel_convergence(
    problem: Problem, widths: Sequence[int] = WIDTHS, draws: int = 4, seed: int = 0
) -> LemmaCheck:
    """Measure |G'G - H|_F / |H|_F per width.

    Once with the gradient of all weights, and once without the blocks that start at zero.
    """
    rng, x = np.random.default_rng(seed), problem.contexts
    wide, definition = limit_kernel(x, problem.depth), ntk(x, problem.depth)
    all_weights: list[float] = []  # root mean square over the draws
    without_zero_blocks: list[float] = []
    to_definition: list[float] = []  # all weights, against the H of Definition B.1
    for width in widths:
        whole, diagonal, crossed = [], [], []
        for _ in range(draws):
            weights = initial_weights(rng, width, problem.depth, problem.features)
            kernel = gradient_kernel(weights, x, x)
            whole.append(_distance(kernel, wide))
            crossed.append(_distance(kernel, definition))
            kernel = gradient_kernel(weights, x, x, diagonal_only=True)
            diagonal.append(_distance(kernel, definition))
        all_weights.append(float(np.sqrt(np.mean(np.square(whole)))))
        without_zero_blocks.append(float(np.sqrt(np.mean(np.square(diagonal)))))
        to_definition.append(float(np.mean(crossed)))
    m = np.asarray(widths, float)
    apart = _distance(wide, definition)
    rate = power_law_exponent(m, np.asarray(all_weights))
    diagonal_rate = power_law_exponent(m, np.asarray(without_zero_blocks))

    def draw(axes: "Axes") -> None:
        axes.loglog(m, all_weights, "o-", color=BLUE, label="all weights, to H~")
        axes.loglog(m, without_zero_blocks, "s-", color=ORANGE, label="no zero blocks, to H")
        axes.loglog(m, to_definition, "^:", color=GREY, label="all weights, to H")
        axes.axhline(apart, color=GREY, linewidth=1, linestyle="--", label="from H~ to H")
        axes.set(ylabel="relative error of G'G")
        log_widths(axes, widths)
        axes.legend(frameon=False)

    return LemmaCheck(
        name="kernel",
        title="G'G of a network and the kernel",
        claim="G'G converges to H as m grows (used in Lemma 4.6)",
        found=(
            f"the error scales like m^{rate:.2f} and is {all_weights[-1]:.1%} at m = {widths[-1]}, "
            f"but the limit is H~, which differs from the H of Definition B.1 by {apart:.0%}"
        ),
        holds=rate < -0.3 and diagonal_rate < -0.3,
        corrected=True,
        draw=draw,
        numbers={
            "widths": list(widths),
            "error_all_weights": all_weights,
            "error_without_zero_blocks": without_zero_blocks,
            "error_all_weights_to_definition": to_definition,
            "distance_of_the_limits": apart,
            "exponent_all_weights": rate,
            "exponent_without_zero_blocks": diagonal_rate,
        },
    )


def _distance(kernel: Kernel, limit: Kernel) -> float:
    return float(np.linalg.norm(kernel - limit) / np.linalg.norm(limit))
