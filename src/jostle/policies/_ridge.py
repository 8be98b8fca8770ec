"""``RidgePolicy``: one ridge regression and a confidence radius, shared by LinUCB and LinTS."""

from typing import Any, ClassVar, Self

import jax

from jostle.core.record import leaf, static
from jostle.core.validation import unknown
from jostle.models.centred_ridge import CentredRidge
from jostle.models.ridge import FIXED, RESIDUALS, SMALLEST_REGULARISATION, THEORY, Ridge
from jostle.policies.base import Policy
from jostle.types import Feedback

RADII = (RESIDUALS, FIXED, THEORY)
State = Ridge | CentredRidge


class RidgePolicy(Policy):
    """A policy with a linear model of the rewards and a radius around its estimate.

    By default the model is fitted to rewards less their running mean, and the radius is
    ``exploration`` times the deviation of its errors, each made before learning from the reward
    (see ``jostle.models.centred_ridge``). So neither the unit of rewards nor a constant added to
    them matters. Until two different rewards have been seen, choices are uniform. ``paper`` has the
    papers' form: rewards as they are, and a radius in their unit.

    Arguments:
        features: length of a context vector.
        exploration: the radius, in units of that deviation or, if ``radius`` is "fixed", of
            rewards.
        regularisation: lambda.
        radius: "residuals", the default; "fixed"; or "theory" for the formula of the paper, which
            uses the next two.
        noise: R; the noise on the rewards is R-sub-Gaussian.
        delta: the probability with which the guarantee may fail.
    """

    exploration: Any = leaf(default=0.5)
    regularisation: Any = leaf(default=0.1, least=SMALLEST_REGULARISATION)
    radius: str = static(default=RESIDUALS)
    noise: Any = leaf(default=0.1)
    delta: Any = leaf(default=0.01, least=1e-12, most=1.0)

    PAPER_EXPLORATION: ClassVar[float] = 0.1
    """The fixed radius of ``paper``, unless it is given."""

    @classmethod
    def paper(cls, features: int, **settings: Any) -> Self:
        """As in its paper: rewards as they are, and a fixed radius in their unit."""
        policy = cls(features, radius=FIXED, exploration=cls.PAPER_EXPLORATION)
        return policy.with_settings(**settings)

    def check(self) -> None:
        """Reject bad arguments."""
        super().check()
        if self.radius not in RADII:
            raise ValueError(unknown("radius", self.radius, RADII))

    def init(self, key: jax.Array) -> State:
        """No observation."""
        kind = CentredRidge if self.radius == RESIDUALS else Ridge
        return kind.empty(self.features, self.regularisation)

    def learn(self, state: State, key: jax.Array, feedback: Feedback) -> State:
        """A rank-one update."""
        return state.observe(feedback.context, feedback.reward, feedback.weight)

    def deciding(self, state: State) -> State:
        """The regression without the parts that only learning needs."""
        return state.deciding()

    @property
    def takes_weights(self) -> bool:
        """A weighted observation is another context and reward."""
        return True

    @property
    def on_host(self) -> bool:
        """A decision is a few matrix products."""
        return True
