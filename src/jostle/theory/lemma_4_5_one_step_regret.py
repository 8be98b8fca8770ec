"""Lemma 4.5: the regret of one round, and the set Omega_t of sufficiently sampled arms.

With gap_i = h(x_a*) - h(x_i) and the widths w_i = |g_i / sqrt(m)| in the norm of A_t^-1,

    Omega_t = {i : 2 epsilon(m) + (alpha_t + beta_t) w_i <= gap_i}.

The lemma says of the arm a_t that is pulled, all probabilities given the past and with E_t1:

    E[gap of a_t] <= P(not E_t2) + 4 epsilon(m)
                     + (alpha_t + beta_t) (1 + 2 / P(a_t not in Omega_t)) E[w of a_t],
    P(a_t not in Omega_t) >= P(E_t3) - P(not E_t2).

Both are tested round by round on the linearised algorithm, for which epsilon(m) = 0, with all K
arms on offer, as in the paper. Its proof uses of alpha_t and beta_t only that E_t1 and E_t2 hold.
So the lemma can also be tested with the least alpha_t for which E_t1 holds: with the alpha_t of
Lemma 4.2, Omega_t is empty for longer than anybody would play.
"""

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from jostle.ntk.confidence import concentration
from jostle.theory.array_types import ArmIds, Draws, PerRound
from jostle.theory.lemma_check import Evidence, LemmaCheck, Verdict, worst
from jostle.theory.linearised_model import LinearisedModel
from jostle.theory.plotting import BLUE, GREY, ORANGE, log_rounds
from jostle.theory.watched_run import WatchedRun

if TYPE_CHECKING:
    from matplotlib.axes import Axes

DRAWS = 200
"""Perturbations of the history in each round."""


class OneStepRegret(NamedTuple):
    """Both sides of Lemma 4.5 in each round after the sweep in which E_t1 holds."""

    rounds: ArmIds
    """The rounds t that are tested."""
    regret: PerRound
    """E[gap of a_t], over the perturbations."""
    regret_error: PerRound
    """Its standard error."""
    bound: PerRound
    """The right-hand side; infinite if no draw pulls an undersampled arm."""
    sampled: PerRound
    """The number of arms in Omega_t."""
    undersampled: PerRound
    """P(a_t not in Omega_t)."""
    promised: PerRound
    """P(E_t3) - P(not E_t2), its lower bound."""
    contradictions: PerRound
    """The share of draws with E_t2 and E_t3 that pull an arm of Omega_t: none, by the proof."""
    left_out: int
    """Rounds after the sweep in which E_t1 does not hold, about which the lemma says nothing."""


def one_step_regret(
    run: WatchedRun,
    *,
    draws: int = DRAWS,
    scale: float | None = None,
    least_radius: bool = False,
    seed: int = 0,
) -> OneStepRegret:
    """Perturb the history of every round after the sweep, and compute both sides of the lemma.

    Arguments:
        run: the run whose histories are used; it need not be one of the linearised algorithm.
        draws: perturbations per round.
        scale: sigma; by default that of Lemma 4.4.
        least_radius: use the least alpha_t for which E_t1 holds, instead of that of Lemma 4.2.
        seed: determines the perturbations.
    """
    rng, problem = np.random.default_rng(seed), run.problem
    gaps = problem.rewards.max() - problem.rewards
    best = int(np.argmin(gaps))
    counts, sums = run.tallies(run.swept)
    model = LinearisedModel.after(problem.kernel, problem.lam, counts)
    rows, left_out = [], 0
    for t in range(run.swept, len(run.arms)):
        centre, widths = model.estimates(sums), model.widths
        needed = float(np.max(np.abs(centre - problem.rewards) / widths))
        alpha = needed if least_radius else problem.radius(model.log_det)
        sigma = problem.scale(model.log_det) if scale is None else scale
        if needed <= alpha:
            beta = float(concentration(sigma, t=t + 1, arms=problem.arms))
            moved = sigma * model.responses(rng.normal(size=(draws, problem.arms)))
            pulled = _pulled(centre + moved)
            near = np.all(np.abs(moved) <= beta * widths, axis=1)
            optimistic = centre[best] + moved[:, best] >= problem.rewards[best]
            omega = (alpha + beta) * widths <= gaps
            under = float(np.mean(~omega[pulled]))
            factor = 1 + 2 / under if under else np.inf
            lost = gaps[pulled]
            rows.append(
                (
                    t + 1,
                    lost.mean(),
                    lost.std(ddof=1) / np.sqrt(draws),
                    np.mean(~near) + (alpha + beta) * factor * widths[pulled].mean(),
                    omega.sum(),
                    under,
                    optimistic.mean() - np.mean(~near),
                    np.mean(near & optimistic & omega[pulled]),
                )
            )
        else:
            left_out += 1
        arm = int(run.arms[t])
        model.pull(arm)
        sums[arm] += run.rewards[t]
    rounds, regret, error, bound, sampled, undersampled, promised, contradictions = (
        np.array(rows, float).reshape(-1, 8).T
    )
    return OneStepRegret(
        rounds.astype(int),
        regret,
        error,
        bound,
        sampled,
        undersampled,
        promised,
        contradictions,
        left_out,
    )


def _pulled(estimates: Draws) -> ArmIds:
    """The arm that is pulled, per draw: the one with the highest perturbed estimate."""
    arms: ArmIds = estimates.argmax(axis=1)
    return arms


def judge_one_step(steps: OneStepRegret) -> tuple[Verdict, Evidence]:
    """Judge both inequalities: the largest share of the bound, and that no draw contradicts."""
    if not len(steps.rounds):
        return Verdict.UNCLEAR, Evidence("share of the bound", np.nan, np.inf, 1.0)
    share = steps.regret / steps.bound
    at = int(np.argmax(share))
    error = float(steps.regret_error[at] / steps.bound[at])
    evidence = Evidence(
        f"largest share of the bound (t = {steps.rounds[at]})", float(share[at]), error, 1.0
    )
    contradicted = Verdict.FAILS if steps.contradictions.any() else Verdict.HOLDS
    return worst((evidence.verdict, contradicted)), evidence


def check_one_step_regret(
    by_lemma: OneStepRegret, least_radius: OneStepRegret, scale: float
) -> LemmaCheck:
    """Report both tests of the lemma.

    Arguments:
        by_lemma: with the alpha_t of Lemma 4.2 and the sigma of Lemma 4.4.
        least_radius: with the least alpha_t for which E_t1 holds.
        scale: sigma of the second test.
    """
    tests = {"by the lemmas": by_lemma, f"least alpha_t, sigma = {scale:g}": least_radius}
    judged = {name: judge_one_step(steps) for name, steps in tests.items()}
    outcome = worst(verdict for verdict, _ in judged.values())
    # The sharper test decides unless it is the other one that fails.
    evidence = next(e for v, e in reversed(judged.values()) if v is outcome)

    def draw(axes: "Axes") -> None:
        for (name, steps), colour in zip(tests.items(), (BLUE, ORANGE), strict=True):
            shown = np.isfinite(steps.bound)
            share = steps.regret[shown] / steps.bound[shown]
            axes.plot(steps.rounds[shown], share, color=colour, linewidth=1, label=name)
        axes.axhline(1, color=GREY, linestyle="--")
        axes.set(ylabel="regret of a round / its bound", yscale="log")
        log_rounds(axes)
        axes.legend(frameon=False)

    def described(steps: OneStepRegret) -> str:
        if not len(steps.rounds):
            return "E_t1 held in no round"
        return (
            f"Omega_t holds {steps.sampled.min():.0f} to {steps.sampled.max():.0f} arms, "
            f"P(a_t not in Omega_t) is at least {steps.undersampled.min():.2f} and the regret of a "
            f"round is at most {np.max(steps.regret / steps.bound):.1%} of its bound "
            f"({len(steps.rounds):,} rounds, {steps.left_out} without E_t1)"
        )

    return LemmaCheck(
        name="lemma-4.5",
        title="Lemma 4.5: the regret of one round",
        claim="E[gap of a_t] is at most P(not E_t2) + (alpha_t + beta_t)(1 + 2 / P(a_t not in "
        "Omega_t)) E[width of a_t], and P(a_t not in Omega_t) at least P(E_t3) - P(not E_t2)",
        found="; ".join(f"{name}: {described(steps)}" for name, steps in tests.items()),
        outcome=outcome,
        evidence=evidence,
        draw=draw,
        numbers={
            name: {
                "rounds": len(steps.rounds),
                "rounds_without_e_t1": steps.left_out,
                "most_sampled_arms": float(steps.sampled.max(initial=0)),
                "rounds_with_sampled_arms": int(np.sum(steps.sampled > 0)),
                "least_undersampled_probability": float(steps.undersampled.min(initial=1)),
                "largest_share_of_bound": evidence_of.value,
                "contradictions": float(steps.contradictions.max(initial=0)),
                "verdict": str(verdict),
            }
            for (name, steps), (verdict, evidence_of) in zip(
                tests.items(), judged.values(), strict=True
            )
        },
    )
