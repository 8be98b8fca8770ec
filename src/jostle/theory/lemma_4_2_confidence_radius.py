"""Lemma 4.2: with probability 1 - delta no estimate ever leaves its confidence radius."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from jostle.theory.array_types import PerRound
from jostle.theory.lemma_check import Evidence, LemmaCheck, Verdict, worst
from jostle.theory.linearised_model import LinearisedModel
from jostle.theory.plotting import BLUE, GREY, ORANGE, log_rounds
from jostle.theory.watched_run import WatchedRun

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def radius_used(run: WatchedRun) -> PerRound:
    """Return max_i |<g_i, A_t^-1 b> - h_i| / (alpha_t width_i) before each round.

    Event E_t1 is that this is at most 1.
    """
    problem = run.problem
    model, sums = LinearisedModel(problem.kernel, problem.lam), np.zeros(problem.arms)
    used = np.empty(len(run.arms))
    for t, (arm, reward) in enumerate(zip(run.arms, run.rewards, strict=True)):
        errors = np.abs(model.estimates(sums) - problem.rewards)
        used[t] = np.max(errors / model.widths) / problem.radius(model.log_det)
        model.pull(int(arm))
        sums[arm] += reward
    return used


def _judge_runs(name: str, largest: np.ndarray, delta: float) -> tuple[Verdict, Evidence]:
    """Whether the largest share of the radius stays below 1 in all but ``delta`` of the runs.

    It does if the limit below which the next run falls with probability 1 - delta (a prediction
    interval of normal shares) is at most 1. It does not if more runs left the radius than chance
    explains, at the level of 1%.
    """
    from scipy.special import bdtrc, stdtrit

    n, outside = len(largest), int(np.sum(largest > 1))
    error = float(largest.std(ddof=1) / np.sqrt(n)) if n > 1 else float("inf")
    quantity = f"largest error of an estimate in a run of {name}, in radii"
    evidence = Evidence(quantity, float(largest.mean()), error, 1.0)
    if outside and bdtrc(outside - 1, n, delta) < 0.01:
        return Verdict.FAILS, evidence
    if n > 1:
        spread = largest.std(ddof=1) * np.sqrt(1 + 1 / n)
        if not outside and largest.mean() + stdtrit(n - 1, 1 - delta) * spread <= 1:
            return Verdict.HOLDS, evidence
    return Verdict.UNCLEAR, evidence


def check_confidence_radius(runs: Mapping[str, Sequence[WatchedRun]]) -> LemmaCheck:
    """Measure how often E_t1 holds, and the largest share of the radius that is used.

    ``runs`` are grouped by the name of the policy that played them. Few runs cannot show by
    counting that 95% of all runs stay within the radius, but their margins can: see
    ``_judge_runs``. The policy for which the verdict is worst decides.
    """
    used = {name: np.stack([radius_used(run) for run in played]) for name, played in runs.items()}
    delta = next(iter(runs.values()))[0].problem.delta
    rounds_within = {name: float(np.mean(u <= 1)) for name, u in used.items()}
    runs_within = {name: float(np.mean((u <= 1).all(axis=1))) for name, u in used.items()}
    largest = {name: float(u.max()) for name, u in used.items()}
    at_end = {name: float(np.median(u[:, -1])) for name, u in used.items()}
    judged = {name: _judge_runs(name, u.max(axis=1), delta) for name, u in used.items()}
    outcome = worst(verdict for verdict, _ in judged.values())
    evidence = next(evidence for verdict, evidence in judged.values() if verdict is outcome)

    def draw(axes: "Axes") -> None:
        for (name, u), colour in zip(used.items(), (BLUE, ORANGE), strict=False):
            t = np.arange(1, u.shape[1] + 1)
            axes.plot(t, u.max(axis=0), color=colour, linewidth=1.5, label=name)
        axes.axhline(1, color=GREY, linestyle="--")
        axes.set(ylabel="error / radius, worst arm", ylim=(0, 1.1))
        log_rounds(axes)
        axes.legend(frameon=False)

    return LemmaCheck(
        name="lemma-4.2",
        title="Lemma 4.2: estimates stay within alpha_t",
        claim=f"E_t1 holds in all rounds of a run with probability {1 - delta:.0%}",
        found=(
            f"it held in {min(rounds_within.values()):.1%} of the rounds and "
            f"{min(runs_within.values()):.0%} of the runs of {' and of '.join(runs)}; the largest "
            f"error was {max(largest.values()):.0%} of the radius"
        ),
        outcome=outcome,
        evidence=evidence,
        draw=draw,
        numbers={
            "rounds_within": rounds_within,
            "runs_within": runs_within,
            "largest_share_of_radius": largest,
            "share_at_end": at_end,
        },
    )
