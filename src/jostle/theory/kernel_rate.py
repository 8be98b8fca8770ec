"""Lemma B.1 of Zhou et al. 2020, which Lemma 4.6 rests on: G'G comes near the kernel."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from jostle.ntk.kernel import gradient_kernel
from jostle.theory.finding import BLUE, GREY, ORANGE, Finding, log_widths
from jostle.theory.initial import initial_weights, slope
from jostle.theory.problem import Problem
from jostle.theory.tangent import limit_kernel, ntk

WIDTHS = (16, 32, 64, 128, 256, 512, 1024)


def kernel_rate(
    problem: Problem, widths: Sequence[int] = WIDTHS, draws: int = 4, seed: int = 0
) -> Finding:
    """|G'G - H|_F / |H|_F against the width, with all weights and without the zero blocks."""
    rng = np.random.default_rng(seed)
    limits = {False: limit_kernel(problem.contexts, problem.depth)}
    limits[True] = ntk(problem.contexts, problem.depth)
    errors: dict[bool, list[float]] = {False: [], True: []}
    crossed = []  # all weights, against the H of Definition B.1
    for width in widths:
        squares: dict[bool, list[float]] = {False: [], True: []}
        strays: list[float] = []
        for _ in range(draws):
            weights = initial_weights(rng, width, problem.depth, problem.contexts.shape[1])
            for only, limit in limits.items():
                kernel = gradient_kernel(
                    weights, problem.contexts, problem.contexts, diagonal_only=only
                )
                squares[only].append(_distance(kernel, limit) ** 2)
                if not only:
                    strays.append(_distance(kernel, limits[True]))
        for only in errors:
            errors[only].append(float(np.sqrt(np.mean(squares[only]))))
        crossed.append(float(np.mean(strays)))
    x = np.asarray(widths, float)
    apart = _distance(limits[False], limits[True])
    rates = {only: slope(x, np.asarray(errors[only])) for only in errors}

    def draw(axes: Any) -> None:
        axes.loglog(x, errors[False], "o-", color=BLUE, label="all weights, to H~")
        axes.loglog(x, errors[True], "s-", color=ORANGE, label="no zero blocks, to H")
        axes.loglog(x, crossed, "^:", color=GREY, label="all weights, to H")
        axes.axhline(apart, color=GREY, linewidth=1, linestyle="--", label="from H~ to H")
        axes.set(ylabel="relative error of G'G")
        log_widths(axes, widths)
        axes.legend(frameon=False)

    return Finding(
        name="kernel",
        title="G'G of a network and the kernel",
        claim="G'G comes as near to H as one likes as m grows (used in Lemma 4.6)",
        found=(
            f"the error falls like m^{rates[False]:.2f}, to {errors[False][-1]:.1%} at m = "
            f"{widths[-1]}; but to H~, not to the H of Definition B.1, which is {apart:.0%} away "
            "from it"
        ),
        holds=rates[False] < -0.3 and rates[True] < -0.3,
        mended=True,
        draw=draw,
        numbers={
            "widths": list(widths),
            "error_all_weights": errors[False],
            "error_without_zero_blocks": errors[True],
            "error_all_weights_to_definition": crossed,
            "distance_of_the_limits": apart,
            "exponent_all_weights": rates[False],
            "exponent_without_zero_blocks": rates[True],
        },
    )


def _distance(kernel: np.ndarray, limit: np.ndarray) -> float:
    return float(np.linalg.norm(kernel - limit) / np.linalg.norm(limit))
