"""The contract of everything that learns, and how a policy picks among scores."""

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from jostle.checks import whole
from jostle.records import Record, static
from jostle.types import Choice, Feedback, Round


class Policy(Record):
    """An immutable pytree of hyper-parameters with three pure functions.

    A subclass defines ``init``, ``choose`` and ``learn``; ``reserve`` too if its state grows with
    the number of observations or of arm ids. Everything stochastic takes a key.
    """

    features: int = static()

    def check(self) -> None:
        """Refuse bad arguments."""
        whole("features", self.features)

    def init(self, key: jax.Array) -> Any:
        """The state before any observation."""
        raise NotImplementedError

    def choose(self, state: Any, key: Any, round: Round) -> Choice:
        """Choose an arm of the round. Never changes the state: deciding twice is harmless."""
        raise NotImplementedError

    def learn(self, state: Any, key: jax.Array, feedback: Feedback) -> Any:
        """The state after one more observation."""
        raise NotImplementedError

    def reserve(self, state: Any, *, observations: int, arms: int) -> Any:
        """The same state with room for this many observations and for arm ids below ``arms``."""
        return state

    def deciding(self, state: Any) -> Any:
        """The part of the state that ``choose`` reads, in the same structure."""
        return state

    @property
    def needs_arms(self) -> bool:
        """Whether every observation must carry the id of its arm."""
        return False

    @property
    def takes_blocks(self) -> bool:
        """Whether contexts of the disjoint model may come as ``Blocks``, without their zeros."""
        return False

    @property
    def on_host(self) -> bool:
        """Whether ``choose`` runs on NumPy arrays too, with a NumPy generator as its key."""
        return False


def uniforms(key: Any, shape: tuple[int, ...]) -> Any:
    """Uniform numbers in [0, 1) from a JAX key, or from a NumPy generator on the host."""
    if isinstance(key, np.random.Generator):
        return key.random(shape, dtype=np.float32)
    return jax.random.uniform(key, shape)


def split(key: Any) -> tuple[Any, Any]:
    """Two independent sources of randomness from one."""
    if isinstance(key, np.random.Generator):
        return key, key
    first, second = jax.random.split(key)
    return first, second


def greedy(scores: Any, allowed: Any) -> Any:
    """Which of the allowed arms have the highest score."""
    xp = scores.__array_namespace__()
    # What is not a number ranks last, so that a diverged network still gives a valid choice.
    ranked = xp.where(allowed & (scores == scores), scores, -xp.inf)
    return allowed & (ranked >= ranked.max())


def pick_best(key: Any, scores: Any, allowed: Any) -> Any:
    """The index of the highest score among the allowed arms; ties are broken uniformly."""
    if isinstance(scores, np.ndarray):  # a decision on the host: mostly there is no tie to break
        everyone = np.count_nonzero(allowed) == len(allowed)
        ranked = scores if everyone else np.where(allowed, scores, -np.inf)
        best = ranked.argmax()
        if np.count_nonzero(ranked >= ranked[best]) == 1:
            return best
    return pick_uniformly(key, greedy(scores, allowed))


def pick_uniformly(key: Any, allowed: Any) -> Any:
    """The index of one of the allowed arms, each equally likely."""
    xp = allowed.__array_namespace__()
    return xp.where(allowed, uniforms(key, allowed.shape), -1.0).argmax()


def pick_weighted(key: Any, probabilities: Any) -> Any:
    """An index drawn with these probabilities: the winner of a race of exponential clocks."""
    xp = probabilities.__array_namespace__()
    possible = probabilities > 0
    times = -xp.log1p(-uniforms(key, probabilities.shape)) / xp.where(possible, probabilities, 1)
    return xp.where(possible, times, xp.inf).argmin()


def even(allowed: Any) -> Any:
    """The probabilities of choosing uniformly among the allowed arms."""
    return allowed / allowed.sum()


def preferring_untried(tried: Any, round: Round) -> Any:
    """The arms to choose from: those never pulled if any is shown, else all that are present."""
    if tried.flags.shape[0] == 0:
        return round.mask
    untried = round.mask & ~tried.among(round.arms)
    if isinstance(untried, np.ndarray):
        return untried if np.count_nonzero(untried) else round.mask
    return jnp.where(untried.any(), untried, round.mask)
