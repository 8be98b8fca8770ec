"""``RidgePolicy``: one ridge regression and a confidence radius, shared by LinUCB and LinTS."""

from typing import Any

import jax

from jostle.core.record import leaf, static
from jostle.core.validation import unknown
from jostle.models.ridge import FIXED, SMALLEST_REGULARISATION, THEORY, Ridge
from jostle.policies.base import Policy
from jostle.types import Feedback


class RidgePolicy(Policy):
    """A policy with a linear model of the rewards and a radius around its estimate.

    Arguments:
        features: length of a context vector.
        exploration: the radius, if it is fixed; of the order of the noise on the rewards.
        regularisation: lambda.
        radius: "fixed", or "theory" for the formula of the paper, which uses the next two.
        noise: R; the noise on the rewards is R-sub-Gaussian.
        delta: the probability with which the guarantee may fail.
    """

    exploration: Any = leaf(default=0.1)
    regularisation: Any = leaf(default=0.1, least=SMALLEST_REGULARISATION)
    radius: str = static(default=FIXED)
    noise: Any = leaf(default=0.1)
    delta: Any = leaf(default=0.01, least=1e-12, most=1.0)

    def check(self) -> None:
        """Reject bad arguments."""
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
        """The regression without the parts that only learning needs."""
        return state.deciding()

    @property
    def on_host(self) -> bool:
        """A decision is a few matrix products."""
        return True
