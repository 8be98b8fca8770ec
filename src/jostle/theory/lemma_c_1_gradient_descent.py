"""Lemma C.1: gradient descent on Eq. (2) finds the least-squares solution A^-1 b."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from jostle.core.power_law import power_law_exponent
from jostle.policies.npr_paper import PaperNPR
from jostle.theory.convergence_with_width import judge_convergence
from jostle.theory.lemma_check import LemmaCheck, worst
from jostle.theory.network_fit import fit_to_convergence, initial_network, linear_solution
from jostle.theory.plotting import BLUE, GREY, ORANGE, log_widths
from jostle.theory.problem import Problem

if TYPE_CHECKING:
    from matplotlib.axes import Axes

WIDTHS = (32, 64, 128, 256, 512)
DEFAULT_NOISE: float = PaperNPR.noise
"""The standard deviation of the perturbations of ``NPR`` by default."""
TOLERANCE = 0.15
"""The relative distance at the largest width up to which descent counts as having found A^-1 b."""


def promised_rate(widths: Sequence[int]) -> float:
    """The exponent of the lemma's error term over these widths, relative to |A^-1 b / sqrt(m)|.

    The term is of order m^(-2/3) sqrt(log m), and A^-1 b / sqrt(m) of order m^(-1/2): their ratio
    is m^(-1/6) sqrt(log m), which over a few hundred units is hardly a decrease at all.
    """
    m = np.asarray(widths, float)
    return power_law_exponent(m, m ** (-1 / 6) * np.sqrt(np.log(m)))


def check_gradient_descent(
    problem: Problem,
    widths: Sequence[int] = WIDTHS,
    draws: int = 4,
    steps: int | None = None,
    seed: int = 0,
) -> LemmaCheck:
    """Measure |theta - theta_0 - A^-1 b / sqrt(m)| / |A^-1 b / sqrt(m)| per width.

    The history has one observation of each arm, perturbed as ``NPR.paper`` does by default and as
    Lemma 4.4 requires. Each of ``draws`` has a network and perturbations of its own. Descent goes
    on until it converges, or for ``steps`` steps.
    """
    rng = np.random.default_rng(seed)
    counts = np.ones(problem.arms)
    seen = problem.rewards + problem.noise * rng.normal(size=problem.arms)
    log_det = float(np.linalg.slogdet(np.eye(problem.arms) + problem.kernel / problem.lam)[1])
    lemma_scale = problem.scale(log_det)
    default, by_lemma = f"sigma = {DEFAULT_NOISE}", f"sigma = {lemma_scale:.1f} (Lemma 4.4)"
    scales = {default: DEFAULT_NOISE, by_lemma: lemma_scale}
    perturbations = rng.normal(size=(draws, problem.arms))
    distances = {name: np.empty((len(widths), draws)) for name in scales}
    for i, width in enumerate(widths):
        for j, perturbation in enumerate(perturbations):
            initial = initial_network(problem, width, seed + j)
            targets = np.stack([seen + scale * perturbation for scale in scales.values()])
            fits, _ = fit_to_convergence(initial, counts, targets, problem.lam, steps)
            for name, target, fit in zip(scales, targets, fits, strict=True):
                solution, _ = linear_solution(initial, counts, target, problem.lam)
                expected, moved = _flat(solution), _flat(fit) - _flat(initial.params)
                gap = np.linalg.norm(moved - expected) / np.linalg.norm(expected)
                distances[name][i, j] = gap
    promised = promised_rate(widths) if len(widths) > 1 else 0.0
    judged = {
        name: judge_convergence(
            f"distance to A^-1 b, {name},", widths, d, tolerance=TOLERANCE, slowest=promised
        )
        for name, d in distances.items()
    }
    outcome = worst(found.verdict for found in judged.values())
    decisive = next(found for found in judged.values() if found.verdict is outcome)

    def draw(axes: "Axes") -> None:
        for (name, found), colour in zip(judged.items(), (BLUE, ORANGE), strict=True):
            label = f"{name}: m^{found.rate:.2f}"
            axes.errorbar(
                widths, found.means, found.standard_errors, fmt="o-", color=colour, label=label
            )
        axes.axhline(TOLERANCE, color=GREY, linestyle="--")
        axes.set(ylabel="relative distance to A^-1 b", yscale="log")
        log_widths(axes, widths)
        axes.legend(frameon=False)

    return LemmaCheck(
        name="lemma-c.1",
        title="Lemma C.1: descent finds A^-1 b",
        claim="|theta - theta_0 - A^-1 b / sqrt(m)| vanishes as m grows",
        found="; ".join(
            f"with {name} ({found.verdict}) it is {found.means[-1]:.1%} ± "
            f"{found.standard_errors[-1]:.1%} of A^-1 b at m = {widths[-1]} and scales like "
            f"m^{found.rate:.2f} ± {found.rate_error:.2f}"
            for name, found in judged.items()
        )
        + f"; {draws} networks per width, promised rate m^{promised:.2f} over these widths",
        outcome=outcome,
        evidence=decisive.evidence,
        draw=draw,
        numbers={
            "widths": list(widths),
            "draws": draws,
            "relative_distance": {name: found.means for name, found in judged.items()},
            "standard_errors": {name: found.standard_errors for name, found in judged.items()},
            "exponents": {name: found.rate for name, found in judged.items()},
            "exponent_errors": {name: found.rate_error for name, found in judged.items()},
            "verdicts": {name: str(found.verdict) for name, found in judged.items()},
            "promised_exponent": promised,
        },
    )


def _flat(parameters: Sequence[object]) -> np.ndarray:
    """All weights as one float64 vector."""
    return np.concatenate([np.asarray(leaf, np.float64).ravel() for leaf in parameters])
