"""NeuralUCB: upper confidence bounds with a network (Zhou et al., ICML 2020, Algorithm 1)."""

from typing import Any

from jostle.core.arrays import Mask, Scores
from jostle.core.record import leaf
from jostle.policies._gradient import GradientPolicy
from jostle.policies._probabilities import ScoringPolicy
from jostle.policies._stacked_gradient import StackedGradientPolicy
from jostle.policies.selection import preferring_untried
from jostle.types import Round


class PaperNeuralUCB(ScoringPolicy, GradientPolicy):
    """Optimism: the estimate plus its width in the space of the network's gradients.

    Zhou, Li and Gu, "Neural Contextual Bandits with UCB-based Exploration", ICML 2020, Algorithm 1:

        U_i = f(x_i; theta) + gamma sqrt(g(x_i; theta)' Z^-1 g(x_i; theta) / m)
        a   = argmax_i U_i
        Z  <- Z + g(x_a; theta) g(x_a; theta)' / m,      Z_0 = lambda I

    and theta is fitted to all observations as in NPR's paper, without perturbations. Build it by
    ``NeuralUCB.paper(...)`` or, with jostle's network and training, ``NeuralUCB.descent(...)``.
    Arguments: see ``GradientPolicy`` and ``KnowsProbabilities``.
    """

    def scores(self, state: Any, round: Round) -> Scores:
        """Upper confidence bounds U_i."""
        estimates = self.estimates(state, round.contexts)
        return estimates + self.exploration * self.widths(state, round.contexts)

    def allowed(self, state: Any, round: Round) -> Mask:
        """Arms never pulled if they are swept, else all that are present."""
        return preferring_untried(state.tried, round)


class NeuralUCB(StackedGradientPolicy, PaperNeuralUCB):
    """Optimism: NPR's mean, plus a width in the space of its network's gradients.

        U_i = mean(x_i) + gamma sigma sqrt(g(x_i)' Z^-1 g(x_i) / m),      a = argmax_i U_i

    with Z as in Zhou, Li and Gu, "Neural Contextual Bandits with UCB-based Exploration", ICML 2020,
    Algorithm 1, and sigma the deviation of errors made before learning. Until two rewards differ,
    it chooses uniformly. It differs from NPR in its exploration alone. ``NeuralUCB.paper`` is their
    algorithm to the letter, with f(x; theta) of a network as its mean.

    Arguments: see ``StackedGradientPolicy`` and ``KnowsProbabilities``.
    """

    paper_form = PaperNeuralUCB

    exploration: Any = leaf(default=0.0001)
