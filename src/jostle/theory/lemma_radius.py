"""Lemma 4.2: with probability 1 - delta no estimate ever leaves its confidence radius."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from jostle.theory.finding import BLUE, GREY, ORANGE, Finding, log_rounds
from jostle.theory.linearised import Linearised
from jostle.theory.watched_run import Journey


def used_radius(journey: Journey) -> np.ndarray:
    """max_i |<g_i, A_t^-1 b> - h_i| / (alpha_t width_i) before each round: E_t1 is that <= 1."""
    problem = journey.problem
    model, sums = Linearised(problem.kernel, problem.lam), np.zeros(problem.arms)
    used = np.empty(len(journey.arms))
    for t, (arm, reward) in enumerate(zip(journey.arms, journey.rewards, strict=True)):
        errors = np.abs(model.estimates(sums) - problem.rewards)
        used[t] = np.max(errors / model.widths) / problem.radius(model.log_det)
        model.pull(int(arm))
        sums[arm] += reward
    return used


def radius(journeys: Mapping[str, Sequence[Journey]]) -> Finding:
    """How often E_t1 held, and how much of the radius was needed, for runs by policy."""
    used = {name: np.stack([used_radius(j) for j in runs]) for name, runs in journeys.items()}
    delta = next(iter(journeys.values()))[0].problem.delta
    rounds = {name: float(np.mean(u <= 1)) for name, u in used.items()}
    runs = {name: float(np.mean((u <= 1).all(axis=1))) for name, u in used.items()}
    worst = {name: float(u.max()) for name, u in used.items()}
    late = {name: float(np.median(u[:, -1])) for name, u in used.items()}

    def draw(axes: Any) -> None:
        for (name, u), colour in zip(used.items(), (BLUE, ORANGE), strict=False):
            t = np.arange(1, u.shape[1] + 1)
            axes.plot(t, u.max(axis=0), color=colour, linewidth=1.5, label=name)
        axes.axhline(1, color=GREY, linestyle="--")
        axes.set(ylabel="error / radius, worst arm", ylim=(0, 1.1))
        log_rounds(axes)
        axes.legend(frameon=False)

    most = max(worst.values())
    return Finding(
        name="lemma-4.2",
        title="Lemma 4.2: estimates stay within alpha_t",
        claim=f"E_t1 holds in all rounds of a run with probability {1 - delta:.0%}",
        found=(
            f"in {min(rounds.values()):.1%} of the rounds and {min(runs.values()):.0%} of the runs "
            f"of {' and of '.join(journeys)}; never more than {most:.0%} of the radius was needed"
        ),
        holds=min(runs.values()) >= 1 - delta,
        draw=draw,
        numbers={
            "rounds_within": rounds,
            "runs_within": runs,
            "largest_share_of_radius": worst,
            "share_at_end": late,
        },
    )
