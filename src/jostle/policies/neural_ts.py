"""NeuralTS: Thompson sampling with a network (Zhang et al., ICLR 2021, Algorithm 1)."""

from typing import Any

import jax
import jax.numpy as jnp

from jostle.core.arrays import Mask, Scores
from jostle.core.record import leaf
from jostle.policies._gradient import GradientPolicy
from jostle.policies._probabilities import SamplingPolicy
from jostle.policies._stacked_gradient import StackedGradientPolicy
from jostle.policies.selection import preferring_untried
from jostle.types import Round


class PaperNeuralTS(SamplingPolicy, GradientPolicy):
    """Thompson sampling: the reward of each arm is drawn from its posterior.

    Zhang, Zhou, Li and Gu, "Neural Thompson Sampling", ICLR 2021, Algorithm 1:

        s_i^2 = lambda g(x_i; theta)' U^-1 g(x_i; theta) / m
        r_i   ~ N(f(x_i; theta), nu^2 s_i^2),      a = argmax_i r_i
        U    <- U + g(x_a; theta) g(x_a; theta)' / m,      U_0 = lambda I

    and theta is fitted to all observations as in NPR's paper, without perturbations. Build it by
    ``NeuralTS.paper(...)`` or, with jostle's network and training, ``NeuralTS.descent(...)``.
    Arguments: see ``GradientPolicy`` and ``SamplingPolicy``.
    """

    exploration: Any = leaf(default=0.3)

    def draws(self, state: Any, key: Any, round: Round, shape: tuple[int, ...]) -> Scores:
        """Rewards r_i drawn from the posterior."""
        estimates = self.estimates(state, round.contexts)
        deviations = jnp.sqrt(self.regularisation) * self.widths(state, round.contexts)
        draws = jax.random.normal(key, (*shape, *estimates.shape))
        return estimates + self.exploration * deviations * draws

    def allowed(self, state: Any, round: Round) -> Mask:
        """Arms never pulled if they are swept, else all that are present."""
        return preferring_untried(state.tried, round)


class NeuralTS(StackedGradientPolicy, PaperNeuralTS):
    """Thompson sampling around NPR's mean, as uncertain as its network's gradients say.

        r_i ~ N(mean(x_i), (nu sigma s_i)^2),      a = argmax_i r_i

    with s_i as in Zhang, Zhou, Li and Gu, "Neural Thompson Sampling", ICLR 2021, Algorithm 1, and
    sigma the deviation of errors made before learning. Until two rewards differ, it chooses
    uniformly. It differs from NPR in its exploration alone. ``NeuralTS.paper`` is their algorithm
    to the letter, with f(x; theta) of a network as its mean.

    Arguments: see ``StackedGradientPolicy`` and ``SamplingPolicy``.
    """

    paper_form = PaperNeuralTS

    exploration: Any = leaf(default=0.03)
