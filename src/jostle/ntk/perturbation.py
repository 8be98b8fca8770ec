"""How hard rewards must be perturbed for the optimism of Lemma 4.4 to hold in every round."""

import numpy as np

from jostle.core.arrays import Contexts
from jostle.ntk.confidence import confidence_radius, perturbation_scale
from jostle.ntk.kernel import wide_kernel


def sufficient_perturbation(
    contexts: Contexts,
    *,
    rounds: int,
    depth: int,
    noise: float,
    delta: float,
    lam: float,
    bound: float,
) -> float:
    """The sigma of Lemma 4.4 that suffices for ``rounds`` rounds on a pool of arms.

    The lemma's sigma grows with log det A_t; this is its value at the largest determinant that
    ``rounds`` pulls can reach, (1 + sum_s |g_s|^2 / (m lambda K))^K by the inequality of arithmetic
    and geometric means. The kernel is that of infinite width.

    Arguments:
        contexts: (K, features), the pool of arms.
        rounds: T.
        depth: L of the network.
        noise: R, the standard deviation of the noise on the rewards.
        delta: the probability with which estimates may leave their confidence radius.
        lam: lambda, the regularisation of Eq. (2).
        bound: S, at least sqrt(2 h'H^-1 h).
    """
    pool = np.asarray(contexts, np.float64)
    if pool.ndim != 2:
        raise ValueError(f"contexts must have shape (K, features), not {pool.shape}")
    kernel = wide_kernel(pool, pool, depth)
    least = float(np.linalg.eigvalsh(kernel)[0])
    if least < 1e-12 * kernel.trace():
        raise ValueError("contexts must not be parallel: their kernel has no inverse")
    arms = len(pool)
    largest = arms * np.log1p(rounds * kernel.diagonal().max() / (lam * arms))
    alpha = confidence_radius(largest, noise=noise, delta=delta, lam=lam, bound=bound)
    return float(perturbation_scale(alpha, lam=lam, eigenvalue=lam + least))
