"""``Forecaster``: estimates of rewards by ridge regressions and a network, weighed by their past.

    mean(x) = m + b_1 lin(x) + b_2 (ridge(x) - lin(x)) + b_3 (latest(x) - lin(x)) + b_4 net(x)

with m the running mean of the rewards; lin, an exact ridge regression on the context; ridge,
another on random features of it (``jostle.models.features``); latest, a linear one with a half life
of 300 observations; and net, a network trained on what lin leaves over. The weights b come from
forecasts made *before* each reward was learned (``jostle.models.stack``): each part is believed as
far as it has come true, so a flexible one does no harm where the world is linear or rewards are
nearly all noise.

Only latest is doubted. That the forecasts have been better with it is evidence of a drift: as far
as it is believed, the ridge on random features forgets with the same half life, and with it the
members, so that exploration returns. Without evidence, nothing depends on latest.

The ridge on random features also carries the members of ``NPR``: responses to perturbations, and
to random priors, in units of one. All regressions keep the responses to the rewards and to a
constant 1 apart, so that m can be subtracted at any time: w = w_r - m w_1.

Contexts are in units of the root mean square of their entries, which is found from the first
observations: they are kept, and learned again whenever the unit is corrected, after 1, 4, 16, 64
and 256 of them. Then it is fixed.
"""

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp

from jostle.core.arrays import Contexts, Scores
from jostle.models.early import FIRST, Early
from jostle.models.features import (
    FeatureShape,
    RandomFeatures,
    entries_and_blocks,
)
from jostle.models.forgetting import Clock, observe_forgetting
from jostle.models.outlying import Outlying
from jostle.models.responses import Responses
from jostle.models.ridge import weighted
from jostle.models.scales import Scales
from jostle.models.stack import Stack
from jostle.types import Feedback

LINEAR_REGULARISATION = 0.1
"""lambda of the linear ridges, for contexts in their unit."""
LATEST = 300.0
"""The half life of observations in the linear ridge ``latest``, and in all that forgets when a
drift is certain."""
REWARD, CONSTANT, MEMBERS = 0, 1, 2
"""Targets of a regression: the reward, a constant 1, and from then on the members' own."""
FORECASTS, BY_LATEST = 4, 2
"""Parts of the mean that are weighed, and which of them is due to ``latest``."""
HELD = ("ridge", "linear", "latest", "ridge_clock", "linear_clock", "latest_clock")
"""The parts that learning an observation changes, but for scales and weights."""


class Forecaster(NamedTuple):
    """The regressions, scales and weights, and what the members' random numbers are drawn by."""

    features: RandomFeatures
    unit: Any  # of the contexts
    ridge: Responses
    linear: Responses
    latest: Responses
    scales: Scales
    stack: Stack
    early: Early | None  # None in a copy for decisions
    key: Any  # (2,) uint32, of the perturbations
    prior: Any  # (blocks, members, p), P_j(0); None without members
    ridge_clock: Clock | None  # None, like the other clocks, in a copy for decisions
    linear_clock: Clock | None
    latest_clock: Clock | None
    outlying: Outlying | None  # None if nobody asks for it

    @classmethod
    def empty(
        cls,
        key: jax.Array,
        shape: FeatureShape,
        *,
        members: int,
        regularisation: Any,
        outlying: bool = False,
    ) -> "Forecaster":
        """Nothing observed.

        Arguments:
            key: decides the random features, priors and perturbations.
            shape: the sizes of the random features.
            members: of the ensemble whose responses the ridge on random features carries.
            regularisation: lambda of that ridge.
            outlying: whether to learn which contexts are.
        """
        feature_key, prior_key, noise_key = jax.random.split(key, 3)
        priors = (shape.blocks, members, shape.size)
        prior = jax.random.normal(prior_key, priors) if members else None
        linear, latest = (_linear_at_first(shape.blocks, shape.linear) for _ in range(2))
        clock = Clock.start(shape.blocks)
        return cls(
            RandomFeatures.draw(feature_key, shape),
            jnp.float32(1),
            _ridge_at_first(prior, shape.blocks, shape.size, regularisation),
            linear,
            latest,
            Scales.empty(),
            Stack.empty(FORECASTS),
            Early.empty(shape.entries),
            jax.random.key_data(noise_key),
            prior,
            ridge_clock=clock,
            linear_clock=clock,
            latest_clock=clock,
            outlying=Outlying.empty(shape.entries) if outlying else None,
        )

    def forecasts(self, contexts: Any, phi: Any, network: Any) -> Any:
        """(n, FORECASTS): what each part adds to the mean, per unit of its weight."""
        _, block = entries_and_blocks(contexts)
        linear = self.baseline(phi, block)
        ridge = self.ridge.estimates(phi, block, self.scales.mean)
        u = phi[..., : self.linear.weights.shape[-1]]
        latest = self.latest.estimates(u, block, self.scales.mean)
        xp = phi.__array_namespace__()
        parts = [linear, ridge - linear, latest - linear, network]
        return xp.stack(parts, axis=-1)

    def baseline(self, phi: Any, block: Any) -> Any:
        """lin(x), which the network learns the errors of."""
        u = phi[..., : self.linear.weights.shape[-1]]
        return self.linear.estimates(u, block, self.scales.mean)

    def expand(self, contexts: Any) -> Any:
        """The features of contexts."""
        return self.features.expand(entries_and_blocks(contexts)[0], self.unit)

    def observe(
        self,
        feedback: Feedback,
        forecast: Callable[["Forecaster", Contexts], Scores],
        *,
        sharpness: float,
        caution: float,
        regularisation: Any,
        half_life: Any = None,
    ) -> "Forecaster":
        """Learn one observation.

        Arguments:
            feedback: the observation.
            forecast: a function of a forecaster and contexts to the network's forecasts.
            sharpness: root mean square of the entries of contexts, in their unit.
            caution: observations after which forecasts other than the linear one are half believed.
            regularisation: lambda of the ridge on random features.
            half_life: of an observation's weight, see ``jostle.models.forgetting``; None to forget
                as far as there is evidence of a drift.
        """
        one = jax.tree.map(lambda part: part[None], feedback.context)
        forecasts = self.forecasts(one, self.expand(one), forecast(self, one))[0]
        reward, known = feedback.reward, self.scales.seen > 0
        target = reward - self.scales.mean
        error = target - forecasts @ self.stack.weights
        if feedback.weight is not None:
            forecasts, target = weighted(feedback.weight, forecasts, target)
        # That learning depends on the forecasts tells the compiler that nothing reads the tables
        # after they are written: it then updates them in place.
        number = self.scales.seen + (0 * error).astype(jnp.int32)
        told = half_life is not None
        half_lives = 1 / half_life if told else self.stack.belief / LATEST
        rest = sharpness, regularisation, half_lives, told
        state, leverage = self._learned(number, feedback, *rest)
        x, block = entries_and_blocks(feedback.context)
        count = state.ridge.count[0 if block is None else block]
        return state._replace(
            scales=state.scales.observe(reward, error, leverage, count, 2.0**-half_lives),
            stack=state.stack.observe(forecasts, target, known, caution, BY_LATEST),
            outlying=None if self.outlying is None else self.outlying.observe(x),
        )

    def deciding(self) -> "Forecaster":
        """The part that decisions read."""
        regressions = {
            name: getattr(self, name).deciding() for name in ("ridge", "linear", "latest")
        }
        kept = self._replace(**regressions)
        kept = kept._replace(early=None, key=None, prior=None)
        return kept._replace(ridge_clock=None, linear_clock=None, latest_clock=None)

    def _learned(
        self,
        seen: Any,
        feedback: Feedback,
        sharpness: Any,
        regularisation: Any,
        half_lives: Any,
        told: bool,
    ) -> tuple["Forecaster", Any]:
        """The regressions with observation number ``seen``, and its leverage.

        If the unit of contexts is to be corrected, they start again and learn all observations so
        far in the new one.
        """
        x, block = entries_and_blocks(feedback.context)
        block = jnp.int32(0) if block is None else block
        reward = feedback.reward
        assert self.early is not None  # only copies for decisions are without
        weight = jnp.float32(1) if feedback.weight is None else feedback.weight
        early = self.early.observe(seen, x, block, reward, feedback.weight)
        due = early.correct_unit(seen)
        unit = jnp.sqrt(early.square) / sharpness
        fixed = self._replace(unit=jnp.where(due & (unit > 0), unit, self.unit), early=early)

        def again(i: Any, held: Any) -> Any:
            now, before = fixed._holding(held), i < seen
            row, its_block, its_reward, its_weight = (
                jnp.where(before, old[jnp.minimum(i, FIRST - 1)], new)
                for old, new in zip(early[:4], (x, block, reward, weight), strict=True)
            )
            both = jnp.stack([its_reward, jnp.ones_like(its_reward)])
            phi, both = weighted(its_weight, now.features.expand(row, now.unit), both)
            return now._observed(i, phi, its_block, both, regularisation, half_lives, told)

        # Two loops, the first of one pass or none, in place of a conditional, which would copy the
        # tables in every round.
        held = (*self._held(), jnp.float32(0))
        held = jax.lax.fori_loop(
            0, due.astype(jnp.int32), lambda *_: fixed._at_first(regularisation), held
        )
        held = jax.lax.fori_loop(jnp.where(due, 0, seen), seen + 1, again, held)
        return fixed._holding(held), held[-1]

    def _observed(
        self,
        number: Any,
        phi: Any,
        block: Any,
        both: Any,
        regularisation: Any,
        half_lives: Any,
        told: bool,
    ) -> tuple[Any, ...]:
        """What is held after observation ``number``, and its leverage.

        ``both`` are the reward and the constant; with features ``phi``, they are times the root of
        the observation's weight, and the perturbations, whose noise it leaves alone, are not.
        ``linear`` only forgets if it was ``told`` to: a drift is noticed by comparing it to others.
        """
        assert self.ridge_clock is not None
        assert self.linear_clock is not None
        assert self.latest_clock is not None
        members, targets = self.members, both
        if members:
            key = jax.random.fold_in(jax.random.wrap_key_data(self.key), number)
            noise = jax.random.normal(key, (members,))
            targets = jnp.concatenate([both, noise, jnp.zeros(members)])
        places = block, number % self.ridge.weights.shape[0]
        ridge, ridge_clock, leverage = observe_forgetting(
            self.ridge,
            self.ridge_clock.after(half_lives),
            *places,
            phi,
            targets,
            regularisation=regularisation,
            prior=self.prior,
        )
        u = phi[: self.linear.weights.shape[-1]]
        observe = partial(observe_forgetting, regularisation=LINEAR_REGULARISATION)
        if told:
            clock = self.linear_clock.after(half_lives)
            linear, linear_clock, _ = observe(self.linear, clock, *places, u, both)
        else:
            linear, linear_clock = self.linear.observe(block, u, both)[0], self.linear_clock
        clock = self.latest_clock.after(1 / LATEST)
        latest, latest_clock, _ = observe(self.latest, clock, *places, u, both)
        return ridge, linear, latest, ridge_clock, linear_clock, latest_clock, leverage

    def _at_first(self, regularisation: Any) -> tuple[Any, ...]:
        """What is held before the first observation."""
        blocks, _, size = self.ridge.weights.shape
        clock = Clock.start(blocks)
        linear = _linear_at_first(blocks, self.linear.weights.shape[-1])
        ridge = _ridge_at_first(self.prior, blocks, size, regularisation)
        return ridge, linear, linear, clock, clock, clock, jnp.float32(0)

    def _held(self) -> tuple[Any, ...]:
        """What learning an observation changes, but for scales and weights."""
        return tuple(getattr(self, name) for name in HELD)

    def _holding(self, held: tuple[Any, ...]) -> "Forecaster":
        return self._replace(**dict(zip(HELD, held, strict=False)))

    @property
    def members(self) -> int:
        """Members whose responses to perturbations and priors the ridge carries."""
        return 0 if self.prior is None else int(self.prior.shape[1])


def _linear_at_first(blocks: int, size: int) -> Responses:
    return Responses.empty(jnp.zeros((blocks, MEMBERS, size)), LINEAR_REGULARISATION)


def _ridge_at_first(prior: Any, blocks: int, size: int, regularisation: Any) -> Responses:
    """Responses of 0 to rewards and perturbations, and the members' priors."""
    members = 0 if prior is None else prior.shape[1]
    initial = jnp.zeros((blocks, MEMBERS + 2 * members, size))
    if prior is not None:
        initial = jax.lax.dynamic_update_slice(initial, prior, (0, MEMBERS + members, 0))
    return Responses.empty(initial, regularisation)
