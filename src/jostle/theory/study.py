"""All of the theory on one bandit: the bound, the measured regret, and every lemma check."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypedDict

import numpy as np

from jostle.core.validation import whole
from jostle.environments import Synthetic
from jostle.models.networks import PaperNetwork
from jostle.policies import NPR, NTKPerturbed, Policy, Uniform
from jostle.theory.array_types import Regrets
from jostle.theory.definition_b_1_tangent_kernel import ntk
from jostle.theory.definition_b_3_effective_dimension import effective_dimension
from jostle.theory.kernel_convergence import check_kernel_convergence
from jostle.theory.lemma_4_1_linear_rewards import check_linear_rewards
from jostle.theory.lemma_4_2_confidence_radius import check_confidence_radius
from jostle.theory.lemma_4_3_concentration import check_concentration
from jostle.theory.lemma_4_4_optimism import check_optimism
from jostle.theory.lemma_4_5_one_step_regret import check_one_step_regret, one_step_regret
from jostle.theory.lemma_4_6_sum_of_widths import check_sum_of_widths
from jostle.theory.lemma_c_1_gradient_descent import DEFAULT_NOISE, check_gradient_descent
from jostle.theory.lemma_check import LemmaCheck
from jostle.theory.network_fit import initial_network
from jostle.theory.perturbation_study import (
    FORMS,
    SEEDS,
    PerturbationStudy,
    run_perturbation_study,
)
from jostle.theory.perturbed_estimates import perturb_linearised, perturb_network
from jostle.theory.problem import Problem
from jostle.theory.theorem_4_7_regret_bound import RegretBound, regret_bound
from jostle.theory.theorem_4_7_regret_growth import check_regret_growth
from jostle.theory.watched_run import WatchedRun, watch_run

PRACTICAL, THEORY = "NPR.descent", "NPR.theory"
LINEAR, LINEAR_THEORY = "NTKPerturbed", "NTKPerturbed, theory"
CHANCE = "Uniform"
STEPS = 25
"""Gradient steps per round of NPR.theory; the theorem's J grows with T and is unaffordable."""


@dataclass(frozen=True)
class Study:
    """The results of ``run_study`` on one bandit."""

    problem: Problem
    """The problem of seed 0, which the bound and most checks are about."""
    rounds: int
    width: int
    bound: RegretBound
    """Theorem 4.7 on that problem."""
    dimension_printed: float
    """The effective dimension with the H of Definition B.1 instead of the limit of G'G."""
    regrets: dict[str, Regrets]
    """The regret of each policy; all policies play the same problems and streams."""
    checks: list[LemmaCheck]
    perturbation: PerturbationStudy
    """How much of the perturbation of Eq. (2) is really played."""


def run_study(
    environment: Synthetic,
    *,
    rounds: int = 2000,
    seeds: int = 5,
    width: int = 64,
    depth: int = 3,
    lam: float = 1.0,
    delta: float = 0.05,
    draws: int = 2000,
    forms: Sequence[str] = FORMS,
    report: Callable[[str], None] | None = None,
) -> Study:
    """Compute the bound, simulate the policies, and check every lemma.

    Arguments:
        environment: a synthetic bandit with a fixed pool of arms.
        rounds: T, at least four times the number of arms.
        seeds: the number of problems; each policy plays each problem once.
        width: m of the networks.
        depth: L of the networks.
        lam: lambda, at least 1 for Theorem 4.7.
        delta: the probability with which the bound may fail.
        draws: perturbations of each history for the linearised algorithm; a network, which is
            expensive to fit, gets a fiftieth of them.
        forms: the policies of which the perturbation is measured, as ``make_policy`` takes them.
        report: called with the name of each step as it begins.
    """
    say = report or (lambda text: None)
    for name, value in (("rounds", rounds), ("seeds", seeds)):
        whole(name, value)
    PaperNetwork(width, depth)  # raises for an invalid size before anything is simulated
    say("drawing the problems")
    problems = [
        Problem.draw(environment, s, depth=depth, lam=lam, delta=delta) for s in range(seeds)
    ]
    first = problems[0]
    if rounds < 4 * first.arms:
        raise ValueError(
            f"rounds must be at least 4 K = {4 * first.arms}, so that every arm is pulled well "
            f"before the end, not {rounds}"
        )
    bound = regret_bound(
        first.kernel, rounds, noise=first.noise, bound=first.bound, lam=lam, delta=delta
    )
    printed = effective_dimension(ntk(first.contexts, depth), rounds, lam)
    runs: dict[str, list[WatchedRun]] = {}
    for name, make_policy in _policies(width, rounds).items():
        runs[name] = []
        for problem in problems:
            say(f"playing {name}, seed {problem.seed}")
            runs[name].append(watch_run(problem, make_policy(problem), rounds))
    checks = _check_lemmas(runs, width, draws, say)
    regrets = {name: np.stack([run.regret for run in played]) for name, played in runs.items()}
    swept = max(run.swept for run in runs[PRACTICAL])
    checks.append(check_regret_growth(regrets[PRACTICAL], swept))
    perturbation = run_perturbation_study(
        environment,
        forms,
        rounds=rounds,
        seeds=min(seeds, SEEDS),
        width=width,
        depth=depth,
        report=report,
    )
    return Study(first, rounds, width, bound, printed, regrets, checks, perturbation)


def _check_lemmas(
    runs: dict[str, list[WatchedRun]], width: int, draws: int, say: Callable[[str], None]
) -> list[LemmaCheck]:
    """Every lemma in the order of the paper; Lemmas 4.3 and 4.4 on the first theory run."""
    run = runs[LINEAR_THEORY][0]
    problem, rounds = run.problem, len(run.arms)
    if not np.all(run.tallies(rounds)[0]):
        raise ValueError(f"rounds must be enough to pull every arm once, but {rounds} were not")
    compared = (LINEAR_THEORY, PRACTICAL)
    stops = [int(t) for t in np.unique(np.geomspace(run.swept, rounds, 12).astype(int))]
    say("Lemma 4.1")
    checks = [check_linear_rewards(problem)]
    say("Lemma 4.2")
    checks.append(check_confidence_radius({name: runs[name] for name in compared}))
    say("Lemmas 4.3 and 4.4")
    by_lemma = perturb_linearised(run, stops, draws)
    by_default = perturb_linearised(run, stops, draws, scale=DEFAULT_NOISE)
    of_network = perturb_network(run, initial_network(problem, width), max(draws // 50, 10))
    checks.append(check_concentration(by_lemma, of_network, width))
    checks.append(check_optimism(problem.rewards, by_lemma, by_default, of_network, width))
    say("Lemma 4.5")
    checks.append(
        check_one_step_regret(
            one_step_regret(run),
            one_step_regret(run, scale=DEFAULT_NOISE, least_radius=True),
            DEFAULT_NOISE,
        )
    )
    say("Lemma 4.6")
    checks.append(check_sum_of_widths({name: runs[name][0] for name in compared}))
    say("convergence of the kernel")
    checks.append(check_kernel_convergence(problem))
    say("Lemma C.1")
    checks.append(check_gradient_descent(problem))
    return checks


class _TheorySettings(TypedDict):
    """What the theory's variants of the policies are told about a problem."""

    bound: float
    reward_noise: float
    delta: float
    regularisation: float
    depth: int


def _policies(width: int, rounds: int) -> dict[str, Callable[[Problem], Policy]]:
    """By name, functions that make each policy for a problem."""

    def known(problem: Problem) -> _TheorySettings:
        return {
            "bound": problem.bound,
            "reward_noise": problem.noise,
            "delta": problem.delta,
            "regularisation": problem.lam,
            "depth": problem.depth,
        }

    return {
        PRACTICAL: lambda p: NPR.descent(p.features, pool=p.arms),
        THEORY: lambda p: NPR.theory(
            p.contexts, rounds=rounds, width=width, steps=STEPS, **known(p)
        ),
        LINEAR: lambda p: NTKPerturbed(p.features, p.arms, depth=p.depth),
        LINEAR_THEORY: lambda p: NTKPerturbed(p.features, p.arms, scale="theory", **known(p)),
        CHANCE: lambda p: Uniform(p.features),
    }
