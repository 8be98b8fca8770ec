"""Picking an arm: by the best score, uniformly, by probabilities, and untried arms first.

All functions take NumPy or JAX arrays.
"""

import jax.numpy as jnp
import numpy as np

from jostle.core.arrays import Index, Key, Mask, Probabilities, Scores
from jostle.core.backend import uniforms
from jostle.models.history import Tried
from jostle.types import Round


def greedy(scores: Scores, allowed: Mask) -> Mask:
    """Which of the allowed arms have the highest score."""
    xp = scores.__array_namespace__()
    # NaN ranks last, so that a network that diverged still gives a valid choice.
    ranked = xp.where(allowed & (scores == scores), scores, -xp.inf)
    return allowed & (ranked >= ranked.max())


def pick_best(key: Key, scores: Scores, allowed: Mask) -> Index:
    """The index of the highest score among the allowed arms; ties are broken uniformly."""
    if isinstance(scores, np.ndarray):  # on the host: usually there is no tie to break
        everyone = np.count_nonzero(allowed) == len(allowed)
        ranked = scores if everyone else np.where(allowed, scores, -np.inf)
        best = ranked.argmax()
        if np.count_nonzero(ranked >= ranked[best]) == 1:
            return best
    return pick_uniformly(key, greedy(scores, allowed))


def pick_uniformly(key: Key, allowed: Mask) -> Index:
    """The index of an allowed arm, each equally likely."""
    xp = allowed.__array_namespace__()
    return xp.where(allowed, uniforms(key, allowed.shape), -1.0).argmax()


def pick_weighted(key: Key, probabilities: Probabilities) -> Index:
    """An index drawn with these probabilities, as the first of exponential waiting times."""
    xp = probabilities.__array_namespace__()
    possible = probabilities > 0
    times = -xp.log1p(-uniforms(key, probabilities.shape)) / xp.where(possible, probabilities, 1)
    return xp.where(possible, times, xp.inf).argmin()


def even(allowed: Mask) -> Probabilities:
    """The probabilities of choosing uniformly among the allowed arms."""
    return allowed / allowed.sum()


def preferring_untried(tried: Tried, round: Round) -> Mask:
    """The arms to choose from: present arms never pulled if there are any, else all present."""
    if tried.flags.shape[0] == 0:
        return round.mask
    untried = round.mask & ~tried.among(round.arms)
    if isinstance(untried, np.ndarray):
        return untried if np.count_nonzero(untried) else round.mask
    return jnp.where(untried.any(), untried, round.mask)
