"""Epsilon-greedy with the same network as NPR, without perturbations."""

from typing import Any

import jax

from jostle.core.arrays import Mask, Probabilities, Scores
from jostle.core.backend import split, uniforms
from jostle.core.record import leaf
from jostle.policies._neural import NeuralPolicy, NeuralState
from jostle.policies._probabilities import KnowsProbabilities
from jostle.policies.selection import even, greedy, mixed, pick_uniformly, preferring_untried
from jostle.types import Choice, Feedback, Round


class EpsilonGreedy(KnowsProbabilities, NeuralPolicy):
    """The arm with the best estimate with probability 1 - epsilon, else an arm at random.

        p_i = epsilon / k + (1 - epsilon) [i = argmax_j f(x_j; theta)],      k arms shown

    and theta is fitted to all observations as in NPR, without perturbations. With ``epsilon=0`` it
    is the greedy policy: NPR without its exploration.

    Arguments:
        epsilon: the probability of choosing at random.
        others: see ``NeuralPolicy`` and ``KnowsProbabilities``.
    """

    epsilon: Any = leaf(default=0.05, most=1.0)

    def choose(self, state: NeuralState, key: Any, round: Round) -> Choice:
        """An arm never pulled if there is one; else greedy or, with probability epsilon, random."""
        coin_key, pick_key = split(key)
        scores = self.estimates(state, round.contexts)
        xp = scores.__array_namespace__()
        allowed = self.allowed(state, round)
        best = greedy(scores, allowed)
        explore = uniforms(coin_key, ()) < self.epsilon
        index = pick_uniformly(pick_key, xp.where(explore, allowed, best))
        return Choice(self.above_floor(pick_key, index, round), scores)

    def weigh(self, state: NeuralState, key: Any, round: Round) -> tuple[Scores, Probabilities]:
        """p_i of each arm; arms with equal estimates share that of the best."""
        scores, allowed = self.estimates(state, round.contexts), self.allowed(state, round)
        return scores, mixed(even(greedy(scores, allowed)), self.epsilon, allowed)

    def allowed(self, state: NeuralState, round: Round) -> Mask:
        """Arms never pulled if there are any, else all that are present."""
        return preferring_untried(state.tried, round)

    def learn(self, state: NeuralState, key: jax.Array, feedback: Feedback) -> NeuralState:
        """Fit to the rewards as they are."""
        remember_key, fit_key = jax.random.split(key)
        state = self.remember(state, remember_key, feedback)
        return self.refit(state, fit_key)
