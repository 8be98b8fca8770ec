"""``GradientPolicy``: confidence widths from the gradients of the network.

Shared by NeuralUCB and NeuralTS.
"""

import math
import os
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp

from jostle.core.arrays import Contexts, Matrix, Vector
from jostle.core.contexts import FEW_BLOCKS, dense
from jostle.core.record import leaf, static
from jostle.core.validation import unknown
from jostle.models.covariance import ROWS, Diagonal, Full
from jostle.models.fitting import Fit
from jostle.models.gradients import Factors, Sparse
from jostle.models.gram import Gram, gram_bytes
from jostle.models.history import Tried
from jostle.models.networks import MLP, PaperNetwork, estimate, width_of
from jostle.policies._neural import NeuralPolicy
from jostle.types import Feedback

COVARIANCES: dict[str, Any] = {"full": Full, "diagonal": Diagonal}


class GradientState(NamedTuple):
    """A fitted network, and the covariance of its gradients at the observations."""

    fit: Fit
    history: Any
    tried: Tried
    covariance: Any


class GradientPolicy(NeuralPolicy):
    """A policy with a fitted network and the uncertainty of each of its estimates.

    Arguments:
        exploration: the weight of the uncertainty (gamma or nu in the papers).
        covariance: "diagonal", the cheap approximation, or "full", which needs memory for one
            gradient per observation, or for a matrix of all parameters once that is cheaper.
        regularisation: lambda, both of the covariance and of Eq. (2).
        others: see ``NeuralPolicy``.
    """

    behaviour = 2  # the full covariance is kept by its square root

    sweep: int | None = static(default=0)
    regularisation: Any = leaf(default=1e-4, least=1e-12)
    exploration: Any = leaf(default=0.003)
    covariance: str = static(default="diagonal")

    def check(self) -> None:
        """Reject bad arguments."""
        super().check()
        if self.covariance not in COVARIANCES:
            raise ValueError(unknown("covariance", self.covariance, COVARIANCES))

    def init(self, key: jax.Array) -> GradientState:
        """theta_0, an empty history, and Z = lambda I."""
        fit, history, tried = super().init(key)
        if self._by_kernel:
            covariance: Any = Gram.empty(self._example_factors())
        else:
            covariance = COVARIANCES[self.covariance].empty(self.parameters)
        return GradientState(fit, history, tried, covariance)

    def reserve(self, state: Any, *, observations: int, arms: int | None) -> GradientState:
        """Room for more observations; raises ``MemoryError`` if the machine does not have it."""
        self._check_memory(observations)
        roomy: GradientState = super().reserve(state, observations=observations, arms=arms)
        return roomy._replace(covariance=roomy.covariance.reserve(observations))

    def learn(self, state: GradientState, key: jax.Array, feedback: Feedback) -> GradientState:
        """Add the gradient of the chosen context to Z, then fit."""
        remember_key, fit_key = jax.random.split(key)
        state = self.remember(state, remember_key, feedback)
        alone = jax.tree.map(lambda part: part[None], feedback.context)
        phi = jax.tree.map(lambda part: part[0], self.gradients(state, alone))
        covariance = state.covariance.add(phi, self.regularisation)
        return self.refit(state._replace(covariance=covariance), fit_key)

    def widths(self, state: Any, contexts: Contexts) -> Vector:
        """sqrt(g' Z^-1 g / m) of each context."""
        phis = self.gradients(state, contexts)
        squares: Vector = state.covariance.squared_widths(phis, self.regularisation)
        return jnp.sqrt(squares)

    def gradients(self, state: Any, contexts: Any) -> Any:
        """phi = g(x; theta) / sqrt(m), one row per context, in one batched pass."""
        if isinstance(state.covariance, Gram):
            return self._factors(state.fit, contexts)

        def one(params: Any, context: Any) -> Any:
            alone = jax.tree.map(lambda part: part[None], context)
            return estimate(self.network, params, alone)[0]

        slopes = jax.vmap(jax.grad(one), in_axes=(None, 0))(state.fit.average, contexts)
        slopes = jax.tree.map(lambda slope: slope / math.sqrt(width_of(self.network)), slopes)
        if not (self._many_blocks and isinstance(self.network, MLP)):
            return _rows(slopes)
        by_features, shared = self.network.by_features(slopes)
        x, block = contexts
        own = [
            slope.reshape(len(x), self.blocks, -1)[jnp.arange(len(x)), block]
            for slope in by_features
        ]
        return Sparse(_rows(own), block, _rows(shared))

    @property
    def parameters(self) -> int:
        """p, the number of parameters of the network."""
        example = jnp.zeros((1, self.features))
        shapes = jax.eval_shape(lambda: self.network.init(jax.random.key(0), example))
        return sum(math.prod(leaf.shape) for leaf in jax.tree.leaves(shapes))

    def covariance_bytes(self, observations: int) -> int:
        """The memory that Z takes after this many observations."""
        if self.covariance == "diagonal":
            return 4 * self.parameters
        if self._by_kernel and observations <= ROWS * self.parameters:
            widths = [leaf.shape[-1] for leaf in jax.tree.leaves(self._example_factors())]
            return gram_bytes(self.parameters, sum(widths), observations)
        return Full.bytes(self.parameters, observations)

    @property
    def on_host(self) -> bool:
        """Gradients are computed in compiled code."""
        return False

    @property
    def _many_blocks(self) -> bool:
        """Whether leaving out the zeros of gradients saves time."""
        many = self.takes_blocks and (self.blocks or 0) > FEW_BLOCKS
        return many and self.covariance == "full"

    @property
    def _by_kernel(self) -> bool:
        """Whether gradients have factors, which make a full covariance several times faster."""
        return self.covariance == "full" and isinstance(self.network, PaperNetwork)

    def _factors(self, fit: Fit, contexts: Any) -> Factors:
        """The factors of phi."""
        network: Any = self.network
        pairs = network.factors(fit.average, dense(contexts, self.features))
        scale = 1 / math.sqrt(width_of(network))
        return Factors(tuple((inputs, errors * scale) for inputs, errors in pairs))

    def _example_factors(self) -> Factors:
        """The shapes of the factors of one gradient."""

        def example() -> Factors:
            x = jnp.zeros((1, self.features))
            params = self.network.init(jax.random.key(0), x)
            return self._factors(Fit(params, params, None, params), x)

        shapes: Factors = jax.eval_shape(example)
        return shapes

    def _check_memory(self, observations: int) -> None:
        needed, present = self.covariance_bytes(observations), _machine_memory()
        if needed > 0.8 * present:
            raise MemoryError(
                f"{type(self).__name__} with covariance='full' needs {needed / 2**30:.1f} GiB for "
                f"{self.parameters:,} parameters and {observations:,} observations, but this "
                f"machine has {present / 2**30:.1f} GiB; covariance='diagonal' needs "
                f"{4 * self.parameters / 2**20:.1f} MiB"
            )


def _rows(slopes: Any) -> Matrix:
    """All gradients side by side, one row per context."""
    leaves = jax.tree.leaves(slopes)
    return jnp.concatenate([leaf.reshape(len(leaf), -1) for leaf in leaves], axis=1)


def _machine_memory() -> int:
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
