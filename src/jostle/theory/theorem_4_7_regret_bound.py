"""Theorem 4.7: the bound on the regret of NPR, and the constants it consists of."""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from jostle.core.validation import number, whole
from jostle.ntk.confidence import confidence_radius, perturbation_scale
from jostle.theory.array_types import Kernel
from jostle.theory.checked_inputs import checked_kernel, checked_positive, checked_rewards
from jostle.theory.definition_b_3_effective_dimension import effective_dimension

OPTIMISM = 1 / (4 * math.e * math.sqrt(math.pi))
"""The probability of optimism that Lemma 4.4 guarantees, 0.0519."""


class RegretBound(NamedTuple):
    """Theorem 4.7 for one problem, with its factors."""

    total: float
    """The bound on the cumulative regret after T rounds."""
    printed: float
    """The same with + 2 instead of + 2 T under the last root, as the theorem is printed."""
    gamma: float
    """Gamma."""
    radius: float
    """R sqrt(d log(1 + TK/lambda) + 2 - 2 log delta) + sqrt(lambda) S, an upper bound on alpha_T.
    """
    dimension: float
    """The effective dimension."""
    scale: float
    """sigma of Lemma 4.4 with that radius."""


def norm_bound(kernel: ArrayLike, rewards: ArrayLike) -> float:
    """Return sqrt(2 h' H^-1 h), the smallest S that Lemma 4.1 allows.

    Arguments:
        kernel: H, (K, K).
        rewards: h, (K,), the expected reward of each arm.
    """
    matrix = checked_kernel(kernel)
    _least_eigenvalue(matrix)
    h = checked_rewards(rewards, len(matrix))
    return math.sqrt(2 * float(h @ np.linalg.solve(matrix, h)))


def sweep_eigenvalue(kernel: ArrayLike, lam: float) -> float:
    """Return lambda_K(A) after each arm was pulled once: lambda + the least kernel eigenvalue.

    Arguments:
        kernel: H, (K, K), positive definite (Assumption B.2).
        lam: lambda > 0.
    """
    return checked_positive("lam", lam) + _least_eigenvalue(checked_kernel(kernel))


def _least_eigenvalue(kernel: Kernel) -> float:
    """The least eigenvalue, which Assumption B.2 requires to be positive."""
    least = float(np.linalg.eigvalsh(kernel)[0])
    if least < 1e-12 * kernel.trace():
        raise ValueError(
            "kernel must be positive definite (Assumption B.2), but its least eigenvalue is "
            f"{least:g}; check for parallel contexts"
        )
    return least


def optimism_constant(rounds: int, arms: int, *, lam: float, eigenvalue: float) -> float:
    """Return Gamma = 44 e sqrt(pi) (1 + sqrt((4 log T + 2 log K) / (1 - lambda / lambda_K(A)))).

    Arguments:
        rounds: T.
        arms: K.
        lam: lambda.
        eigenvalue: lambda_K(A), as returned by ``sweep_eigenvalue``.
    """
    spread = (4 * math.log(rounds) + 2 * math.log(arms)) / (1 - lam / eigenvalue)
    return 44 * math.e * math.sqrt(math.pi) * (1 + math.sqrt(spread))


def regret_bound(
    kernel: ArrayLike,
    rounds: int,
    *,
    noise: float,
    bound: float,
    lam: float = 1.0,
    delta: float = 0.05,
) -> RegretBound:
    """Theorem 4.7: with probability at least 1 - delta the regret of NPR is below ``total``.

    The Cauchy-Schwarz inequality and Lemma 4.6 bound the sum of T widths by
    sqrt(T 2 (d log(1 + TK/lambda) + 1)), that is + 2 T under the root; the theorem prints + 2.

    Arguments:
        kernel: H, (K, K); use ``limit_kernel`` for the network of Algorithm 1.
        rounds: T.
        noise: R, the standard deviation of the reward noise.
        bound: S, at least ``norm_bound(kernel, rewards)``.
        lam: lambda, at least 1 and at least S^-2.
        delta: the probability with which the bound may fail.
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
