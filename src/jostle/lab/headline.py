"""What a comparison shows in one sentence, and how surely in another."""

import numpy as np

from jostle.lab.plan import Comparison
from jostle.lab.table import rows, standard_error


def headline(comparison: Comparison) -> tuple[str, str]:
    """Who has the lowest regret, and (maybe empty) whether the runs suffice to say so."""
    plan = comparison.plan
    ranked = rows(comparison)
    if not ranked:
        return "No run was finished.", ""
    best = ranked[0]
    error = "" if best.error is None else f" ± {best.error:.1f}"
    told = f"{best.regret:.1f}{error} after {plan.rounds:,} rounds of {plan.environment}"
    if len(ranked) == 1:
        return f"{best.policy} has a mean regret of {told}.", ""
    second = ranked[1]
    sentence = f"{best.policy} has the lowest regret: {told}"
    if second.regret > 0:
        share = round(100 * (1 - best.regret / second.regret))
        sentence += f", {share}% below {second.policy} ({second.regret:.1f})"
    return f"{sentence}.", _certainty(comparison, best.policy, second.policy)


def _certainty(comparison: Comparison, best: str, second: str) -> str:
    """How sure the lead is, from the seeds that both have played: they met the same arms."""
    first_runs = {run.trial.seed: run.regret for run in comparison.of(best)}
    second_runs = {run.trial.seed: run.regret for run in comparison.of(second)}
    shared = sorted(first_runs.keys() & second_runs.keys())
    gaps = np.array([second_runs[seed] - first_runs[seed] for seed in shared])
    error = standard_error(gaps)
    if error is None:
        return "One run each says little; more seeds would tell."
    told = f"{gaps.mean():.1f} ± {error:.1f} over {len(gaps)} seeds"
    if gaps.mean() > 2 * error:
        return f"The lead is clear: {told}, seed by seed."
    return f"The lead is too small to be sure of: {told}, seed by seed."
