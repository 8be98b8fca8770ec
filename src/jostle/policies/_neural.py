"""``NeuralPolicy``: a network fitted to the history of observations, shared by neural policies."""

import functools
import inspect
from collections.abc import Callable, Mapping
from typing import Any, ClassVar, NamedTuple, Self, TypeVar

import jax
import jax.numpy as jnp
import optax

from jostle.core.arrays import Contexts, Scores
from jostle.core.contexts import empty
from jostle.core.record import data, field_names, leaf, static
from jostle.core.validation import whole
from jostle.models.fitting import Batches, Fit, Fitting, Pooled, descend
from jostle.models.history import Tried
from jostle.models.networks import MLP, Network, PaperNetwork, estimate, on_host
from jostle.models.training import FULL, POOLED, Training
from jostle.policies.base import Policy
from jostle.types import Feedback

SWEEP = 512
"""The number of arms up to which each of them is pulled once at first."""
FEW = 100
"""While observations are few, the average spans about 1 + seen / FEW updates."""
TRAINING_SETTINGS = frozenset(field_names(Training))

State = TypeVar("State")
"""The state of a policy: a ``NeuralState``, or one with further fields."""


class NeuralState(NamedTuple):
    """A fitted network, the history it is fitted to, and the arms pulled so far.

    Policies that keep more have a state with further fields.
    """

    fit: Fit
    history: Any
    tried: Tried


class NeuralPolicy(Policy):
    """A policy with a network that estimates rewards, fitted to its observations.

    Arguments:
        features: length of a context vector.
        pool: size of the fixed pool of contexts, if they come from one. Observations are then
            pooled by arm id, which is exact and makes the cost of a gradient step O(pool).
        blocks: number of blocks of a context, in the disjoint model. Contexts then come as
            ``Blocks``, and no memory or time is spent on their zeros.
        network: any object with ``init(key, x)`` and ``apply(params, x)``.
        regularisation: lambda of Eq. (2).
        training: how the network is trained; see ``Training``.
        sweep: pull each arm once (by its id) before anything else, if there are at most this many
            ids; 0 for no sweep. By default 512, or ``pool`` if that is larger, in policies whose
            paper begins like this (NPR), and 0 in others. A catalogue of thousands of items cannot
            be tried one by one.
    """

    pool: int | None = static(default=None)
    blocks: int | None = static(default=None)
    network: Network = static(default=MLP())
    regularisation: Any = leaf(default=1e-5)
    training: Training = data(default=Training())
    sweep: int | None = static(default=None)

    PARTS = ("training", "network")
    PAPER_STEPS: ClassVar[int] = 20
    """J of ``paper``. The paper does not state it; docs/lab.md says how it was chosen."""

    def __init_subclass__(cls, **kwargs: Any):
        super().__init_subclass__(**kwargs)
        cls.__init__ = _explaining_training(cls.__init__)  # type: ignore[method-assign]

    @classmethod
    def paper(
        cls,
        features: int,
        *,
        pool: int | None = None,
        width: int = 64,
        depth: int = 3,
        **settings: Any,
    ) -> Self:
        """As in the paper's experiments: its network and initialisation, descent on all history.

        With ``pool=`` the history is pooled, which is exact. Exploration, regularisation and step
        size are what the paper tunes on its first 1,000 rounds. ``settings`` are any others of the
        policy, of its training or of its network, as in ``with_settings``.
        """
        training = Training(
            optimiser=optax.sgd,
            step_size=0.01,
            decay=0.0,
            average=0.0,
            steps=cls.PAPER_STEPS,
            fitting=FULL if pool is None else POOLED,
        )
        policy = cls(
            features,
            pool=pool,
            network=PaperNetwork(width, depth),
            regularisation=0.001,
            training=training,
        )
        return policy.with_settings(**settings)

    def check(self) -> None:
        """Reject bad arguments."""
        super().check()
        for name, value in (("pool", self.pool), ("blocks", self.blocks)):
            if value is not None:
                whole(name, value)
        if self.sweep is not None:
            whole("sweep", self.sweep, least=0)
        if self.blocks is not None and (self.features % self.blocks or self.pool is not None):
            raise ValueError(
                f"blocks must divide features = {self.features} and cannot be combined with pool, "
                f"but blocks is {self.blocks} and pool is {self.pool}"
            )
        if not isinstance(self.network, Network):
            raise TypeError(
                f"network must have methods init(key, x) and apply(params, x), not be "
                f"{self.network!r}"
            )
        if not isinstance(self.training, Training):
            raise TypeError(
                f"training must be a Training, such as Training(steps=10), not {self.training!r}"
            )
        if self.training.fitting == POOLED and self.pool is None:
            raise ValueError("fitting='pooled' needs pool=, the number of arms in the fixed pool")

    @property
    def effective_training(self) -> Training:
        """``training`` with its automatic settings filled in for these contexts."""
        return self.training.resolve(pool=self.pool, blocks=self.blocks)

    @property
    def effective_sweep(self) -> int:
        """The largest number of arm ids for which each is pulled once at first."""
        return max(SWEEP, self.pool or 0) if self.sweep is None else self.sweep

    def settings(self) -> Mapping[str, Any]:
        """All settings by name, the automatic ones as they are in effect."""
        values = {**super().settings(), **self.effective_training.settings()}
        return {**values, "sweep": self.effective_sweep}

    def init(self, key: jax.Array) -> Any:
        """theta_0 and an empty history."""
        params = self.network.init(key, jnp.zeros((1, self.features)))
        fit = Fit(params, params, self.training.make_optimiser().init(params), params)
        history = self._fitting().empty(
            empty(self.features, self.blocks if self.takes_blocks else None)
        )
        return NeuralState(fit, history, Tried.none())

    def reserve(self, state: Any, *, observations: int, arms: int | None) -> Any:
        """Room for more observations, and flags for the arms that are swept."""
        history = self._fitting().reserve(state.history, observations)
        sweep = self.effective_sweep
        arms = self.pool or (sweep if arms is None else arms)
        tried = state.tried.reserve(arms) if arms <= sweep else Tried.none()
        return state._replace(history=history, tried=tried)

    def trim(self, state: Any, *, observations: int) -> Any:
        """Without the room in the history that this many observations leave unused."""
        return state._replace(history=self._fitting().trim(state.history, observations))

    def remember(self, state: State, key: jax.Array, feedback: Feedback) -> State:
        """The state with one more observation; the network is unchanged."""
        before: Any = state
        history = self._fitting().append(before.history, key, feedback)
        after: State = before._replace(history=history, tried=before.tried.add(feedback.arm))
        return after

    def learn(self, state: Any, key: jax.Array, feedback: Feedback) -> Any:
        """Remember the observation, then fit to the rewards as they are."""
        remember_key, fit_key = jax.random.split(key)
        return self.refit(self.remember(state, remember_key, feedback), fit_key)

    def refit(self, state: State, key: jax.Array, noise: Any = 0.0) -> State:
        """Descend Eq. (2) on the history perturbed by N(0, noise^2), if an update is due."""
        before: Any = state
        history, training = before.history, self.effective_training
        steps = training.steps
        assert steps is not None  # it is resolved
        optimiser = training.make_optimiser()

        def update(fit: Fit, i: Any) -> Fit:
            # Batches that depend on i are not drawn before it is known that the loop runs.
            own_key, _ = jax.lax.optimization_barrier((key, i))
            if training.restart:
                fit = Fit(fit.initial, fit.initial, optimiser.init(fit.initial))

            def descended(held: Any) -> Fit:
                return descend(
                    fit,
                    self.batches(state, held, own_key, noise),
                    network=self.network,
                    optimiser=optimiser,
                    steps=steps,
                    regularisation=self.regularisation,
                    size=held.size,
                    pull=training.step_size * training.decay,
                )

            fit = self._fitting().within(history, descended)
            return fit._replace(average=_averaged(training, fit, history.seen))

        if training.every == 1:
            fit = update(before.fit, 0)
        else:
            # A loop of one pass or none in place of a conditional, which would copy the network.
            due = (history.seen % training.every == 0).astype(jnp.int32)
            fit = jax.lax.fori_loop(0, due, lambda i, fit: update(fit, i), before.fit)
        after: State = before._replace(fit=fit)
        return after

    def batches(self, state: Any, history: Any, key: jax.Array, noise: Any) -> Batches:
        """What each step of an update is fitted to: rewards perturbed by N(0, noise^2)."""
        return self._fitting().batches(history, key, noise)

    def estimates(self, state: Any, contexts: Contexts) -> Scores:
        """f(x; theta) of each context, at the averaged parameters."""
        return estimate(self.network, state.fit.average, contexts)

    def diverged(self, state: Any) -> bool:
        """Whether descent has diverged: a parameter is no longer a finite number."""
        return not all(bool(jnp.isfinite(leaf).all()) for leaf in jax.tree.leaves(state.fit.params))

    def deciding(self, state: Any) -> Any:
        """The averaged parameters and the arms tried, without the history."""
        return state._replace(fit=Fit(None, None, None, state.fit.average), history=None)

    @property
    def needs_arms(self) -> bool:
        """Observations are pooled, or assigned to their blocks, by arm id."""
        return self.takes_blocks or isinstance(self._fitting(), Pooled)

    @property
    def indexes_arms(self) -> bool:
        """Whether observations are pooled by arm id; the sweep copes with any id."""
        return isinstance(self._fitting(), Pooled)

    @property
    def takes_blocks(self) -> bool:
        """The networks of jostle take blocks; a user's own gets vectors with their zeros."""
        return self.blocks is not None and on_host(self.network)

    @property
    def on_host(self) -> bool:
        """Decisions run on NumPy if the network does."""
        return on_host(self.network)

    @property
    def update_interval(self) -> int:
        """The network is updated after every so many observations."""
        return self.training.every

    def _fitting(self) -> Fitting:
        return self.effective_training.make_fitting(self.pool)


def _averaged(training: Training, fit: Fit, seen: jax.Array) -> Any:
    """The parameters that choices use after an update."""
    if training.restart:
        return fit.params
    keep = jnp.minimum(training.average, seen / (seen + FEW))
    return jax.tree.map(lambda old, new: keep * old + (1 - keep) * new, fit.average, fit.params)


def _explaining_training(init: Callable[..., None]) -> Callable[..., None]:
    """The constructor, with an error that says where settings of the training belong."""

    own = inspect.signature(init).parameters  # a subclass may have a setting of the same name

    @functools.wraps(init)
    def explaining(self: Any, *args: Any, **settings: Any) -> None:
        misplaced = [name for name in settings if name in TRAINING_SETTINGS and name not in own]
        if misplaced:
            given = ", ".join(f"{name}={settings[name]!r}" for name in misplaced)
            raise TypeError(
                f"{type(self).__name__} does not take {' and '.join(misplaced)} itself: pass "
                f"training=Training({given}), or call with_settings({given}) on a policy"
            )
        init(self, *args, **settings)

    return explaining
