"""NeuralUCB: upper confidence bounds with a network (Zhou et al., ICML 2020, Algorithm 1)."""

from jostle.core.arrays import Mask, Scores
from jostle.policies._gradient import GradientPolicy, GradientState
from jostle.policies._probabilities import ScoringPolicy
from jostle.policies.selection import preferring_untried
from jostle.types import Round


class NeuralUCB(ScoringPolicy, GradientPolicy):
    """Optimism: the estimate plus its width in the space of the network's gradients.

    Zhou, Li and Gu, "Neural Contextual Bandits with UCB-based Exploration", ICML 2020, Algorithm 1:

        U_i = f(x_i; theta) + gamma sqrt(g(x_i; theta)' Z^-1 g(x_i; theta) / m)
        a   = argmax_i U_i
        Z  <- Z + g(x_a; theta) g(x_a; theta)' / m,      Z_0 = lambda I

    and theta is fitted to all observations as in NPR, without perturbations. Arguments: see
    ``GradientPolicy`` and ``KnowsProbabilities``.
    """

    def scores(self, state: GradientState, round: Round) -> Scores:
        """Upper confidence bounds U_i."""
        estimates = self.estimates(state, round.contexts)
        return estimates + self.exploration * self.widths(state, round.contexts)

    def allowed(self, state: GradientState, round: Round) -> Mask:
        """Arms never pulled if they are swept, else all that are present."""
        return preferring_untried(state.tried, round)
