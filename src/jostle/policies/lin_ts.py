"""LinTS: Thompson sampling with a linear model (Agrawal and Goyal, 2013)."""

from typing import Any

import jax

from jostle.checks import unknown
from jostle.linear import FIXED, SMALLEST_REGULARISATION, THEORY, Ridge, normals
from jostle.policies.base import Policy, pick_best, split
from jostle.records import leaf, static
from jostle.types import Choice, Feedback, Round


class LinTS(Policy):
    """The best arm of a model drawn from the Gaussian posterior, a new draw for every decision.

    Agrawal and Goyal, "Thompson Sampling for Contextual Bandits with Linear Payoffs", ICML 2013,
    Algorithm 1, with V for their B and any lambda where theirs is 1:

        V_t     = lambda I + sum_s x_s x_s',   theta_t = V_t^-1 sum_s r_s x_s
        theta~  ~ N(theta_t, v^2 V_t^-1)
        score_i = x_i . theta~
        v       = exploration                                              (radius="fixed")
        v       = R sqrt(9 d log(t / delta))                 (radius="theory", their Section 2)

    The draw is theta_t + v S z with z ~ N(0, I) and S S' = V_t^-1. Like a Cholesky factor S costs
    no SVD, and less: it is itself kept up to date in O(d^2) (see ``jostle.linear``).

    Arguments:
        features: dimension of a context.
        exploration: the scale v, if fixed. Of the order of the noise on the rewards.
        regularisation: lambda.
        radius: "fixed", or "theory", which needs the next two.
        noise: R; the noise on the rewards is R-sub-Gaussian.
        delta: the probability with which the regret bound may fail.
    """

    exploration: Any = leaf(default=0.1)
    regularisation: Any = leaf(default=0.1, least=SMALLEST_REGULARISATION)
    radius: str = static(default=FIXED)
    noise: Any = leaf(default=0.1)
    delta: Any = leaf(default=0.01, least=1e-12, most=1.0)

    def check(self) -> None:
        """Refuse bad arguments."""
        super().check()
        if self.radius not in (FIXED, THEORY):
            raise ValueError(unknown("radius", self.radius, (FIXED, THEORY)))

    def init(self, key: jax.Array) -> Ridge:
        """No observation."""
        return Ridge.empty(self.features, self.regularisation)

    def choose(self, state: Ridge, key: Any, round: Round) -> Choice:
        """The best arm of a fresh draw."""
        draw_key, pick_key = split(key)
        xp = round.contexts.__array_namespace__()
        v = self.exploration
        if self.radius == THEORY:
            v = self.noise * xp.sqrt(9 * self.features * xp.log((state.seen + 1) / self.delta))
        theta = state.now.theta + v * (state.now.root @ normals(draw_key, (self.features,)))
        scores = round.contexts @ theta
        return Choice(pick_best(pick_key, scores, round.mask), scores)

    def learn(self, state: Ridge, key: jax.Array, feedback: Feedback) -> Ridge:
        """A rank-one update."""
        return state.observe(feedback.context, feedback.reward)

    def deciding(self, state: Ridge) -> Ridge:
        """The regression without what only learning needs."""
        return state.deciding()

    @property
    def on_host(self) -> bool:
        """A draw and two products."""
        return True
