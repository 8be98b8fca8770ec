"""LinUCB: optimism in an ellipsoid around the ridge estimate (Abbasi-Yadkori et al., 2011)."""

from typing import Any, ClassVar

from jostle.core.arrays import Scores
from jostle.core.record import leaf
from jostle.models.ridge import THEORY
from jostle.policies._probabilities import ScoringPolicy
from jostle.policies._ridge import RidgePolicy, State
from jostle.types import Round


class LinUCB(ScoringPolicy, RidgePolicy):
    """The arm with the highest upper confidence bound under a linear model.

    Abbasi-Yadkori, Pal and Szepesvari, "Improved Algorithms for Linear Stochastic Bandits", NIPS
    2011 (OFUL); with a fixed radius it is LinUCB of Li et al., WWW 2010, with one shared model:

        V_t     = lambda I + sum_s x_s x_s',   theta_t = V_t^-1 sum_s r_s x_s
        score_i = x_i . theta_t + beta sqrt(x_i' V_t^-1 x_i)
        beta    = exploration * deviation of errors                        (radius="residuals")
        beta    = exploration                                              (radius="fixed")
        beta    = R sqrt(2 log(1/delta) + log det(V_t) / det(lambda I))
                  + sqrt(lambda) S                          (radius="theory", their Theorem 2)

    With "residuals" r_s is measured from the running mean of rewards; see ``RidgePolicy``.
    A round costs O(k d^2), and is exact for millions of rounds; see ``jostle.models.ridge``.

    Arguments:
        bound: S, a bound on the norm of the true theta; used if ``radius`` is "theory".
        others: see ``RidgePolicy`` and ``KnowsProbabilities``; ``exploration`` is beta, and
            ``delta`` the probability with which the ellipsoid may ever miss the true theta.
    """

    bound: Any = leaf(default=1.0)

    PAPER_EXPLORATION: ClassVar[float] = 0.3

    def scores(self, state: State, round: Round) -> Scores:
        """Upper confidence bounds."""
        xp = round.contexts.__array_namespace__()
        beta = self.exploration * state.unit
        if self.radius == THEORY:
            likelihood = xp.sqrt(2 * xp.log(1 / self.delta) + state.log_det)
            beta = self.noise * likelihood + xp.sqrt(self.regularisation) * self.bound
        return state.estimates(round.contexts) + beta * state.widths(round.contexts)
