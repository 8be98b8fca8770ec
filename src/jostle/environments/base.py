"""The contract of everything a policy can be tried on."""

from typing import Any, ClassVar

import jax

from jostle.core.record import Record
from jostle.types import Feedback, Outcome, Round, feedback_of


class Environment(Record):
    """An immutable pytree of pure functions; all randomness enters as a key.

    A subclass defines ``init``, ``observe`` and ``reward``.
    """

    behaviour: ClassVar[int] = 1
    """Raised whenever the same settings and seed would give another stream than before, so that
    results on the old stream are not taken for those on the new one."""

    @property
    def features(self) -> int:
        """The dimension of a context."""
        raise NotImplementedError

    @property
    def pool(self) -> int | None:
        """The size of the fixed pool of contexts, or None when contexts are new each round."""
        return None

    @property
    def arms(self) -> int | None:
        """How many arm ids there are, or None when arms have no ids."""
        return self.pool

    @property
    def rounds(self) -> int | None:
        """How many rounds there are, or None when there is no end."""
        return None

    def init(self, key: jax.Array) -> Any:
        """Draw the problem: what stays the same from round to round."""
        raise NotImplementedError

    def observe(self, state: Any, key: jax.Array, t: jax.Array) -> Round:
        """The arms shown in round ``t``."""
        raise NotImplementedError

    def reward(
        self, state: Any, key: jax.Array, t: jax.Array, round: Round, index: jax.Array
    ) -> Outcome:
        """What choosing arm ``index`` of ``round``, the one of time ``t``, brings."""
        raise NotImplementedError

    def feedback(
        self, state: Any, key: jax.Array, t: jax.Array, round: Round, index: Any, outcome: Outcome
    ) -> Feedback:
        """What the policy learns from: the chosen arm and its reward. A bandit tells no more."""
        return feedback_of(round, index, outcome.reward)
