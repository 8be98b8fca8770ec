"""NeuralUCB: upper confidence bounds with a network (Zhou et al., ICML 2020, Algorithm 1)."""

from typing import Any

from jostle.policies._gradient import GradientPolicy, GradientState
from jostle.policies.selection import pick_best, preferring_untried
from jostle.types import Choice, Round


class NeuralUCB(GradientPolicy):
    """Optimism: the estimate plus its width in the space of the network's gradients.

    Zhou, Li and Gu, "Neural Contextual Bandits with UCB-based Exploration", ICML 2020, Algorithm 1:

        U_i = f(x_i; theta) + gamma sqrt(g(x_i; theta)' Z^-1 g(x_i; theta) / m)
        a   = argmax_i U_i
        Z  <- Z + g(x_a; theta) g(x_a; theta)' / m,      Z_0 = lambda I

    and theta is fitted to all observations as in NPR, without perturbations. Arguments: see
    ``GradientPolicy``.
    """

    def choose(self, state: GradientState, key: Any, round: Round) -> Choice:
        """The arm with the highest upper confidence bound."""
        estimates = self.estimates(state, round.contexts)
        scores = estimates + self.exploration * self.widths(state, round.contexts)
        return Choice(pick_best(key, scores, preferring_untried(state.tried, round)), scores)
