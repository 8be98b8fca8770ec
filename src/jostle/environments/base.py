"""``Environment``: the contract of a bandit problem that policies can be simulated on."""

from typing import Any, ClassVar

import jax

from jostle.core.record import Record
from jostle.types import BanditSpec, Feedback, Outcome, Round, feedback_of


class Environment(Record):
    """A bandit problem as an immutable pytree of pure functions; all randomness enters as a key.

    A subclass defines ``spec``, ``init``, ``observe`` and ``reward``.
    """

    behaviour: ClassVar[int] = 1
    """Raised whenever the same settings and seed would give another stream than before, so that
    results on the old stream are not taken for those on the new one."""

    @property
    def spec(self) -> BanditSpec:
        """The dimensions of the problem, which policies are built from."""
        raise NotImplementedError(f"{type(self).__name__} must define spec")

    @property
    def features(self) -> int:
        """Length of a context vector."""
        return self.spec.features

    @property
    def pool(self) -> int | None:
        """Size of the fixed pool of contexts, or None if contexts are new in every round."""
        return self.spec.pool

    @property
    def blocks(self) -> int | None:
        """Number of blocks of the disjoint model, or None if contexts are not of that kind."""
        return self.spec.blocks

    @property
    def arms(self) -> int | None:
        """Number of arm ids, or None if arms have no ids."""
        return self.spec.arms

    @property
    def users(self) -> int | None:
        """Number of user ids, or None if users have no ids."""
        return self.spec.users

    @property
    def rounds(self) -> int | None:
        """Number of rounds, or None if there is no end to them."""
        return self.spec.rounds

    @property
    def lessons(self) -> int:
        """Number of observations that a policy learns from in each round: 1 in a bandit."""
        return 1

    @property
    def longest_delay(self) -> int | None:
        """The most rounds that rewards take to arrive; None if they never take any."""
        return None

    def init(self, key: jax.Array) -> Any:
        """Draw the problem: what stays the same from round to round."""
        raise NotImplementedError(f"{type(self).__name__} must define init")

    def observe(self, state: Any, key: jax.Array, t: jax.Array) -> Round:
        """The arms shown in round ``t``."""
        raise NotImplementedError(f"{type(self).__name__} must define observe")

    def reward(
        self, state: Any, key: jax.Array, t: jax.Array, round: Round, index: jax.Array
    ) -> Outcome:
        """The reward and regret of choosing arm ``index`` in ``round``, which is round ``t``."""
        raise NotImplementedError(f"{type(self).__name__} must define reward")

    def feedback(
        self, state: Any, key: jax.Array, t: jax.Array, round: Round, index: Any, outcome: Outcome
    ) -> Feedback:
        """What the policy learns from: by default the chosen arm and its reward, as in a bandit.

        If ``lessons`` is more than 1, the arrays have that many rows, learnt one after another.
        """
        return feedback_of(round, index, outcome.reward)

    def reward_delay(self, key: jax.Array) -> Any:
        """After how many rounds the reward arrives, by the key that its noise is drawn from.

        Called only if ``longest_delay`` is not None; a longer delay stands for never.
        """
        raise NotImplementedError(f"{type(self).__name__} must define reward_delay")
