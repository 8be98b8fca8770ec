"""Confidence radius, perturbation scale and concentration of Section 4 (Lemmas 4.2 to 4.4).

All functions take numbers or JAX arrays, so that policies can call them in compiled code. Widths
are |g(x; theta_0) / sqrt(m)| in the norm of A_t^-1: the events printed in the paper's Section 4
lack the 1 / sqrt(m) that its proofs have.
"""

from typing import Any

from jostle.core.backend import namespace


def confidence_radius(log_det: Any, *, noise: Any, delta: Any, lam: Any, bound: Any) -> Any:
    """Return alpha_t of Lemma 4.2: R sqrt(log(det A_t / (delta^2 det lambda I))) + sqrt(lambda) S.

    Arguments:
        log_det: log(det A_t / det lambda I).
        noise: R, with E exp(u eta) <= exp(u^2 R^2 / 2): the standard deviation of Gaussian noise.
        delta: the probability that any estimate ever leaves its radius.
        lam: lambda, the regularisation of Eq. (2).
        bound: S, at least sqrt(2 h' H^-1 h).
    """
    xp = namespace(log_det)
    return noise * xp.sqrt(log_det - 2 * xp.log(delta)) + xp.sqrt(lam) * bound


def perturbation_scale(radius: Any, *, lam: Any, eigenvalue: Any) -> Any:
    """Return sigma of Lemma 4.4: alpha_t / sqrt(1 - lambda / lambda_K(A)), A after the sweep.

    Arguments:
        radius: alpha_t.
        lam: lambda.
        eigenvalue: lambda_K(A), the K-th largest eigenvalue of A after each of the K arms was
            pulled once: lambda plus the least eigenvalue of the K x K kernel. (The paper writes
            A_K, which contains K - 1 gradients: its lambda_K is lambda, and sigma would be
            infinite. A_{K+1} is meant.)
    """
    xp = namespace(eigenvalue)
    return radius / xp.sqrt(1 - lam / eigenvalue)


def concentration(scale: Any, *, t: Any, arms: int) -> Any:
    """Return beta_t of Lemma 4.3: sigma sqrt(4 log t + 2 log K).

    Arguments:
        scale: sigma.
        t: the round.
        arms: K.
    """
    xp = namespace(t)
    return scale * xp.sqrt(4 * xp.log(t) + 2 * xp.log(arms))
