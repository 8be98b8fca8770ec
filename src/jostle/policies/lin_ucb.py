"""LinUCB: optimism in an ellipsoid around the ridge estimate (Abbasi-Yadkori et al., 2011)."""

from typing import Any

import jax

from jostle.checks import unknown
from jostle.linear import FIXED, SMALLEST_REGULARISATION, THEORY, Ridge
from jostle.policies.base import Policy, pick_best
from jostle.records import leaf, static
from jostle.types import Choice, Feedback, Round


class LinUCB(Policy):
    """The arm that would be best if the linear model were as kind to it as the data allow.

    Abbasi-Yadkori, Pal and Szepesvari, "Improved Algorithms for Linear Stochastic Bandits", NIPS
    2011 (OFUL); with a fixed radius it is LinUCB of Li et al., WWW 2010, with one shared model:

        V_t     = lambda I + sum_s x_s x_s',   theta_t = V_t^-1 sum_s r_s x_s
        score_i = x_i . theta_t + beta sqrt(x_i' V_t^-1 x_i)
        beta    = exploration                                              (radius="fixed")
        beta    = R sqrt(2 log(1/delta) + log det(V_t) / det(lambda I))
                  + sqrt(lambda) S                          (radius="theory", their Theorem 2)

    A round costs O(k d^2), and is exact for millions of rounds; see ``jostle.linear``.

    Arguments:
        features: dimension of a context.
        exploration: the radius beta, if fixed. Of the order of the noise on the rewards.
        regularisation: lambda.
        radius: "fixed", or "theory" for the confidence ellipsoid, which needs the next three.
        noise: R; the noise on the rewards is R-sub-Gaussian.
        delta: the probability with which the ellipsoid may ever miss the truth.
        bound: S, a bound on the length of the true theta.
    """

    exploration: Any = leaf(default=0.3)
    regularisation: Any = leaf(default=0.1, least=SMALLEST_REGULARISATION)
    radius: str = static(default=FIXED)
    noise: Any = leaf(default=0.1)
    delta: Any = leaf(default=0.01, least=1e-12, most=1.0)
    bound: Any = leaf(default=1.0)

    def check(self) -> None:
        """Refuse bad arguments."""
        super().check()
        if self.radius not in (FIXED, THEORY):
            raise ValueError(unknown("radius", self.radius, (FIXED, THEORY)))

    def init(self, key: jax.Array) -> Ridge:
        """No observation."""
        return Ridge.empty(self.features, self.regularisation)

    def choose(self, state: Ridge, key: Any, round: Round) -> Choice:
        """The highest upper confidence bound."""
        xp = round.contexts.__array_namespace__()
        beta = self.exploration
        if self.radius == THEORY:
            likelihood = xp.sqrt(2 * xp.log(1 / self.delta) + state.now.log_det)
            beta = self.noise * likelihood + xp.sqrt(self.regularisation) * self.bound
        scores = state.estimates(round.contexts) + beta * state.widths(round.contexts)
        return Choice(pick_best(key, scores, round.mask), scores)

    def learn(self, state: Ridge, key: jax.Array, feedback: Feedback) -> Ridge:
        """A rank-one update."""
        return state.observe(feedback.context, feedback.reward)

    def deciding(self, state: Ridge) -> Ridge:
        """The regression without what only learning needs."""
        return state.deciding()

    @property
    def on_host(self) -> bool:
        """Two products."""
        return True
