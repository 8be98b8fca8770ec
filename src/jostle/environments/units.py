"""``Units``: any environment with rewards and contexts in other units."""

from typing import Any

import jax

from jostle.core.contexts import Blocks
from jostle.core.record import data, leaf
from jostle.environments.base import Environment
from jostle.types import BanditSpec, Feedback, Outcome, Round


class Units(Environment):
    """Another environment whose rewards and contexts are measured in other units.

    Rewards become ``reward_scale`` x reward + ``reward_offset``, contexts ``context_factor`` x
    context, and regret is multiplied by ``reward_scale``. The arms and the noise are those of the
    environment with the same seed, up to rounding.

    Arguments:
        of: the environment.
        reward_scale: multiplies rewards.
        reward_offset: is added to them.
        context_factor: multiplies every entry of a context.
    """

    of: Environment = data()
    reward_scale: Any = leaf(default=1.0, least=1e-12)
    reward_offset: Any = leaf(default=0.0, least=-float("inf"))
    context_factor: Any = leaf(default=1.0, least=1e-12)

    @property
    def behaviour(self) -> int:  # type: ignore[override]
        """That of the environment: the wrapper has had only one."""
        return self.of.behaviour

    def check(self) -> None:
        """Reject bad arguments."""
        if not isinstance(self.of, Environment):
            raise TypeError(f"of must be an environment, not {self.of!r}")

    @property
    def spec(self) -> BanditSpec:
        """That of the environment; what a random choice brings is in the new unit."""
        spec = self.of.spec
        if spec.chance is None:
            return spec
        return spec._replace(chance=self._in_unit(spec.chance))

    @property
    def lessons(self) -> int:
        """As many as the environment gives."""
        return self.of.lessons

    @property
    def longest_delay(self) -> int | None:
        """As long as in the environment."""
        return self.of.longest_delay

    def reward_delay(self, key: jax.Array) -> Any:
        """The same delays."""
        return self.of.reward_delay(key)

    def init(self, key: jax.Array) -> Any:
        """Draw the problem."""
        return self.of.init(key)

    def observe(self, state: Any, key: jax.Array, t: jax.Array) -> Round:
        """The arms, their contexts in the new unit."""
        return _scaled(self.of.observe(state, key, t), self.context_factor)

    def reward(
        self, state: Any, key: jax.Array, t: jax.Array, round: Round, index: jax.Array
    ) -> Outcome:
        """The reward and the regret in the new unit."""
        reward, regret = self.of.reward(state, key, t, self._inside(round), index)
        return Outcome(self._in_unit(reward), self.reward_scale * regret)

    def feedback(
        self, state: Any, key: jax.Array, t: jax.Array, round: Round, index: Any, outcome: Outcome
    ) -> Feedback:
        """What the environment reveals, in the new units."""
        inside = self._inside(round)
        before = self.of.reward(state, key, t, inside, index)
        feedback = self.of.feedback(state, key, t, inside, index, before)
        return feedback._replace(
            context=_times(feedback.context, self.context_factor),
            reward=self._in_unit(feedback.reward),
        )

    def _inside(self, round: Round) -> Round:
        """The round as the environment showed it."""
        return _scaled(round, 1 / self.context_factor)

    def _in_unit(self, reward: Any) -> Any:
        return self.reward_scale * reward + self.reward_offset


def _scaled(round: Round, factor: Any) -> Round:
    return round._replace(contexts=_times(round.contexts, factor))


def _times(contexts: Any, factor: Any) -> Any:
    if isinstance(contexts, Blocks):
        return Blocks(contexts.x * factor, contexts.block)
    return contexts * factor
