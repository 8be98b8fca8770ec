"""Picking an arm, by scores, uniformly or by probabilities, and how likely each arm is picked.

All functions take NumPy or JAX arrays.
"""

from typing import Any

import jax.numpy as jnp
import numpy as np

from jostle.core.arrays import Index, Key, Mask, Probabilities, Scores
from jostle.core.backend import apart, uniforms
from jostle.models.history import Tried
from jostle.types import Round

FLOOR_STREAM = 0xF100
"""Which stream of a decision's key its floor draws from."""


def greedy(scores: Scores, allowed: Mask) -> Mask:
    """Which of the allowed arms have the highest score; row by row if there are several rows."""
    xp = scores.__array_namespace__()
    # NaN ranks last, so that a network that diverged still gives a valid choice.
    ranked = xp.where(allowed & (scores == scores), scores, -xp.inf)
    return allowed & (ranked >= ranked.max(-1, keepdims=True))


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
    """The probabilities of choosing uniformly among the allowed arms (of each row)."""
    return allowed / allowed.sum(-1, keepdims=True)


def vote_shares(draws: Any, allowed: Mask) -> Probabilities:
    """How often each arm is best among draws of all scores, of shape (draws, k).

    Arms that share the best score of a draw share its vote.
    """
    if isinstance(draws, np.ndarray) and np.count_nonzero(allowed) == len(allowed):
        best = draws.argmax(-1)  # on the host: usually there are no ties, and all may be chosen
        highest = draws[np.arange(len(draws)), best]
        single = np.count_nonzero(draws == highest[:, None]) == len(draws)
        if single and (highest == highest).all():  # what is no number could make up for a tie
            return np.bincount(best, minlength=len(allowed)) / len(draws)
    return even(greedy(draws, allowed)).mean(0)


def mixed(probabilities: Probabilities, floor: Any, mask: Mask) -> Probabilities:
    """(1 - floor) p + floor / K, over the K arms present."""
    return (1 - floor) * probabilities + floor * even(mask)


def pick_above_floor(key: Key, index: Index, floor: Any, mask: Mask) -> Index:
    """``index`` or, with probability ``floor``, an arm present, each equally likely.

    The arm is then distributed as ``mixed`` says. Without a floor, nothing is drawn.
    """
    if isinstance(floor, float) and floor == 0:
        return index
    xp = mask.__array_namespace__()
    numbers = uniforms(apart(key, FLOOR_STREAM), (len(mask) + 1,))
    anyone = xp.where(mask, numbers[1:], -1.0).argmax()
    return xp.where(numbers[0] < floor, anyone, index)


def preferring_untried(tried: Tried, round: Round) -> Mask:
    """The arms to choose from: present arms never pulled if there are any, else all present."""
    if tried.flags.shape[0] == 0:
        return round.mask
    untried = round.mask & ~tried.among(round.arms)
    if isinstance(untried, np.ndarray):
        return untried if np.count_nonzero(untried) else round.mask
    return jnp.where(untried.any(), untried, round.mask)
