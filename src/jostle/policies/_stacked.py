"""``StackedPolicy``: estimates by ridge regressions and a network, in any unit of the rewards."""

from collections.abc import Mapping
from typing import Any, ClassVar, NamedTuple

import jax
import jax.numpy as jnp

from jostle.core.arrays import Contexts, Scores
from jostle.core.record import leaf, static
from jostle.core.validation import whole
from jostle.models.features import FeatureShape, entries_and_blocks, feature_shape, scaled
from jostle.models.fitting import Batch, Batches, Fit, NoFitting
from jostle.models.forecaster import Forecaster
from jostle.models.history import Tried
from jostle.models.networks import NoNetwork, estimate
from jostle.policies._neural import NeuralPolicy, State
from jostle.types import Feedback

SMALLEST_RIDGE = 1e-6
"""The smallest lambda of the ridge regression on random features."""
POOL_FEATURES, FEATURES = 128, 64
"""Random features with a fixed pool of contexts, and otherwise."""
POOL_SHARPNESS, SHARPNESS = 3.0, 1.0
"""Root mean square of the entries of contexts that random features see: the larger, the faster
estimates vary from one context to another. Contexts of a pool come back, so that telling them
apart matters more than generalising from one to others."""
POOL_CAUTION, CAUTION = 30.0, 300.0
"""Observations after which a forecast other than the linear one is half believed. A pool has few
contexts, and the ridge regression on random features fits them all."""


class StackedState(NamedTuple):
    """Regressions and scales, beside a network, its history and the arms pulled so far."""

    fit: Fit
    history: Any
    tried: Tried
    forecaster: Forecaster


class StackedPolicy(NeuralPolicy):
    """A policy whose estimates suit any unit of rewards and contexts; see ``Forecaster``.

    The network learns what a linear regression leaves over, r - m - lin(x), in units of the
    rewards' deviation. It counts as far as its forecasts have come true. Policies that share this
    mean differ in their exploration alone.

    ``paper(features, ...)`` builds the algorithm of the policy's paper, to the letter, whose mean
    is a network alone; ``descent(features, ...)`` the same with jostle's network and training.

    Arguments:
        ridge: lambda of the ridge regression on random features.
        random_features: their number; by default 64, or 128 with a pool. A rule in
            ``jostle.models.features`` makes it smaller if there are very many blocks.
        network: ``NoNetwork()``, or ``network=none`` by name, for no network at all: learning is
            then several times as fast and needs no history.
        half_life: observations after which an observation counts half, for rewards that drift; None
            (the default) forgets only as far as there is evidence of a drift: that forecasts are
            better with a linear regression that forgets; see ``Forecaster``.
        sweep: by default every arm of a pool is pulled once before anything else, and there is no
            sweep otherwise: priors see to it that new arms are tried.
        others: see ``NeuralPolicy``.
    """

    ridge: Any = leaf(default=0.003, least=SMALLEST_RIDGE)
    random_features: int | None = static(default=None)
    half_life: Any = leaf(default=None, least=1.0, optional=True)
    sweep: int | None = static(default=None)

    members = 0
    """Responses to perturbations, and to priors, that the ridge regression keeps."""
    paper_form: ClassVar[type[NeuralPolicy]]
    """The algorithm of the policy's paper, whose estimates are those of a network alone."""
    state_type: ClassVar[type] = StackedState
    """The state: that of the policy without the stacked mean, and a forecaster."""

    @classmethod
    def paper(
        cls,
        features: int,
        *,
        pool: int | None = None,
        width: int = 64,
        depth: int = 3,
        **settings: Any,
    ) -> Any:
        """The algorithm of the paper, to the letter; see ``NeuralPolicy.paper``."""
        return cls.paper_form.paper(features, pool=pool, width=width, depth=depth, **settings)

    @classmethod
    def descent(cls, features: int, **settings: Any) -> Any:
        """The algorithm of the paper with jostle's network and training, such as Adam."""
        return cls.paper_form(features, **settings)

    def check(self) -> None:
        """Reject bad arguments."""
        super().check()
        if self.random_features is not None:
            whole("random_features", self.random_features, least=0)

    @property
    def shape(self) -> FeatureShape:
        """The sizes of the random features."""
        blocks = self.blocks if self.takes_blocks and self.blocks else 1
        default = FEATURES if self.pool is None else POOL_FEATURES
        hidden = default if self.random_features is None else self.random_features
        return feature_shape(self.features // blocks, blocks, hidden)

    @property
    def finds_outlying(self) -> bool:
        """Whether exploration depends on which contexts are outlying."""
        return False

    @property
    def effective_sweep(self) -> int:
        """The size of the pool, unless stated."""
        return (self.pool or 0) if self.sweep is None else self.sweep

    def settings(self) -> Mapping[str, Any]:
        """All settings by name, the automatic ones as they are in effect."""
        return {**super().settings(), "random_features": self.shape.hidden}

    def init(self, key: jax.Array) -> Any:
        """No observation."""
        network_key, feature_key = jax.random.split(key)
        before = super().init(network_key)
        forecaster = Forecaster.empty(
            feature_key,
            self.shape,
            members=self.members,
            regularisation=self.ridge,
            outlying=self.finds_outlying,
        )
        return self.state_type(*before, forecaster)

    def remember(self, state: State, key: jax.Array, feedback: Feedback) -> State:
        """The state with one more observation; the network is unchanged."""
        before: Any = super().remember(state, key, feedback)
        forecaster = before.forecaster.observe(
            feedback,
            lambda forecaster, contexts: self._network(before.fit, forecaster, contexts),
            sharpness=SHARPNESS if self.pool is None else POOL_SHARPNESS,
            caution=CAUTION if self.pool is None else POOL_CAUTION,
            regularisation=self.ridge,
            half_life=self.half_life,
        )
        after: State = before._replace(forecaster=forecaster)
        return after

    def refit(self, state: State, key: jax.Array, noise: Any = 0.0) -> State:
        """Train the network, if there is one."""
        return super().refit(state, key, noise) if self._has_network else state

    def estimates(self, state: Any, contexts: Contexts) -> Scores:
        """The mean of each context; that of the rewards, until two of them differ."""
        mean = self._estimates(state, contexts, state.forecaster.expand(contexts))
        scales = state.forecaster.scales
        # Until then all contexts are alike, but for rounding errors of the regressions.
        return mean.__array_namespace__().where(scales.prior > 0, mean, scales.mean)

    def error_scale(self, state: Any) -> Any:
        """The deviation of errors made before learning; 0 until two rewards differ."""
        scales = state.forecaster.scales
        noise = scales.noise
        return noise.__array_namespace__().where(scales.prior > 0, noise, 0.0)

    def deciding(self, state: Any) -> Any:
        """What the means are computed from, without histories and covariances."""
        state = state._replace(forecaster=state.forecaster.deciding())
        return super().deciding(state)

    def batches(self, state: Any, history: Any, key: jax.Array, noise: Any) -> Batches:
        """What the network is trained on: what the linear regression leaves over, in their unit."""
        rewards = super().batches(state, history, key, noise)
        forecaster = state.forecaster
        spread = forecaster.scales.spread
        unit = jnp.where(spread > 0, spread, 1)

        def batch(step: jax.Array) -> Batch:
            contexts, targets, weights = rewards(step)
            x, block = entries_and_blocks(contexts)
            baseline = forecaster.baseline(forecaster.features.linear(x, forecaster.unit), block)
            left_over = (targets - forecaster.scales.mean - baseline) / unit
            return Batch(scaled(contexts, forecaster.unit), left_over, weights)

        return batch

    def _estimates(self, state: Any, contexts: Contexts, phi: Any) -> Scores:
        forecaster = state.forecaster
        network = self._network(state.fit, forecaster, contexts)
        forecasts = forecaster.forecasts(contexts, phi, network)
        return forecaster.scales.mean + forecasts @ forecaster.stack.weights

    def _network(self, fit: Fit, forecaster: Forecaster, contexts: Contexts) -> Scores:
        """The network's forecasts, in the unit of the rewards."""
        forecasts = estimate(self.network, fit.average, scaled(contexts, forecaster.unit))
        return forecasts * forecaster.scales.spread

    def _fitting(self) -> Any:
        return super()._fitting() if self._has_network else NoFitting()

    @property
    def _has_network(self) -> bool:
        return not isinstance(self.network, NoNetwork)
