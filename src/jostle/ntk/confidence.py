"""How far an estimate may be off and how hard rewards must be perturbed for it: Section 4.

Throughout, widths are |g(x; theta_0) / sqrt(m)| in the norm of A_t^-1: the events of the paper's
Section 4 leave out the 1 / sqrt(m) that its proofs have. Numbers or JAX arrays, alike.
"""

from typing import Any

from jostle.core.backend import namespace


def confidence_radius(log_det: Any, *, noise: Any, delta: Any, lam: Any, bound: Any) -> Any:
    """alpha_t of Lemma 4.2: R sqrt(log(det A_t / (delta^2 det lambda I))) + sqrt(lambda) S.

    Arguments:
        log_det: log(det A_t / det lambda I).
        noise: R; E exp(u eta) <= exp(u^2 R^2 / 2), so R is the deviation of Gaussian noise.
        delta: the probability with which the estimates may ever leave their radius.
        lam: lambda, the regularisation of Eq. (2).
        bound: S, at least sqrt(2 h' H^-1 h).
    """
    xp = namespace(log_det)
    return noise * xp.sqrt(log_det - 2 * xp.log(delta)) + xp.sqrt(lam) * bound


def perturbation_scale(radius: Any, *, lam: Any, eigenvalue: Any) -> Any:
    """sigma of Lemma 4.4: alpha_t / sqrt(1 - lambda / lambda_K(A)), A as it is after the sweep.

    Arguments:
        radius: alpha_t.
        lam: lambda.
        eigenvalue: lambda_K(A), the K-th largest of A once each of the K arms was pulled: lambda
            plus the least eigenvalue of the K x K kernel. (In the paper's own indices A_K holds
            K - 1 gradients, its lambda_K is lambda and sigma infinite: A_{K+1} is meant.)
    """
    xp = namespace(eigenvalue)
    return radius / xp.sqrt(1 - lam / eigenvalue)


def concentration(scale: Any, *, t: Any, arms: int) -> Any:
    """beta_t of Lemma 4.3: sigma sqrt(4 log t + 2 log K)."""
    xp = namespace(t)
    return scale * xp.sqrt(4 * xp.log(t) + 2 * xp.log(arms))
