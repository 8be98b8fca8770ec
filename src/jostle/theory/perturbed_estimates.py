"""Many fresh perturbations of one history, and the estimates they lead to (Lemmas 4.3 and 4.4)."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from jostle.theory.array_types import Draws, PerArm
from jostle.theory.lemma_4_2_confidence_radius import radius_used
from jostle.theory.linearised_model import LinearisedModel
from jostle.theory.network_fit import InitialNetwork, fit_to_convergence
from jostle.theory.watched_run import WatchedRun


class PerturbedEstimates(NamedTuple):
    """The estimates of all arms after ``t`` rounds of a run, perturbed many times."""

    t: int
    within_radius: bool
    """Whether E_t1 holds: the unperturbed estimates are within the radius of Lemma 4.2."""
    centre: PerArm
    """The estimates without perturbations."""
    widths: PerArm
    """The widths |g_i / sqrt(m)| in the norm of A_t^-1."""
    scale: float
    """sigma of the perturbations."""
    estimates: Draws
    """The estimates with perturbations."""


def perturb_linearised(
    run: WatchedRun, stops: Sequence[int], draws: int, scale: float | None = None, seed: int = 0
) -> list[PerturbedEstimates]:
    """Perturb the linearised algorithm after each of ``stops`` rounds.

    ``scale`` is sigma; by default it is that of Lemma 4.4, which depends on the round.
    """
    rng, problem = np.random.default_rng(seed), run.problem
    used, perturbed = radius_used(run), []
    for t in stops:
        counts, sums = run.tallies(t)
        model = LinearisedModel.after(problem.kernel, problem.lam, counts)
        sigma = problem.scale(model.log_det) if scale is None else scale
        centre = model.estimates(sums)
        moved = sigma * model.responses(rng.normal(size=(draws, problem.arms)))
        within = t >= len(used) or used[t] <= 1
        perturbed.append(
            PerturbedEstimates(t, bool(within), centre, model.widths, sigma, centre + moved)
        )
    return perturbed


def perturb_network(
    run: WatchedRun, initial: InitialNetwork, draws: int, seed: int = 0
) -> PerturbedEstimates:
    """Fit a network to each of ``draws`` perturbations of the history at the end of a run.

    Each fit starts at theta_0 and descends to the minimum of Eq. (2) with the sigma of Lemma 4.4;
    the widths are those of the network's own gradients.
    """
    rng, problem, t = np.random.default_rng(seed), run.problem, len(run.arms)
    counts, sums = run.tallies(t)
    model = LinearisedModel.after(initial.kernel, problem.lam, counts)
    sigma = problem.scale(model.log_det)
    noise = rng.normal(size=(draws, problem.arms)) / np.sqrt(counts)
    _, estimates = fit_to_convergence(initial, counts, sums / counts + sigma * noise, problem.lam)
    centre, widths = model.estimates(sums), model.widths
    radius = problem.radius(model.log_det)
    within = np.all(np.abs(centre - problem.rewards) <= radius * widths)
    return PerturbedEstimates(t, bool(within), centre, widths, sigma, estimates)
