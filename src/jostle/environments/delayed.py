"""``Delayed``: any environment whose rewards arrive some rounds later, or never."""

from typing import Any

import jax
import jax.numpy as jnp

from jostle.core.record import data, leaf, static
from jostle.core.validation import unknown, whole
from jostle.environments.base import Environment
from jostle.types import BanditSpec, Feedback, Outcome, Round

GEOMETRIC, FIXED = "geometric", "fixed"
KINDS = (GEOMETRIC, FIXED)
USUAL_LONGEST = 10
"""The default of ``longest``, in average delays: one geometric delay in 20,000 is longer."""
_DELAYS = 0xDE1A7
"""Separates the random numbers of delays from those of the environment."""


class Delayed(Environment):
    """Another environment whose rewards arrive late. Arms, noise and regret are the same.

    The reward of round t arrives at the end of round t + D, and the policy learns from it then;
    with D = 0 that is at once, as in any other environment. Rewards that arrive in the same round
    are learned in the order of their rounds. Of those that never arrive the policy learns nothing.

    Arguments:
        of: the environment.
        delay: the average of D, in rounds.
        kind: "geometric" (a reward on its way arrives in any round with the same probability), or
            "fixed" (D is always ``delay``).
        never: the probability that a reward never arrives.
        longest: rewards with a longer delay never arrive; by default 10 x ``delay``.
    """

    of: Environment = data()
    delay: int = static(default=10)
    kind: str = static(default=GEOMETRIC)
    never: Any = leaf(default=0.0, most=1.0)
    longest: int | None = static(default=None)

    @property
    def behaviour(self) -> int:  # type: ignore[override]
        """That of the environment: the wrapper has had only one."""
        return self.of.behaviour

    def check(self) -> None:
        """Reject bad arguments."""
        if not isinstance(self.of, Environment):
            raise TypeError(f"of must be an environment, not {self.of!r}")
        if self.of.longest_delay is not None:
            raise ValueError("of must be an environment whose rewards are not delayed already")
        whole("delay", self.delay, least=0)
        if self.kind not in KINDS:
            raise ValueError(unknown("kind", self.kind, KINDS))
        if self.longest is None:
            object.__setattr__(self, "longest", USUAL_LONGEST * self.delay)
        whole("longest", self.longest, least=0)

    @property
    def spec(self) -> BanditSpec:
        """That of the environment."""
        return self.of.spec

    @property
    def lessons(self) -> int:
        """As many as the environment gives."""
        return self.of.lessons

    @property
    def longest_delay(self) -> int | None:
        """The longest delay after which a reward still arrives."""
        return self.longest

    def init(self, key: jax.Array) -> Any:
        """Draw the problem."""
        return self.of.init(key)

    def observe(self, state: Any, key: jax.Array, t: jax.Array) -> Round:
        """The arms."""
        return self.of.observe(state, key, t)

    def reward(
        self, state: Any, key: jax.Array, t: jax.Array, round: Round, index: jax.Array
    ) -> Outcome:
        """The reward, whenever it arrives, and the regret."""
        return self.of.reward(state, key, t, round, index)

    def feedback(
        self, state: Any, key: jax.Array, t: jax.Array, round: Round, index: Any, outcome: Outcome
    ) -> Feedback:
        """What the policy learns when it arrives."""
        return self.of.feedback(state, key, t, round, index, outcome)

    def reward_delay(self, key: jax.Array) -> jax.Array:
        """D; more than ``longest`` if the reward never arrives."""
        delay_key, never_key = jax.random.split(jax.random.fold_in(key, _DELAYS))
        if self.kind == FIXED or self.delay == 0:
            delay = jnp.float32(self.delay)
        else:
            # P(D >= n) = (1 - p)^n with 1 - p = delay / (1 + delay), which makes the mean delay.
            stays = jnp.log(self.delay / (1 + self.delay))
            delay = jnp.floor(jnp.log1p(-jax.random.uniform(delay_key)) / stays)
        most = float(self.longest or 0) + 1
        lost = jax.random.uniform(never_key) < self.never
        return jnp.where(lost, most, jnp.minimum(delay, most)).astype(jnp.int32)
