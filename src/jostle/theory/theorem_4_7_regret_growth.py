"""Theorem 4.7: how the measured regret of NPR grows, as the exponent a of the power law t^a."""

from typing import TYPE_CHECKING

import numpy as np

from jostle.theory.array_types import Regrets
from jostle.theory.lemma_check import Evidence, LemmaCheck
from jostle.theory.plotting import BLUE, GREY
from jostle.theory.power_law import regret_exponent

if TYPE_CHECKING:
    from matplotlib.axes import Axes

EARLY = 0.05
"""The share of the rounds after the sweep that the fit leaves out."""


SUBLINEAR = 0.95
"""The largest exponent that counts as sublinear: a straight line has 1."""


def check_regret_growth(regrets: Regrets, swept: int) -> LemmaCheck:
    """Measure whether regret grows more slowly than t, and than the theorem's sqrt(t).

    The first ``swept`` rounds, in which every arm is pulled once, are left out: as an offset they
    would make any curve look flat.
    """
    runs = regrets[:, swept:] - regrets[:, swept - 1 : swept]
    rounds = runs.shape[1]
    first = max(2, int(EARLY * rounds))
    exponent = regret_exponent(regrets, swept=swept, after=EARLY)
    t = np.arange(1, rounds + 1)
    several = len(runs) > 1
    interval = "one run, so no interval"
    if several:
        interval = f"95% interval {exponent.low:.2f} to {exponent.high:.2f}, {len(runs)} runs"
    evidence = Evidence(
        "exponent of the regret", exponent.mean, exponent.standard_error, SUBLINEAR, form=".2f"
    )
    # No contradiction: the theorem's upper bound is far larger than this regret.
    steeper = ": sublinear, but steeper than sqrt(t) in these rounds" if exponent.low > 0.5 else ""

    def draw(axes: "Axes") -> None:
        later = slice(max(1, first // 5), None)
        axes.loglog(t[later], runs.T[later], color=BLUE, alpha=0.35, linewidth=1)
        mean = runs.mean(axis=0)
        axes.loglog(t[later], mean[later], color=BLUE, linewidth=2)
        line = t[first - 1 :]
        for power, name in ((1.0, "t"), (0.5, "sqrt(t)")):
            curve = mean[first - 1] * (line / first) ** power
            axes.loglog(line, curve, "--", color=GREY, linewidth=1)
            axes.text(line[-1], curve[-1], f" {name}", color=GREY, va="center")
        axes.set(xlabel="rounds after the sweep", ylabel="regret of NPR since then")

    return LemmaCheck(
        name="shape",
        title="Theorem 4.7: the shape of NPR's regret",
        claim="regret is sublinear in T: of order sqrt(T), up to logarithms",
        found=(
            f"after the sweep of {swept} rounds regret grows like t^{exponent.mean:.2f} "
            f"({interval}, fitted from t = {first:,} to {rounds:,}){steeper}"
        ),
        outcome=evidence.verdict,
        evidence=evidence,
        draw=draw,
        numbers={
            "exponent": exponent.mean,
            "low": exponent.low if several else None,
            "high": exponent.high if several else None,
            "runs": len(runs),
            "swept": swept,
            "first_round": first,
        },
    )
