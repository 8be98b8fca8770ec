"""FALCON+, to the letter (Simchi-Levi and Xu 2020, "Bypassing the monster", Algorithm 2)."""

from typing import Any, NamedTuple

import jax
import jax.numpy as jnp

from jostle.core.record import static
from jostle.models.fitting import Fit
from jostle.models.history import Tried
from jostle.models.training import Training
from jostle.policies._inverse_gaps import InverseGapPolicy
from jostle.types import Feedback

REGRESSION_STEPS = 1000
"""Gradient steps of one offline regression."""


class FalconState(NamedTuple):
    """A network fitted to the last epoch, and the observations of the current one."""

    fit: Fit
    history: Any
    tried: Tried
    seen: jax.Array  # observations in all
    fitted: jax.Array  # observations the network was fitted to


class PaperFalcon(InverseGapPolicy):
    """A few offline regressions, with choices by inverse gap weighting in between.

    FALCON+ of Simchi-Levi and Xu, "Bypassing the Monster: A Faster and Simpler Optimal Algorithm
    for Contextual Bandits under Realizability", Algorithm 2. Epochs end after 2, 4, 8, ...
    observations. At each end the network is fitted from scratch to the n observations of that
    epoch, and arms of the next one are drawn by ``InverseGapPolicy``, with E(n) the estimation
    error of the regression. Build it by ``Falcon.paper(...)``, with the network of NPR's paper, or
    with jostle's by ``Falcon.descent(...)``.

    Arguments:
        complexity: of the class of functions, in E(n); the smaller, the greedier. The estimates of
            an epoch rest on the epoch before it alone: if that was greedy, they know too little
            about other arms.
        others: see ``InverseGapPolicy``. Automatic settings of the training
            are those of one offline regression from theta_0: 1,000 steps, without decay.
    """

    sweep: int | None = static(default=0)

    PAPER_STEPS = REGRESSION_STEPS

    @property
    def effective_training(self) -> Training:
        """Automatic settings are those of one offline regression from theta_0."""
        return self.training.resolve(steps=REGRESSION_STEPS, decay=0.0, restart=True)

    def init(self, key: jax.Array) -> FalconState:
        """theta_0, at which all arms have the same estimate."""
        fit, history, tried = super().init(key)
        return FalconState(fit, history, tried, jnp.int32(0), jnp.int32(0))

    def informed(self, state: FalconState) -> Any:
        """The observations of the last epoch."""
        return state.fitted

    def learn(self, state: FalconState, key: jax.Array, feedback: Feedback) -> FalconState:
        """Remember; at the end of an epoch fit to it, forget it and start the next."""
        remember_key, fit_key = jax.random.split(key)
        seen = state.seen + 1
        state = self.remember(state, remember_key, feedback)._replace(seen=seen)
        ended = (seen >= 2) & (seen & (seen - 1) == 0)  # epochs end at powers of two

        def next_epoch(state: FalconState) -> FalconState:
            fitted = self.refit(state, fit_key)
            empty = jax.tree.map(jnp.zeros_like, state.history)
            return fitted._replace(history=empty, fitted=state.history.seen)

        after: FalconState = jax.lax.cond(ended, next_epoch, lambda state: state, state)
        return after
