"""All of the theory on one bandit: the bound, the regret, and every lemma put to the test."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from jostle.core.validation import whole
from jostle.environments import Synthetic
from jostle.models.networks import PaperNetwork
from jostle.policies import NPR, NTKPerturbed, Policy, Uniform
from jostle.theory.bounds import RegretBound, regret_bound
from jostle.theory.descent import PRACTICE, descent, start
from jostle.theory.dimension import effective_dimension
from jostle.theory.finding import Finding
from jostle.theory.kernel_rate import kernel_rate
from jostle.theory.lemma_linear import linear
from jostle.theory.lemma_perturbation import moments, network_moment, optimism, perturbation
from jostle.theory.lemma_radius import radius
from jostle.theory.lemma_widths import widths
from jostle.theory.problem import Problem
from jostle.theory.shape import shape
from jostle.theory.tangent import ntk
from jostle.theory.watched_run import Journey, travel

PRACTICAL, THEORY = "NPR", "NPR.theory"
LINEAR, LINEAR_THEORY = "NTKPerturbed", "NTKPerturbed, theory"
CHANCE = "Uniform"
STEPS = 25
"""Gradient steps a round of NPR.theory; the theorem's J grows with T, beyond all patience."""


@dataclass(frozen=True)
class Study:
    """What was found about one bandit."""

    problem: Problem
    """The first of the problems that were drawn."""
    rounds: int
    width: int
    bound: RegretBound
    """Theorem 4.7 on the first problem."""
    dimension_printed: float
    """The effective dimension with the H of Definition B.1 in place of the limit of G'G."""
    regrets: dict[str, np.ndarray]
    """(runs, rounds) of each policy: the same problems and streams for all."""
    findings: list[Finding]


def study(
    environment: Synthetic,
    *,
    rounds: int = 2000,
    seeds: int = 5,
    width: int = 64,
    depth: int = 3,
    lam: float = 1.0,
    delta: float = 0.05,
    draws: int = 2000,
    report: Callable[[str], None] | None = None,
) -> Study:
    """Play, compute and check everything.

    Arguments:
        environment: a synthetic bandit with a fixed pool of arms.
        rounds: T; more than it takes to pull every arm once.
        seeds: problems, each played once by every policy.
        width: m of the networks.
        depth: L.
        lam: lambda, at least 1 for Theorem 4.7.
        delta: how unlikely the bound may be to fail.
        draws: fresh perturbations for the linearised algorithm; a network gets a fiftieth.
        report: called with what comes next.
    """
    say = report or (lambda text: None)
    for name, value in (("rounds", rounds), ("seeds", seeds)):
        whole(name, value)
    PaperNetwork(width, depth)  # refuses sizes it cannot have, before anything is played
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
    journeys: dict[str, list[Journey]] = {}
    for name, policy in _players(width, rounds).items():
        journeys[name] = []
        for problem in problems:
            say(f"playing {name}, seed {problem.seed}")
            journeys[name].append(travel(problem, policy(problem), rounds))
    run = journeys[LINEAR_THEORY][0]
    if not np.all(run.tallies(rounds)[0]):
        raise ValueError(f"rounds must be enough to pull every arm, and {rounds} were not")
    stops = np.unique(np.geomspace(run.swept, rounds, 12).astype(int))
    say("Lemma 4.1")
    findings = [linear(first)]
    say("Lemma 4.2")
    findings.append(radius({name: journeys[name] for name in (LINEAR_THEORY, PRACTICAL)}))
    say("Lemmas 4.3 and 4.4")
    by_lemma = moments(run, list(stops), draws)
    by_practice = moments(run, list(stops), draws, scale=PRACTICE)
    of_network = network_moment(run, start(first, width), max(draws // 50, 10))
    findings.append(perturbation(by_lemma, of_network, width))
    findings.append(optimism(run, by_lemma, by_practice, of_network, width))
    say("Lemma 4.6")
    findings.append(widths({name: journeys[name][0] for name in (LINEAR_THEORY, PRACTICAL)}))
    say("the kernel of networks")
    findings.append(kernel_rate(first))
    say("Lemma C.1")
    findings.append(descent(first))
    regrets = {name: np.stack([j.regret for j in runs]) for name, runs in journeys.items()}
    swept = max(j.swept for j in journeys[PRACTICAL])
    findings.append(shape(regrets[PRACTICAL], swept))
    return Study(first, rounds, width, bound, printed, regrets, findings)


def _players(width: int, rounds: int) -> dict[str, Callable[[Problem], Policy]]:
    """Practice and theory, network and linearisation, each made for the problem at hand."""

    def features(problem: Problem) -> int:
        return problem.contexts.shape[1]

    def known(problem: Problem) -> dict[str, Any]:
        return {
            "bound": problem.bound,
            "reward_noise": problem.noise,
            "delta": problem.delta,
            "regularisation": problem.lam,
            "depth": problem.depth,
        }

    return {
        PRACTICAL: lambda p: NPR(features(p), pool=p.arms),
        THEORY: lambda p: NPR.theory(
            p.contexts, rounds=rounds, width=width, steps=STEPS, **known(p)
        ),
        LINEAR: lambda p: NTKPerturbed(features(p), p.arms, depth=p.depth),
        LINEAR_THEORY: lambda p: NTKPerturbed(features(p), p.arms, scale="theory", **known(p)),
        CHANCE: lambda p: Uniform(features(p)),
    }
