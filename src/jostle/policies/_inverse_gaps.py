"""``InverseGapPolicy``: the smaller the gap to the best estimate, the likelier an arm."""

from typing import Any

from jostle.core.arrays import Mask, Probabilities, Scores
from jostle.core.record import leaf
from jostle.policies._neural import NeuralPolicy
from jostle.policies._probabilities import KnowsProbabilities
from jostle.policies.selection import greedy, mixed, pick_weighted, preferring_untried
from jostle.types import Choice, Round


class InverseGapPolicy(KnowsProbabilities, NeuralPolicy):
    """Inverse gap weighting (Abe and Long 1999), with K arms shown and n observations behind f:

        gamma  = sqrt(K / E(n)) / 2,     E(n) = complexity / n
        p_i    = 1 / (K + gamma (f(x_best) - f(x_i)) / unit)     for all i but the best
        p_best = 1 - sum of the others

    A subclass defines ``informed``, which is n, and ``gap_unit`` if the unit is not 1.

    Arguments:
        complexity: of the class of functions, in E(n); the smaller, the greedier.
        others: see ``NeuralPolicy`` and ``KnowsProbabilities``.
    """

    complexity: Any = leaf(default=0.03, least=1e-12)

    def informed(self, state: Any) -> Any:
        """n, the number of observations of E(n)."""
        raise NotImplementedError(f"{type(self).__name__} must define informed")

    def gap_unit(self, state: Any) -> Any:
        """What gaps are measured in."""
        return 1.0

    def choose(self, state: Any, key: Any, round: Round) -> Choice:
        """A draw by inverse gap weighting."""
        scores, probabilities = self.weigh(state, key, round)
        return Choice(pick_weighted(key, mixed(probabilities, self.floor, round.mask)), scores)

    def weigh(self, state: Any, key: Any, round: Round) -> tuple[Scores, Probabilities]:
        """The inverse gap weights."""
        scores = self.estimates(state, round.contexts)
        return scores, self.weights(state, scores, self.allowed(state, round))

    def weights(self, state: Any, scores: Scores, allowed: Mask) -> Probabilities:
        """The probability of each arm. Best arms with equal estimates share theirs."""
        xp = scores.__array_namespace__()
        arms = allowed.sum()
        gamma = xp.sqrt(arms * xp.maximum(self.informed(state), 1) / self.complexity) / 2
        best = greedy(scores, allowed)
        gaps = xp.where(allowed, xp.where(allowed, scores, -xp.inf).max() - scores, 0.0)
        others = xp.where(allowed & ~best, 1 / (arms + gamma * (gaps / self.gap_unit(state))), 0.0)
        return xp.where(best, (1 - others.sum()) / best.sum(), others)

    def allowed(self, state: Any, round: Round) -> Mask:
        """Arms never pulled if they are swept, else all that are present."""
        return preferring_untried(state.tried, round)
