"""NeuralTS: Thompson sampling with a network (Zhang et al., ICLR 2021, Algorithm 1)."""

from typing import Any

import jax
import jax.numpy as jnp

from jostle.core.arrays import Mask, Scores
from jostle.core.record import leaf
from jostle.policies._gradient import GradientPolicy, GradientState
from jostle.policies._probabilities import SamplingPolicy
from jostle.policies.selection import preferring_untried
from jostle.types import Round


class NeuralTS(SamplingPolicy, GradientPolicy):
    """Thompson sampling: the reward of each arm is drawn from its posterior.

    Zhang, Zhou, Li and Gu, "Neural Thompson Sampling", ICLR 2021, Algorithm 1:

        s_i^2 = lambda g(x_i; theta)' U^-1 g(x_i; theta) / m
        r_i   ~ N(f(x_i; theta), nu^2 s_i^2),      a = argmax_i r_i
        U    <- U + g(x_a; theta) g(x_a; theta)' / m,      U_0 = lambda I

    and theta is fitted to all observations as in NPR, without perturbations. Arguments: see
    ``GradientPolicy`` and ``SamplingPolicy``.
    """

    exploration: Any = leaf(default=0.3)

    def draws(self, state: GradientState, key: Any, round: Round, shape: tuple[int, ...]) -> Scores:
        """Rewards r_i drawn from the posterior."""
        estimates = self.estimates(state, round.contexts)
        deviations = jnp.sqrt(self.regularisation) * self.widths(state, round.contexts)
        draws = jax.random.normal(key, (*shape, *estimates.shape))
        return estimates + self.exploration * deviations * draws

    def allowed(self, state: GradientState, round: Round) -> Mask:
        """Arms never pulled if they are swept, else all that are present."""
        return preferring_untried(state.tried, round)
