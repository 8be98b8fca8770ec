"""What LinUCB and LinTS share: one ridge regression, and a radius around its estimate."""

from typing import Any

import jax

from jostle.core.record import leaf, static
from jostle.core.validation import unknown
from jostle.models.ridge import FIXED, SMALLEST_REGULARISATION, THEORY, Ridge
from jostle.policies.base import Policy
from jostle.types import Feedback


class RidgePolicy(Policy):
    """A linear model of the rewards, and how far from its estimate the truth may be.

    Arguments:
        features: dimension of a context.
        exploration: the radius, if fixed. Of the order of the noise on the rewards.
        regularisation: lambda.
        radius: "fixed", or "theory", which needs the next two.
        noise: R; the noise on the rewards is R-sub-Gaussian.
        delta: the probability with which what the theory promises may fail.
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

    def learn(self, state: Ridge, key: jax.Array, feedback: Feedback) -> Ridge:
        """A rank-one update."""
        return state.observe(feedback.context, feedback.reward)

    def deciding(self, state: Ridge) -> Ridge:
        """The regression without what only learning needs."""
        return state.deciding()

    @property
    def on_host(self) -> bool:
        """A few products."""
        return True
