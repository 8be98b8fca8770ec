"""Lemma C.1: gradient descent on Eq. (2) finds the least-squares solution A^-1 b."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from jostle.core.power_law import power_law_exponent
from jostle.policies.npr import NPR
from jostle.theory.lemma_check import LemmaCheck
from jostle.theory.network_fit import fit_to_convergence, initial_network, linear_solution
from jostle.theory.plotting import BLUE, ORANGE, log_widths
from jostle.theory.problem import Problem

if TYPE_CHECKING:
    from matplotlib.axes import Axes

WIDTHS = (32, 64, 128, 256, 512)
DEFAULT_NOISE: float = NPR.noise
"""The standard deviation of the perturbations of ``NPR`` by default."""


def check_gradient_descent(
    problem: Problem, widths: Sequence[int] = WIDTHS, steps: int = 300, seed: int = 0
) -> LemmaCheck:
    """Measure |theta - theta_0 - A^-1 b / sqrt(m)| / |A^-1 b / sqrt(m)| per width.

    The history has one observation of each arm, perturbed as ``NPR`` does by default and as
    Lemma 4.4 requires.
    """
    rng = np.random.default_rng(seed)
    counts = np.ones(problem.arms)
    seen = problem.rewards + problem.noise * rng.normal(size=problem.arms)
    log_det = float(np.linalg.slogdet(np.eye(problem.arms) + problem.kernel / problem.lam)[1])
    lemma_scale = problem.scale(log_det)
    default, by_lemma = f"sigma = {DEFAULT_NOISE}", f"sigma = {lemma_scale:.1f} (Lemma 4.4)"
    scales = {default: DEFAULT_NOISE, by_lemma: lemma_scale}
    perturbation = rng.normal(size=problem.arms)
    targets = np.stack([seen + scale * perturbation for scale in scales.values()])
    distances: dict[str, list[float]] = {name: [] for name in scales}
    differences: dict[str, list[float]] = {name: [] for name in scales}
    for width in widths:
        initial = initial_network(problem, width, seed)
        fits, estimates = fit_to_convergence(initial, counts, targets, problem.lam, steps)
        for i, name in enumerate(scales):
            solution, linear = linear_solution(initial, counts, targets[i], problem.lam)
            expected = _flat(solution)
            moved = _flat(fits[i]) - _flat(initial.params)
            distance = np.linalg.norm(moved - expected) / np.linalg.norm(expected)
            distances[name].append(float(distance))
            differences[name].append(float(np.max(np.abs(estimates[i] - linear))))
    x = np.asarray(widths, float)
    rates = {name: power_law_exponent(x, np.asarray(d)) for name, d in distances.items()}

    def draw(axes: "Axes") -> None:
        for (name, distance), colour in zip(distances.items(), (BLUE, ORANGE), strict=True):
            axes.loglog(x, distance, "o-", color=colour, label=f"{name}: m^{rates[name]:.2f}")
        axes.set(ylabel="relative distance to A^-1 b")
        log_widths(axes, widths)
        axes.legend(frameon=False)

    return LemmaCheck(
        name="lemma-c.1",
        title="Lemma C.1: descent finds A^-1 b",
        claim="|theta - theta_0 - A^-1 b / sqrt(m)| vanishes as m grows",
        found=(
            f"relative to A^-1 b it scales like m^{rates[default]:.2f} and is "
            f"{distances[default][-1]:.1%} at m = {widths[-1]} with the default noise of NPR; with "
            f"the noise of Lemma 4.4 it scales like m^{rates[by_lemma]:.2f} and is "
            f"{distances[by_lemma][-1]:.1%}"
        ),
        holds=max(rates.values()) < -0.1,
        draw=draw,
        numbers={
            "widths": list(widths),
            "relative_distance": distances,
            "largest_difference_of_estimates": differences,
            "exponents": rates,
        },
    )


def _flat(parameters: Sequence[object]) -> np.ndarray:
    """All weights as one float64 vector."""
    return np.concatenate([np.asarray(leaf, np.float64).ravel() for leaf in parameters])
