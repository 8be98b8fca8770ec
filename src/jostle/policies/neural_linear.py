"""NeuralLinear: Thompson sampling on a network's last hidden layer (Riquelme et al., ICLR 2018)."""

from collections.abc import Callable
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from jostle.core.arrays import Contexts, Mask, Matrix, Scores
from jostle.core.backend import normals
from jostle.core.contexts import Blocks, count, take
from jostle.core.record import leaf, static
from jostle.core.validation import whole
from jostle.models.centred_ridge import Pair
from jostle.models.history import History, PooledHistory, Tried
from jostle.models.networks import MLP, PaperNetwork
from jostle.models.residuals import Residuals
from jostle.models.ridge import SMALLEST_REGULARISATION, lengths
from jostle.policies._neural import NeuralPolicy
from jostle.policies._probabilities import SamplingPolicy
from jostle.policies.selection import preferring_untried
from jostle.types import Feedback, Round

GROWTH = 1.1
"""The posterior is computed again at the latest when the history has grown by this factor."""


class NeuralLinearState(NamedTuple):
    """A network in training, an earlier copy of it, and regressions on that copy's features."""

    fit: Any  # Fit; None in a copy for decisions
    history: Any
    tried: Tried
    features_from: Any  # the parameters whose last hidden layer the regressions are on
    models: Pair  # one regression per block, for rewards less the first one
    residuals: Residuals
    variance: Any  # of all rewards, by which they are scaled for the network
    due: Any  # int32: the number of observations at which the copy is replaced


class NeuralLinear(SamplingPolicy, NeuralPolicy):
    """The best arm of a Bayesian linear regression, drawn afresh, on features a network learns.

    Riquelme, Tucker and Snoek, "Deep Bayesian Bandits Showdown", ICLR 2018. With phi(x) the last
    hidden layer of the network and a constant, and V_b, w_b those of the block of arm i (of all
    arms, if the environment has no blocks):

        V_b     = prior I + sum_s phi(x_s) phi(x_s)',    w_b = V_b^-1 sum_s (r_s - m) phi(x_s)
        w~_b    ~ N(w_b, (exploration sigma)^2 V_b^-1),   one draw for each b and decision
        score_i = m + phi(x_i) . w~_b

    m is the mean reward and sigma the deviation of the errors of m + phi(x) . w_b, each made before
    learning from the reward (in the paper sigma^2 has an inverse-gamma posterior for each arm). The
    network is trained after each observation, as in ``NeuralPolicy``, on rewards less their mean
    and divided by their deviation, so the unit of rewards does not matter.

    phi is the layer of a copy of the network. After ``interval`` observations, or once the history
    has grown by a tenth if that is more, the copy is replaced, and all regressions are computed
    from the history with the new features. So they are exact at any time, for an amortised cost
    per observation that does not grow.

    Arguments:
        exploration: the width of the posterior; 1 is Bayes's.
        prior: the precision of the weights of the last layer, in units of sigma^-2.
        interval: the least number of observations between two copies of the network.
        others: see ``NeuralPolicy`` and ``SamplingPolicy``. The network is an ``MLP`` or a
            ``PaperNetwork``.
    """

    sweep: int | None = static(default=0)
    exploration: Any = leaf(default=0.3)
    prior: Any = leaf(default=1e-4, least=SMALLEST_REGULARISATION)
    interval: int = static(default=50)

    def check(self) -> None:
        """Reject bad arguments."""
        super().check()
        whole("interval", self.interval)
        if not isinstance(self.network, MLP | PaperNetwork):
            raise TypeError(
                "network must be an MLP or a PaperNetwork, whose last hidden layer is known, not "
                f"{self.network!r}"
            )

    def init(self, key: jax.Array) -> NeuralLinearState:
        """theta_0 and no observation."""
        fit, history, tried = super().init(key)
        copy = jax.tree.map(jnp.copy, fit.average)
        return NeuralLinearState(
            fit,
            history,
            tried,
            copy,
            self._no_models(),
            Residuals.empty(),
            jnp.float32(0),
            jnp.int32(self.interval),
        )

    def represent(self, state: NeuralLinearState, contexts: Contexts) -> Matrix:
        """phi of each context: the last hidden layer / sqrt(width), and 1."""
        layer = self._network.hidden(state.features_from, contexts)
        xp = layer.__array_namespace__()
        one = xp.ones((count(contexts), 1), layer.dtype)
        scaled = layer / np.sqrt(np.float32(self._network.width))
        phi: Matrix = xp.concatenate([scaled, one], axis=1)
        return phi

    def draws(
        self, state: NeuralLinearState, key: Any, round: Round, shape: tuple[int, ...]
    ) -> Scores:
        """Estimates by models drawn from the posterior of each block."""
        phi = self.represent(state, round.contexts)
        block = _blocks(round.contexts)
        means = state.models.around(state.residuals.mean[0])[block]  # (k, p)
        spread = (phi[:, None, :] @ state.models.ridge.root[block])[:, 0]  # phi' S of each arm
        z = normals(key, (*shape, self._models, self._size))[..., block, :]
        noise = self.exploration * state.residuals.unit * (spread * z).sum(-1)
        return state.residuals.level + (phi * means).sum(-1) + noise

    def deviations(self, state: NeuralLinearState, contexts: Contexts) -> Scores:
        """The standard deviation of each context's score."""
        phi, block = self.represent(state, contexts), _blocks(contexts)
        spread = (phi[:, None, :] @ state.models.ridge.root[block])[:, 0]
        return self.exploration * state.residuals.unit * lengths(spread)

    def allowed(self, state: NeuralLinearState, round: Round) -> Mask:
        """Arms never pulled if they are swept, else all that are present."""
        return preferring_untried(state.tried, round)

    def learn(
        self, state: NeuralLinearState, key: jax.Array, feedback: Feedback
    ) -> NeuralLinearState:
        """Update the regression of the arm, train the network, and copy it if that is due."""
        remember_key, fit_key = jax.random.split(key)
        alone = jax.tree.map(lambda part: part[None], feedback.context)
        phi, block = self.represent(state, alone)[0], _blocks(alone)[0]
        residuals = state.residuals.started(feedback.reward)
        measured, mean = feedback.reward - residuals.first, residuals.mean[0]
        model = state.models.row(block)
        error = measured - mean - phi @ model.around(mean)
        after = residuals.observe(feedback.reward, error)
        change = (measured - mean) * (measured - after.mean[0]) - state.variance
        state = state._replace(
            models=state.models.with_row(block, model.observe(phi, measured)),
            residuals=after,
            variance=state.variance + change / after.seen,
        )
        state = self._trained(self.remember(state, remember_key, feedback), fit_key)
        due = after.seen >= state.due
        latest: NeuralLinearState = jax.lax.cond(due, self.renewed, lambda state: state, state)
        return latest

    def renewed(self, state: NeuralLinearState) -> NeuralLinearState:
        """With a new copy of the network, and the regressions of the history on its features."""
        state = state._replace(features_from=state.fit.average)
        seen = state.residuals.seen
        grown = jnp.ceil(GROWTH * seen).astype(jnp.int32)
        return state._replace(
            models=self.solved(state), due=jnp.maximum(seen + self.interval, grown)
        )

    def solved(self, state: NeuralLinearState) -> Pair:
        """The regressions of all observations held, one after another."""
        history, first = state.history, state.residuals.first
        pooled = isinstance(history, PooledHistory)
        rewards = history.means if pooled else history.rewards

        def add(row: jax.Array, models: Pair) -> Pair:
            context = jax.tree.map(lambda part: part[None], take(history.contexts, row))
            phi, block = self.represent(state, context)[0], _blocks(context)[0]
            weight = jnp.sqrt(history.counts[row]) if pooled else 1.0
            measured = weight * (rewards[row] - first)
            model = models.row(block).observe(weight * phi, measured, weight)
            return models.with_row(block, model)

        held = len(rewards) if pooled else history.size
        models: Pair = jax.lax.fori_loop(0, held, add, self._no_models())
        return models

    def deciding(self, state: NeuralLinearState) -> NeuralLinearState:
        """The copied network and the regressions."""
        return state._replace(fit=None, history=None, models=state.models.deciding())

    def _trained(self, state: NeuralLinearState, key: jax.Array) -> NeuralLinearState:
        """Gradient steps on standardised rewards; the history keeps them as they are."""
        level = state.residuals.level
        deviation = jnp.sqrt(jnp.where(state.variance > 0, state.variance, 1.0))
        scaled = _with_rewards(state.history, lambda rewards: (rewards - level) / deviation)
        fit = self.refit(state._replace(history=scaled), key).fit
        return state._replace(fit=fit)

    def _no_models(self) -> Pair:
        return Pair.many(self._models, self._size, self.prior)

    @property
    def _network(self) -> MLP | PaperNetwork:
        network: Any = self.network
        return network  # type: ignore[no-any-return]

    @property
    def _models(self) -> int:
        """The number of regressions."""
        return (self.blocks or 1) if self.takes_blocks else 1

    @property
    def _size(self) -> int:
        """The number of features of a regression."""
        return self._network.width + 1


def _blocks(contexts: Contexts) -> Any:
    """The regression that each context belongs to."""
    if isinstance(contexts, Blocks):
        return contexts.block
    return contexts.__array_namespace__().zeros(contexts.shape[0], np.int32)


def _with_rewards(history: Any, change: Callable[[Any], Any]) -> History | PooledHistory:
    """The history with its rewards changed."""
    if isinstance(history, PooledHistory):
        return history._replace(means=change(history.means))
    changed: History = history._replace(rewards=change(history.rewards))
    return changed
