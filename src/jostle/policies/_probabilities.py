"""Policies that know how likely each arm was to be chosen, and may give every arm a floor."""

from typing import Any

from jostle.core.arrays import Index, Mask, Probabilities, Scores
from jostle.core.backend import split
from jostle.core.record import leaf, static
from jostle.core.validation import whole
from jostle.policies.base import Policy
from jostle.policies.selection import (
    even,
    greedy,
    mixed,
    pick_above_floor,
    pick_best,
    pick_weighted,
    vote_shares,
)
from jostle.types import Choice, Round

SAMPLES = 64
"""Draws of all scores from which a randomised policy estimates its probabilities."""


class KnowsProbabilities(Policy):
    """A policy that can state its probabilities, and mixes them with the uniform distribution.

        (1 - floor) p_i + floor / K        for each of the K arms present

    Logs are good for evaluating other policies only where every arm had a chance: set a ``floor``
    above 0, unless the policy itself gives every arm some probability.

    Arguments:
        floor: the probability of choosing any of the arms present, uniformly.
    """

    floor: Any = leaf(default=0.0, most=1.0, extra=True, kw_only=True)

    def allowed(self, state: Any, round: Round) -> Mask:
        """The arms to choose from, apart from the floor: those present, unless overridden."""
        return round.mask

    def weigh(self, state: Any, key: Any, round: Round) -> tuple[Scores, Probabilities]:
        """The scores, and the probability of each arm before the floor."""
        raise NotImplementedError(f"{type(self).__name__} must define weigh")

    def choose_with_probabilities(self, state: Any, key: Any, round: Round) -> Choice:
        """An arm drawn from the probabilities."""
        weigh_key, pick_key = split(key)
        scores, probabilities = self.weigh(state, weigh_key, round)
        probabilities = mixed(probabilities, self.floor, round.mask)
        return Choice(pick_weighted(pick_key, probabilities), scores, probabilities)

    def above_floor(self, key: Any, index: Index, round: Round) -> Index:
        """The arm at ``index`` or, with probability ``floor``, any arm present."""
        return pick_above_floor(key, index, self.floor, round.mask)

    @property
    def knows_probabilities(self) -> bool:
        """It does."""
        return True


class ScoringPolicy(KnowsProbabilities):
    """The arm with the highest score, which is not random; arms with equal scores share it."""

    def scores(self, state: Any, round: Round) -> Scores:
        """What the arms are ranked by."""
        raise NotImplementedError(f"{type(self).__name__} must define scores")

    def weigh(self, state: Any, key: Any, round: Round) -> tuple[Scores, Probabilities]:
        """All probability to the best arm."""
        scores = self.scores(state, round)
        return scores, even(greedy(scores, self.allowed(state, round)))

    def choose(self, state: Any, key: Any, round: Round) -> Choice:
        """The arm with the highest score."""
        scores = self.scores(state, round)
        index = pick_best(key, scores, self.allowed(state, round))
        return Choice(self.above_floor(key, index, round), scores)


class SamplingPolicy(KnowsProbabilities):
    """The arm with the highest score, where scores are drawn afresh for every decision.

    ``choose`` draws them once. ``choose_with_probabilities`` draws them ``samples`` times and
    chooses each arm with the share of draws in which it is best. The arm is drawn from exactly
    these probabilities; they are themselves random, with the exact ones as their mean.

    Arguments:
        samples: the number of draws, if probabilities are asked for.
        others: see ``KnowsProbabilities``.
    """

    samples: int = static(default=SAMPLES, extra=True, kw_only=True)

    def check(self) -> None:
        """Reject bad arguments."""
        super().check()
        whole("samples", self.samples)

    def draws(self, state: Any, key: Any, round: Round, shape: tuple[int, ...]) -> Scores:
        """Draws of all scores, of shape (*shape, k)."""
        raise NotImplementedError(f"{type(self).__name__} must define draws")

    def weigh(self, state: Any, key: Any, round: Round) -> tuple[Scores, Probabilities]:
        """Each arm's share of the draws in which it is best."""
        draws = self.draws(state, key, round, (self.samples,))
        return draws.mean(0), vote_shares(draws, self.allowed(state, round))

    def choose(self, state: Any, key: Any, round: Round) -> Choice:
        """The best arm of one draw."""
        draw_key, pick_key = split(key)
        scores = self.draws(state, draw_key, round, ())
        index = pick_best(pick_key, scores, self.allowed(state, round))
        return Choice(self.above_floor(pick_key, index, round), scores)
