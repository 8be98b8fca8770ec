"""Lemma 4.6: the sum of the squared widths of the pulled arms grows slowly."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from jostle.theory.array_types import Kernel, PerRound
from jostle.theory.definition_b_1_tangent_kernel import ntk
from jostle.theory.definition_b_3_effective_dimension import log_det
from jostle.theory.lemma_check import Evidence, LemmaCheck
from jostle.theory.linearised_model import LinearisedModel
from jostle.theory.plotting import BLUE, GREY, ORANGE, log_rounds
from jostle.theory.watched_run import WatchedRun

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def sum_of_widths(run: WatchedRun, late: bool = False) -> PerRound:
    """Return sum_s min(|g(x_s) / sqrt(m)|^2 in the norm of A_s^-1, 1) after each round.

    A_s is that of Eq. (4): all pulls before round s. With ``late``, the norm is that of A_{s-1}^-1
    as the lemma is printed, which does not know of the pull of round s - 1 yet (docs/theory.md).
    """
    model = LinearisedModel(run.problem.kernel, run.problem.lam)
    squares, before = np.empty(len(run.arms)), None
    for t, arm in enumerate(run.arms):
        squares[t] = min(model.matrix[arm, arm], 1.0)
        if late and before is not None:
            # A_{s-1} lacks the latest pull, of ``before``: undo its rank-one update.
            column = model.matrix[arm, before]
            squares[t] += column**2 / (1 - model.matrix[before, before])
            squares[t] = min(squares[t], 1.0)
        model.pull(int(arm))
        before = arm
    return np.cumsum(squares)


def check_sum_of_widths(
    runs: Mapping[str, WatchedRun], bounding: Kernel | None = None
) -> LemmaCheck:
    """Compare the sum with 2 (d log(1 + TK/lambda) + 1), for one run of each policy.

    ``bounding`` is the kernel that d is of; by default the one that the widths are of.
    """
    sums = {name: sum_of_widths(run) for name, run in runs.items()}
    problem = next(iter(runs.values())).problem
    rounds = len(next(iter(sums.values())))
    t = np.unique(np.geomspace(1, rounds, 25).astype(int))
    # d log(1 + TK/lambda) is log det(I + T H / lambda).
    bounding = problem.kernel if bounding is None else bounding
    bound = np.array([2 * (log_det(bounding, n / problem.lam) + 1) for n in t])
    ratio = max(float(np.max(s[t - 1] / bound)) for s in sums.values())
    evidence = Evidence("largest share of the bound, any round", ratio, 0.0, 1.0)
    printed = 2 * (log_det(ntk(problem.contexts, problem.depth), rounds / problem.lam) + 1)
    shares = {name: float(s[-1] / bound[-1]) for name, s in sums.items()}

    def draw(axes: "Axes") -> None:
        axes.plot(t, bound, "--", color=GREY, label="bound")
        for (name, s), colour in zip(sums.items(), (BLUE, ORANGE), strict=False):
            axes.plot(t, s[t - 1], color=colour, linewidth=2, label=name)
        axes.set(ylabel="sum of squared widths", ylim=(0, None))
        log_rounds(axes)
        axes.legend(frameon=False)

    measured = ", ".join(f"{s[-1]:.0f} for {name}" for name, s in sums.items())
    return LemmaCheck(
        name="lemma-4.6",
        title="Lemma 4.6: squared widths add up slowly",
        claim="the sum of squared widths is at most 2 (d log(1 + TK/lambda) + 1)",
        found=f"{measured}; the bound is {bound[-1]:.0f}",
        outcome=evidence.verdict,
        evidence=evidence,
        draw=draw,
        numbers={
            "sum": {name: float(s[-1]) for name, s in sums.items()},
            "sum_as_printed": {
                name: float(sum_of_widths(run, late=True)[-1]) for name, run in runs.items()
            },
            "bound": float(bound[-1]),
            "bound_with_definition_b1": printed,
            "share_of_bound": shares,
        },
    )
