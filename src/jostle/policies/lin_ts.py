"""LinTS: Thompson sampling with a linear model (Agrawal and Goyal, 2013)."""

from typing import Any

from jostle.core.arrays import Scores
from jostle.core.backend import normals
from jostle.models.ridge import THEORY
from jostle.policies._probabilities import SamplingPolicy
from jostle.policies._ridge import RidgePolicy, State
from jostle.types import Round


class LinTS(SamplingPolicy, RidgePolicy):
    """The best arm of a model drawn from the Gaussian posterior, afresh for every decision.

    Agrawal and Goyal, "Thompson Sampling for Contextual Bandits with Linear Payoffs", ICML 2013,
    Algorithm 1, with V for their B and any lambda where theirs is 1:

        V_t     = lambda I + sum_s x_s x_s',   theta_t = V_t^-1 sum_s r_s x_s
        theta~  ~ N(theta_t, v^2 V_t^-1)
        score_i = x_i . theta~
        v       = exploration * deviation of errors                        (radius="residuals")
        v       = exploration                                              (radius="fixed")
        v       = R sqrt(9 d log(t / delta))                 (radius="theory", their Section 2)

    With "residuals" r_s is measured from the running mean of rewards; see ``RidgePolicy``.
    The draw is theta_t + v S z with z ~ N(0, I) and S S' = V_t^-1. Like a Cholesky factor S costs
    no SVD, and less: it is itself kept up to date in O(d^2) (see ``jostle.models.ridge``).

    Arguments: see ``RidgePolicy`` and ``SamplingPolicy``; ``exploration`` is v, and ``delta`` the
    probability with which the regret bound may fail.
    """

    def draws(self, state: State, key: Any, round: Round, shape: tuple[int, ...]) -> Scores:
        """The estimates of models drawn from the posterior."""
        xp = round.contexts.__array_namespace__()
        v = self.exploration * state.unit
        if self.radius == THEORY:
            v = self.noise * xp.sqrt(9 * self.features * xp.log((state.seen + 1) / self.delta))
        z = normals(key, (*shape, self.features))
        theta = state.theta + v * (state.root @ z.T).T
        return state.level + (round.contexts @ theta.T).T
