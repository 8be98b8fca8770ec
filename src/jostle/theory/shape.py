"""The shape of NPR's regret: the exponent a of the power law t^a, with an interval."""

from typing import Any, NamedTuple

import numpy as np

from jostle.theory.finding import BLUE, GREY, Finding
from jostle.theory.initial import slope


class Exponent(NamedTuple):
    """Mean over the runs of the exponent fitted to each, and its 95% interval."""

    mean: float
    low: float
    high: float


def exponent(regrets: np.ndarray, first: int = 50) -> Exponent:
    """Fit log regret = a log t + c to each run, (runs, rounds), from round ``first`` on.

    The interval is Student's over the runs, which are independent, and not over the rounds of a
    run, which are not.
    """
    from scipy.special import stdtrit

    runs, rounds = regrets.shape
    t = np.unique(np.geomspace(first, rounds, 60).astype(int))
    positive = np.maximum(regrets[:, t - 1], 1e-9)  # a run without regret has no logarithm
    each = np.array([slope(t.astype(float), run) for run in positive])
    half = np.inf
    if runs > 1:
        half = float(stdtrit(runs - 1, 0.975) * each.std(ddof=1) / np.sqrt(runs))
    return Exponent(float(each.mean()), float(each.mean() - half), float(each.mean() + half))


def shape(regrets: np.ndarray, swept: int) -> Finding:
    """Whether the regret grows slower than the rounds, and than the theorem's square root.

    ``regrets`` is (runs, rounds). Only what comes after the first ``swept`` rounds is counted, in
    which every arm is pulled once: as an offset they would make any curve look flat.
    """
    runs = regrets[:, swept:] - regrets[:, swept - 1 : swept]
    rounds = runs.shape[1]
    first = max(2, rounds // 20)
    found = exponent(runs, first)
    t = np.arange(1, rounds + 1)
    several = len(runs) > 1
    interval = "one run, so no interval"
    if several:
        interval = f"95% interval {found.low:.2f} to {found.high:.2f}, {len(runs)} runs"
    # No contradiction: the theorem bounds the regret, and by far more than this.
    faster = ": sublinear, but steeper than sqrt(t) in these rounds" if found.low > 0.5 else ""

    def draw(axes: Any) -> None:
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

    return Finding(
        name="shape",
        title="Theorem 4.7: the shape of NPR's regret",
        claim="the regret is sublinear in T: like sqrt(T) at most, up to logarithms",
        found=(
            f"after the sweep of {swept} rounds, like t^{found.mean:.2f} ({interval}, fitted from "
            f"t = {first:,} to {rounds:,}){faster}"
        ),
        holds=(found.high if several else found.mean) < 1,
        draw=draw,
        numbers={
            "exponent": found.mean,
            "low": found.low if several else None,
            "high": found.high if several else None,
            "runs": len(runs),
            "swept": swept,
            "first_round": first,
        },
    )
