"""Epsilon-greedy with the same estimates as NPR."""

from typing import Any

from jostle.core.arrays import Mask, Probabilities, Scores
from jostle.core.backend import split, uniforms
from jostle.core.record import leaf
from jostle.policies._neural import NeuralPolicy
from jostle.policies._probabilities import KnowsProbabilities
from jostle.policies._stacked import StackedPolicy
from jostle.policies.selection import even, greedy, mixed, pick_uniformly, preferring_untried
from jostle.types import Choice, Round


class PaperEpsilonGreedy(KnowsProbabilities, NeuralPolicy):
    """The arm with the best estimate with probability 1 - epsilon, else an arm at random.

        p_i = epsilon / k + (1 - epsilon) [i = argmax_j f(x_j; theta)],      k arms shown

    and theta is fitted to all observations as in NPR's paper, without perturbations. Build it by
    ``EpsilonGreedy.paper(...)``, with the network and training of that paper, or with jostle's by
    ``EpsilonGreedy.descent(...)``.

    Arguments:
        epsilon: the probability of choosing at random.
        others: see ``NeuralPolicy`` and ``KnowsProbabilities``.
    """

    epsilon: Any = leaf(default=0.05, most=1.0)

    def choose(self, state: Any, key: Any, round: Round) -> Choice:
        """An arm never pulled if it is swept; else greedy or, with probability epsilon, random."""
        coin_key, pick_key = split(key)
        scores = self.estimates(state, round.contexts)
        xp = scores.__array_namespace__()
        allowed = self.allowed(state, round)
        best = greedy(scores, allowed)
        explore = uniforms(coin_key, ()) < self.epsilon
        index = pick_uniformly(pick_key, xp.where(explore, allowed, best))
        return Choice(self.above_floor(pick_key, index, round), scores)

    def weigh(self, state: Any, key: Any, round: Round) -> tuple[Scores, Probabilities]:
        """p_i of each arm; arms with equal estimates share that of the best."""
        scores, allowed = self.estimates(state, round.contexts), self.allowed(state, round)
        return scores, mixed(even(greedy(scores, allowed)), self.epsilon, allowed)

    def allowed(self, state: Any, round: Round) -> Mask:
        """Arms never pulled if they are swept, else all that are present."""
        return preferring_untried(state.tried, round)


class EpsilonGreedy(StackedPolicy, PaperEpsilonGreedy):
    """The arm with the best estimate with probability 1 - epsilon, else an arm at random.

        p_i = epsilon / k + (1 - epsilon) [i = argmax_j mean(x_j)],      k arms shown

    The mean is NPR's, so that with ``epsilon=0`` it is NPR without its exploration. Until two
    rewards differ, all arms are alike. ``EpsilonGreedy.paper`` has the network of NPR's paper as
    its mean.

    Arguments:
        epsilon: the probability of choosing at random.
        others: see ``StackedPolicy`` and ``KnowsProbabilities``.
    """

    behaviour = 5
    paper_form = PaperEpsilonGreedy
