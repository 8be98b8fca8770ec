"""What all neural policies share: a network fitted to the history of observations."""

from typing import Any, NamedTuple, Self

import jax
import jax.numpy as jnp
import optax

from jostle.core.contexts import empty
from jostle.core.record import leaf, static
from jostle.core.validation import unknown, whole
from jostle.models.fitting import Fit, Fitting, FullBatch, MiniBatch, Pooled, descend
from jostle.models.history import OLDEST, RANDOM, Tried
from jostle.models.networks import MLP, Network, PaperNetwork, estimate, on_host
from jostle.policies.base import Policy
from jostle.types import Feedback

FITTINGS = ("auto", "pooled", "minibatch", "full")

SWEEP = 512
"""Arms that are few enough to pull each of them once."""
FEW = 100
"""Observations that are few: the average then spans about 1 + seen / FEW updates."""


class NeuralState(NamedTuple):
    """A fitted network, the history it is fitted to, and the arms pulled so far.

    Policies that keep more have a state with these fields and others.
    """

    fit: Fit
    history: Any
    tried: Tried


class NeuralPolicy(Policy):
    """A network, and how it is kept fitted to the history.

    Arguments:
        features: dimension of a context.
        pool: size of the fixed pool of arms, if contexts come from one; observations are then
            pooled by arm id, which is exact and makes a gradient step O(pool).
        blocks: how many blocks contexts have, if they are of the disjoint model; contexts then
            come as ``Blocks``, and no memory or time is spent on their zeros.
        network: anything with ``init(key, x)`` and ``apply(params, x)``.
        optimiser: a function of the step size that gives an Optax optimiser (``optax.adam``,
            ``optax.sgd``, ...), or a ready optimiser, which then has its own step size.
        step_size: of the optimiser.
        regularisation: lambda of Eq. (2).
        decay: how strongly each gradient step draws the parameters back to theta_0, where the
            regularisation of Eq. (2) is centred: it takes them ``step_size * decay`` of the way,
            whatever the optimiser (as AdamW does) and however many observations there are. By
            default 0.2 with a pool, else 1, and 2 / blocks with more than two: the weights of a
            block meet few of the observations, and would be drawn back more than trained. Right
            for entries of about one; contexts of norm one want a quarter of it or less, since to
            fit the same rewards their weights have to go further.
        average: choices go by a moving average of the parameters that keeps so much of itself in
            each update, which evens out the last steps' jitter; 0 for the parameters as they are.
            While observations are few it keeps less, seen / (seen + 100), to follow quickly.
        steps: gradient steps an update (J in the paper). By default 2 with a pool, which each of
            them sees whole, else 4.
        batch: observations a step, when fitting by mini-batches.
        every: update after every so many observations.
        restart: start each update from the initial parameters instead of the last ones, and
            average none.
        fitting: "pooled", "minibatch", "full", or "auto" (pooled when there is a pool).
        sweep: pull each arm once (by its id) before anything else, if there are at most so many
            ids; 0 for no such thing. By default 512, or ``pool`` if that is more, where the paper
            of a policy has it (NPR), else 0. A catalogue of thousands of items cannot be tried
            like that.
        memory: the most observations to keep; None keeps all.
        forget: what a full memory forgets, "oldest" or "random".
    """

    pool: int | None = static(default=None)
    blocks: int | None = static(default=None)
    network: Network = static(default=MLP())
    optimiser: Any = static(default=optax.adam)
    step_size: Any = leaf(default=2e-3)
    regularisation: Any = leaf(default=1e-5)
    decay: Any = leaf(default=None)
    average: Any = leaf(default=0.9, most=0.999)
    steps: int = static(default=None)
    batch: int = static(default=64)
    every: int = static(default=1)
    restart: bool = static(default=False)
    fitting: str = static(default="auto")
    sweep: int = static(default=None)
    memory: int | None = static(default=None)
    forget: str = static(default=OLDEST)

    def __post_init__(self) -> None:
        if self.blocks is not None:
            whole("blocks", self.blocks)
        pooled = self.pool is not None
        defaults = {
            "decay": 0.2 if pooled else min(1.0, 2 / (self.blocks or 1)),
            "steps": 2 if pooled else 4,
            "sweep": max(SWEEP, self.pool or 0),
        }
        for name, value in defaults.items():
            if getattr(self, name) is None:
                object.__setattr__(self, name, value)
        super().__post_init__()

    @classmethod
    def paper(cls, features: int, *, width: int = 64, depth: int = 3, **settings: Any) -> Self:
        """As in the paper's experiments: its network and initialisation, descent on all history.

        With ``pool=`` the history is pooled, which is exact. Exploration, regularisation and step
        size are what the paper tunes on its first 1,000 rounds.
        """
        pooled = settings.get("pool") is not None
        defaults = {
            "network": PaperNetwork(width, depth),
            "optimiser": optax.sgd,
            "step_size": 0.01,
            "regularisation": 0.001,
            "decay": 0.0,
            "average": 0.0,
            "steps": max(100, cls.steps or 0),
            "fitting": "pooled" if pooled else "full",
        }
        return cls(features, **{**defaults, **settings})

    def check(self) -> None:
        """Refuse bad arguments."""
        super().check()
        for name in ("steps", "batch", "every"):
            whole(name, getattr(self, name))
        whole("sweep", self.sweep, least=0)
        for name in ("pool", "memory"):
            if getattr(self, name) is not None:
                whole(name, getattr(self, name))
        if self.blocks is not None and (self.features % self.blocks or self.pool is not None):
            raise ValueError(
                f"blocks must divide features = {self.features} and go without pool=, "
                f"not be {self.blocks} with pool={self.pool}"
            )
        if not isinstance(self.network, Network):
            raise TypeError(
                f"network must have init(key, x) and apply(params, x), not be {self.network!r}"
            )
        if not callable(self.optimiser) and not _is_optimiser(self.optimiser):
            raise TypeError(
                "optimiser must be an Optax optimiser, or a function of the step size that gives "
                f"one, such as optax.adam, not {self.optimiser!r}"
            )
        if self.fitting not in FITTINGS:
            raise ValueError(unknown("fitting", self.fitting, FITTINGS))
        if self.forget not in (OLDEST, RANDOM):
            raise ValueError(unknown("forget", self.forget, (OLDEST, RANDOM)))
        if self.fitting == "pooled" and self.pool is None:
            raise ValueError("fitting='pooled' needs pool=, the number of arms in the fixed pool")

    def init(self, key: jax.Array) -> Any:
        """theta_0 and an empty history."""
        params = self.network.init(key, jnp.zeros((1, self.features)))
        fit = Fit(params, params, self._optimiser().init(params), params)
        history = self._fitting().empty(
            empty(self.features, self.blocks if self.takes_blocks else None)
        )
        return NeuralState(fit, history, Tried.none())

    def reserve(self, state: Any, *, observations: int, arms: int | None) -> Any:
        """Room for more observations, and flags for the arms that are swept."""
        history = self._fitting().reserve(state.history, observations)
        arms = self.pool or (self.sweep if arms is None else arms)
        tried = state.tried.reserve(arms) if arms <= self.sweep else Tried.none()
        return state._replace(history=history, tried=tried)

    def trim(self, state: Any, *, observations: int) -> Any:
        """Without the room in the history that this many observations leave unused."""
        return state._replace(history=self._fitting().trim(state.history, observations))

    def remember(self, state: Any, key: jax.Array, feedback: Feedback) -> Any:
        """The state with one more observation, the network as it was."""
        history = self._fitting().append(state.history, key, feedback)
        return state._replace(history=history, tried=state.tried.add(feedback.arm))

    def refit(self, state: Any, key: jax.Array, noise: Any = 0.0) -> Any:
        """Descend Eq. (2) on the history perturbed by N(0, noise^2), if it is time to."""

        def update(fit: Fit) -> Fit:
            if self.restart:
                fit = Fit(fit.initial, fit.initial, self._optimiser().init(fit.initial))

            def fitted(history: Any) -> Fit:
                return descend(
                    fit,
                    self._fitting().batches(history, key, noise),
                    network=self.network,
                    optimiser=self._optimiser(),
                    steps=self.steps,
                    regularisation=self.regularisation,
                    size=history.size,
                    pull=self.step_size * self.decay,
                )

            fit = self._fitting().within(state.history, fitted)
            return fit._replace(average=self._averaged(fit, state.history.seen))

        if self.every == 1:
            return state._replace(fit=update(state.fit))
        due = state.history.seen % self.every == 0
        return state._replace(fit=jax.lax.cond(due, update, lambda fit: fit, state.fit))

    def _averaged(self, fit: Fit, seen: jax.Array) -> Any:
        if self.restart:
            return fit.params
        keep = jnp.minimum(self.average, seen / (seen + FEW))
        return jax.tree.map(lambda old, new: keep * old + (1 - keep) * new, fit.average, fit.params)

    def estimates(self, state: Any, contexts: Any) -> Any:
        """f(x; theta) of each context, at the averaged parameters."""
        return estimate(self.network, state.fit.average, contexts)

    def deciding(self, state: Any) -> Any:
        """The averaged parameters and the arms tried, without the history."""
        return state._replace(fit=Fit(None, None, None, state.fit.average), history=None)

    @property
    def needs_arms(self) -> bool:
        """Observations are pooled, or put in their blocks, by arm id."""
        return self.takes_blocks or isinstance(self._fitting(), Pooled)

    @property
    def indexes_arms(self) -> bool:
        """Whether observations are pooled by arm id; the sweep copes with any id."""
        return isinstance(self._fitting(), Pooled)

    @property
    def takes_blocks(self) -> bool:
        """Our own networks know blocks; one of the user's making gets vectors with their zeros."""
        return self.blocks is not None and on_host(self.network)

    @property
    def on_host(self) -> bool:
        """Decisions run on NumPy when the network does."""
        return on_host(self.network)

    def _fitting(self) -> Fitting:
        if self.pool is not None and self.fitting in ("pooled", "auto"):
            return Pooled(self.pool)
        if self.fitting == "full":
            return FullBatch(self.memory, self.forget)
        return MiniBatch(self.memory, self.forget, self.batch)

    def _optimiser(self) -> optax.GradientTransformation:
        if _is_optimiser(self.optimiser):
            return self.optimiser
        return self.optimiser(self.step_size)


def _is_optimiser(value: Any) -> bool:
    return isinstance(value, optax.GradientTransformation)
