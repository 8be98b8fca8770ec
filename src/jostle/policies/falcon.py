"""FALCON+ (Simchi-Levi and Xu 2020, "Bypassing the monster", Algorithm 2)."""

from typing import Any, NamedTuple

import jax
import jax.numpy as jnp

from jostle.core.record import leaf, static
from jostle.models.fitting import Fit
from jostle.models.history import Tried
from jostle.models.training import Training
from jostle.policies._neural import NeuralPolicy
from jostle.policies.selection import greedy, pick_weighted, preferring_untried
from jostle.types import Choice, Feedback, Round

REGRESSION_STEPS = 1000
"""Gradient steps of one offline regression."""


class FalconState(NamedTuple):
    """A network fitted to the last epoch, and the observations of this one."""

    fit: Fit
    history: Any
    tried: Tried
    seen: jax.Array  # observations in all
    fitted: jax.Array  # observations the network was fitted to


class Falcon(NeuralPolicy):
    """Few offline regressions, and choices by inverse gap weighting between them.

    Epochs end after 2, 4, 8, ... observations. At each end the network is fitted from scratch to
    the n observations of that epoch, and during the next one

        gamma = sqrt(K / E(n)) / 2,     E(n) = complexity / n
        p_i   = 1 / (K + gamma (f(x_best) - f(x_i)))     for all i but the best
        p_best = 1 - sum of the others

    where E(n) is the estimation error of the regression and K the number of arms shown.

    Arguments:
        complexity: of the class of functions, in E(n); the smaller, the greedier. An epoch is all
            that the next estimates rest on: if it was greedy, they know too little of other arms.
        others: see ``NeuralPolicy``; ``steps`` is the length of one offline regression, which from
            theta_0 goes better without ``decay``.
    """

    sweep: int | None = static(default=0)
    complexity: Any = leaf(default=0.03, least=1e-12)

    PAPER_STEPS = REGRESSION_STEPS

    @property
    def effective_training(self) -> Training:
        """By default 1,000 steps from theta_0, without decay: one offline regression."""
        return self.training.resolve(steps=REGRESSION_STEPS, decay=0.0, restart=True)

    def init(self, key: jax.Array) -> FalconState:
        """theta_0, at which all arms are alike."""
        fit, history, tried = super().init(key)
        return FalconState(fit, history, tried, jnp.int32(0), jnp.int32(0))

    def choose(self, state: FalconState, key: Any, round: Round) -> Choice:
        """A draw by inverse gap weighting."""
        scores = self.estimates(state, round.contexts)
        probabilities = self.weights(state, scores, preferring_untried(state.tried, round))
        return Choice(pick_weighted(key, probabilities), scores, probabilities)

    def weights(self, state: FalconState, scores: Any, allowed: Any) -> Any:
        """The probability of each arm. Equally good best arms share what is theirs."""
        xp = scores.__array_namespace__()
        arms = allowed.sum()
        gamma = xp.sqrt(arms * xp.maximum(state.fitted, 1) / self.complexity) / 2
        best = greedy(scores, allowed)
        gaps = xp.where(allowed, xp.where(allowed, scores, -xp.inf).max() - scores, 0.0)
        others = xp.where(allowed & ~best, 1 / (arms + gamma * gaps), 0.0)
        return xp.where(best, (1 - others.sum()) / best.sum(), others)

    def learn(self, state: FalconState, key: jax.Array, feedback: Feedback) -> FalconState:
        """Remember; at the end of an epoch fit to it, forget it and begin the next."""
        remember_key, fit_key = jax.random.split(key)
        seen = state.seen + 1
        state = self.remember(state, remember_key, feedback)._replace(seen=seen)
        ended = (seen >= 2) & (seen & (seen - 1) == 0)  # epochs end at powers of two

        def next_epoch(state: FalconState) -> FalconState:
            fitted = self.refit(state, fit_key)
            empty = jax.tree.map(jnp.zeros_like, state.history)
            return fitted._replace(history=empty, fitted=state.history.seen)

        return jax.lax.cond(ended, next_epoch, lambda state: state, state)
