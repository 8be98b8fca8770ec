"""What the perturbation really does: how much of that of Eq. (2) each form of NPR plays."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from jostle.core.validation import whole
from jostle.environments import Synthetic
from jostle.factory import make_policy
from jostle.models.networks import PaperNetwork
from jostle.policies import NTKPerturbed
from jostle.theory.array_types import Draws
from jostle.theory.network_fit import fit_to_convergence, initial_network
from jostle.theory.played_perturbation import FrozenHistory, Movement, movement, probe
from jostle.theory.problem import Problem
from jostle.theory.watched_run import watch_run

NOISE = 0.1
"""nu of the reference and of the default forms."""
REGULARISATION = 0.001
"""lambda of the reference, as in ``NPR.paper``."""
FORMS = (
    f"ntk-perturbed:noise={NOISE},regularisation={REGULARISATION}",
    f"npr.paper:noise={NOISE}",
    f"npr.paper:noise={NOISE},steps=100",
    f"npr.paper:noise={NOISE},steps=100,step_size=0.1",
    f"npr.descent:noise={NOISE}",
    f"npr.descent:noise={NOISE},restart=true,steps=25",
)
"""The policies that are probed by default: the exact solution, the paper's descent with two numbers
of steps and two step sizes, and NPR, with its own training and starting again in every round."""
GROUPS = ((1, 1), (2, 5), (6, 20), (21, None))
"""Numbers of pulls, from the first to the second, by which arms are grouped."""
SEEDS = 3
PROBED, SETTLE, DRAWS = 1000, 200, 50
"""Rounds that are probed, rounds before them that are not, and fits of the reference."""


class Group(NamedTuple):
    """The arms that were pulled about equally often."""

    label: str
    mask: np.ndarray

    @property
    def arms(self) -> int:
        """How many there are."""
        return int(self.mask.sum())


@dataclass(frozen=True)
class Form:
    """One form of perturbed fitting, at the frozen history and in play."""

    name: str
    movements: list[Movement]
    """Per group of arms."""
    shares: list[float]
    """Per group, the deviation as a share of that of the converged fit."""
    regrets: np.ndarray | None
    """The final regret of each run; None if it was not played."""

    @property
    def diverged(self) -> bool:
        """Whether its scores are not finite."""
        return not np.isfinite([each.deviation for each in self.movements]).all()


@dataclass(frozen=True)
class PerturbationStudy:
    """The results of ``run_perturbation_study``: the first form is the converged fit."""

    frozen_at: int
    rounds: int
    seeds: int
    noise: float
    regularisation: float
    width: int
    probed: int
    draws: int
    groups: list[Group]
    forms: list[Form]


def run_perturbation_study(
    environment: Synthetic,
    forms: Sequence[str] = FORMS,
    *,
    rounds: int = 2000,
    seeds: int = SEEDS,
    width: int = 64,
    depth: int = 3,
    probed: int = PROBED,
    settle: int = SETTLE,
    draws: int = DRAWS,
    report: Callable[[str], None] | None = None,
) -> PerturbationStudy:
    """Probe each form at one common history, and play each on the same problems.

    The history is the first half of the rounds of ``NTKPerturbed`` on the problem of seed 0. The
    reference is a network of ``NPR.paper`` that minimises Eq. (2) with nu = 0.1 and lambda = 0.001
    to convergence, for fresh perturbations each time. It is too expensive to be played; the
    linearised solution, which is exact, stands for it.

    Arguments:
        environment: a synthetic bandit with a fixed pool of arms.
        forms: policies as ``jostle.make_policy`` takes them.
        rounds: T of the played runs.
        seeds: the number of played runs of each form; all play the same problems.
        width: m of the reference's network.
        depth: L of the reference's network.
        probed: rounds at the frozen history that are measured.
        settle: rounds at the frozen history before them.
        draws: independent fits of the reference.
        report: called with the name of each step as it begins.
    """
    say = report or (lambda text: None)
    for name, value in (("rounds", rounds), ("seeds", seeds)):
        whole(name, value)
    PaperNetwork(width, depth)  # raises for an invalid size before anything is simulated
    policies = {form: make_policy(form, environment) for form in forms}
    problems = [Problem.draw(environment, seed, depth=depth) for seed in range(seeds)]
    first, frozen_at = problems[0], rounds // 2
    say(f"perturbation: a history of {frozen_at:,} rounds")
    common = NTKPerturbed(first.features, first.arms, depth=depth)
    history = FrozenHistory.of(watch_run(first, common, rounds), frozen_at)
    if not history.counts.all():
        raise ValueError(
            f"rounds must be enough to pull every arm once in half of them, but {rounds} were not"
        )
    groups = _grouped(history.counts)
    masks = [group.mask for group in groups]
    say("perturbation: the converged fit")
    reference = movement(_converged(history, width, draws), masks)
    found = [Form("converged fit", reference, [1.0] * len(groups), None)]
    for name, policy in policies.items():
        say(f"perturbation: probing {name}")
        moves = movement(probe(policy, history, rounds=probed, settle=settle), masks)
        shares = [m.deviation / r.deviation for m, r in zip(moves, reference, strict=True)]
        form = Form(name, moves, shares, None)
        if not form.diverged:
            regrets = []
            for problem in problems:
                say(f"perturbation: playing {name}, seed {problem.seed}")
                regrets.append(watch_run(problem, policy, rounds).regret[-1])
            form = Form(name, moves, shares, np.array(regrets))
        found.append(form)
    return PerturbationStudy(
        frozen_at, rounds, seeds, NOISE, REGULARISATION, width, probed, draws, groups, found
    )


def _converged(history: FrozenHistory, width: int, draws: int, seed: int = 0) -> Draws:
    """Estimates of networks fitted to convergence, each to perturbations of its own."""
    rng, counts = np.random.default_rng(seed), history.counts
    perturbed = history.means + NOISE * rng.normal(size=(draws, len(counts))) / np.sqrt(counts)
    initial = initial_network(history.problem, width, seed)
    _, estimates = fit_to_convergence(
        initial, counts, perturbed, REGULARISATION, keep_weights=False
    )
    return estimates


def _grouped(counts: np.ndarray) -> list[Group]:
    """Arms by their number of pulls, without groups that nobody is in."""
    groups = []
    for low, high in GROUPS:
        label = f"{low}+" if high is None else str(low) if low == high else f"{low}-{high}"
        mask = (counts >= low) & (counts <= (np.inf if high is None else high))
        groups.append(Group(label, mask))
    return [group for group in groups if group.arms]


def numbers_of(study: PerturbationStudy) -> dict[str, Any]:
    """Every number of the study, ready for JSON."""
    return {
        "frozen_at": study.frozen_at,
        "rounds": study.rounds,
        "nu": study.noise,
        "lambda": study.regularisation,
        "width": study.width,
        "probed_rounds": study.probed,
        "fits_of_reference": study.draws,
        "groups": {group.label: group.arms for group in study.groups},
        "forms": {
            form.name: {
                "deviation": [each.deviation for each in form.movements],
                "share": form.shares,
                "correlation": [each.correlation for each in form.movements],
                "final_regrets": None if form.regrets is None else form.regrets.tolist(),
            }
            for form in study.forms
        },
    }
