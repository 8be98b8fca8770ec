"""How a policy picks an arm: the best score, a uniform or a weighted draw, untried arms first."""

from typing import Any

import jax.numpy as jnp
import numpy as np

from jostle.core.backend import uniforms
from jostle.types import Round


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
