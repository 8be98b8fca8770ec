"""What Theorem 4.7 says about a problem: its constants, and the bound on the regret."""

import math
from typing import Any, NamedTuple

import numpy as np

from jostle.core.validation import number, numeric, whole
from jostle.ntk.confidence import confidence_radius, perturbation_scale
from jostle.theory.dimension import (
    checked_kernel,
    checked_positive,
    effective_dimension,
)

OPTIMISM = 1 / (4 * math.e * math.sqrt(math.pi))
"""The probability of optimism that Lemma 4.4 promises, 0.0519."""


class RegretBound(NamedTuple):
    """Theorem 4.7 on one problem, with what it is made of."""

    total: float
    """The bound on the regret after all rounds."""
    printed: float
    """The same with + 2 in place of + 2 T under the last root, as the theorem is printed."""
    gamma: float
    """Gamma."""
    radius: float
    """R sqrt(d log(1 + TK/lambda) + 2 - 2 log delta) + sqrt(lambda) S, which bounds alpha_T."""
    dimension: float
    """The effective dimension."""
    scale: float
    """sigma of Lemma 4.4 with that radius."""


def norm_bound(kernel: Any, rewards: Any) -> float:
    """sqrt(2 h' H^-1 h), the least S that Lemma 4.1 allows, for expected rewards h of the arms."""
    matrix = checked_kernel(kernel)
    h = numeric("rewards", rewards).astype(np.float64)
    if h.shape != (len(matrix),) or not np.isfinite(h).all():
        raise ValueError(f"rewards must be {len(matrix)} finite numbers, not of shape {h.shape}")
    return math.sqrt(2 * float(h @ np.linalg.solve(matrix, h)))


def sweep_eigenvalue(kernel: Any, lam: float) -> float:
    """lambda_K(A) once each arm was pulled: lambda plus the least eigenvalue of the kernel."""
    matrix = checked_kernel(kernel)
    least = float(np.linalg.eigvalsh(matrix)[0])
    if least < 1e-12 * matrix.trace():
        raise ValueError(
            "kernel must be positive definite (Assumption B.2), but its least eigenvalue is "
            f"{least:g}: are two contexts parallel?"
        )
    return checked_positive("lam", lam) + least


def optimism_constant(rounds: int, arms: int, *, lam: float, eigenvalue: float) -> float:
    """Gamma = 44 e sqrt(pi) (1 + sqrt((4 log T + 2 log K) / (1 - lambda / lambda_K(A))))."""
    spread = (4 * math.log(rounds) + 2 * math.log(arms)) / (1 - lam / eigenvalue)
    return 44 * math.e * math.sqrt(math.pi) * (1 + math.sqrt(spread))


def regret_bound(
    kernel: Any,
    rounds: int,
    *,
    noise: float,
    bound: float,
    lam: float = 1.0,
    delta: float = 0.05,
) -> RegretBound:
    """Theorem 4.7: with probability 1 - delta the regret of NPR is below ``total``.

    Summing T widths by Cauchy and Schwarz with Lemma 4.6 gives
    sqrt(T 2 (d log(1 + TK/lambda) + 1)), that is + 2 T under the root; the theorem prints + 2.

    Arguments:
        kernel: H on the K contexts; ``limit_kernel`` for the network of Algorithm 1.
        rounds: T.
        noise: R, the deviation of the noise on the rewards.
        bound: S, at least ``norm_bound(kernel, rewards)``.
        lam: lambda, at least 1 and at least S^-2.
        delta: how unlikely the bound may be to fail.
    """
    matrix = checked_kernel(kernel)
    whole("rounds", rounds)
    number("noise", noise)
    number("delta", delta, 1e-300, 1.0)
    lam, bound = checked_positive("lam", lam), checked_positive("bound", bound)
    if lam < max(1.0, bound**-2) * (1 - 1e-12):
        raise ValueError(
            f"lam must be at least max(1, bound^-2) = {max(1.0, bound**-2):g}, not {lam:g}"
        )
    arms = len(matrix)
    eigenvalue = sweep_eigenvalue(matrix, lam)
    dimension = effective_dimension(matrix, rounds, lam)
    gain = dimension * math.log1p(rounds * arms / lam)
    radius = float(confidence_radius(gain + 2, noise=noise, delta=delta, lam=lam, bound=bound))
    gamma = optimism_constant(rounds, arms, lam=lam, eigenvalue=eigenvalue)
    rest = 7 + arms
    return RegretBound(
        total=gamma * radius * math.sqrt(2 * rounds * gain + 2 * rounds) + rest,
        printed=gamma * radius * math.sqrt(2 * rounds * gain + 2) + rest,
        gamma=gamma,
        radius=radius,
        dimension=dimension,
        scale=float(perturbation_scale(radius, lam=lam, eigenvalue=eigenvalue)),
    )
