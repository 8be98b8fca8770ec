"""Lemma 4.6: the squared widths of the pulled arms add up to little."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from jostle.theory.dimension import log_det
from jostle.theory.finding import BLUE, GREY, ORANGE, Finding, log_rounds
from jostle.theory.linearised import Linearised
from jostle.theory.tangent import ntk
from jostle.theory.watched_run import Journey


def summed_widths(journey: Journey) -> np.ndarray:
    """sum_s min(|g(x_s) / sqrt(m)|^2 in A_s^-1, 1) after each round."""
    model = Linearised(journey.problem.kernel, journey.problem.lam)
    squares = np.empty(len(journey.arms))
    for t, arm in enumerate(journey.arms):
        squares[t] = min(model.matrix[arm, arm], 1.0)
        model.pull(int(arm))
    return np.cumsum(squares)


def widths(journeys: Mapping[str, Journey]) -> Finding:
    """The sum against 2 (d log(1 + TK/lambda) + 1), for one run of each policy."""
    sums = {name: summed_widths(j) for name, j in journeys.items()}
    problem = next(iter(journeys.values())).problem
    rounds = len(next(iter(sums.values())))
    t = np.unique(np.geomspace(1, rounds, 25).astype(int))
    # d log(1 + TK/lambda) is log det(I + T H / lambda).
    bound = [2 * (log_det(problem.kernel, n / problem.lam) + 1) for n in t]
    printed = 2 * (log_det(ntk(problem.contexts, problem.depth), rounds / problem.lam) + 1)
    shares = {name: float(s[-1] / bound[-1]) for name, s in sums.items()}

    def draw(axes: Any) -> None:
        axes.plot(t, bound, "--", color=GREY, label="bound")
        for (name, s), colour in zip(sums.items(), (BLUE, ORANGE), strict=False):
            axes.plot(t, s[t - 1], color=colour, linewidth=2, label=name)
        axes.set(ylabel="sum of squared widths", ylim=(0, None))
        log_rounds(axes)
        axes.legend(frameon=False)

    told = ", ".join(f"{s[-1]:.0f} for {name}" for name, s in sums.items())
    return Finding(
        name="lemma-4.6",
        title="Lemma 4.6: squared widths add up slowly",
        claim="their sum is at most 2 (d log(1 + TK/lambda) + 1)",
        found=f"{told}, against {bound[-1]:.0f}",
        holds=all(np.all(s[t - 1] <= bound) for s in sums.values()),
        draw=draw,
        numbers={
            "sum": {name: float(s[-1]) for name, s in sums.items()},
            "bound": bound[-1],
            "bound_with_definition_b1": printed,
            "share_of_bound": shares,
        },
    )
