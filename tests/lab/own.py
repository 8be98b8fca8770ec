"""A user's own policies and environments, good and bad ones."""

import os
import signal
from typing import Any

import jax
import jax.numpy as jnp

from jostle.core.record import leaf, static
from jostle.policies import Policy
from jostle.policies.selection import pick_best
from jostle.types import Choice


class First(Policy):
    """Always the first arm."""

    eagerness: Any = leaf(default=1.0)

    def init(self, key):
        return jnp.zeros(2)

    def choose(self, state, key, round):
        return Choice(jnp.argmax(round.mask), round.mask * self.eagerness)

    def learn(self, state, key, feedback):
        return state + feedback.reward


class Thinking(First):
    """Works hard on its state, whatever the round."""

    size: int = static(default=2)

    def init(self, key):
        return jax.random.normal(key, (self.size, self.size))

    def choose(self, state, key, round):
        thought = jnp.sum(state @ state @ state)
        return Choice(pick_best(key, round.contexts[:, 0] * thought, round.mask), round.mask)


class NeedsUsers(Policy):
    users: int = static()


class Broken(First):
    def choose(self, state, key, round):
        raise RuntimeError("broken on purpose")


class Dying(First):
    def choose(self, state, key, round):
        os.kill(os.getpid(), signal.SIGKILL)


class Stranger:
    """Not a policy."""
