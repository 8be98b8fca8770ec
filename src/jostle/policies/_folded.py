"""``FoldedNPR``: NPR for decisions on the host, with all that no context changes computed once.

Everything after the hidden layers is linear in them and in the context x. So the scores of all
members, usual and optimistic, and the mean come from two products,

    G = x A + a            A = [hidden layers | members and mean]
    T = relu(G_hidden) B + G_members

where A and B hold units, weights of the stack, and scales already (and a third product for a
network of more than one hidden layer). The draws are then the mean plus |C T'|, with a row of C for
each draw: the weights of the members that it combines.

Several decisions are made at once if they have equally many arms, and each exactly as it would be
alone, bit for bit: NumPy multiplies stacks of matrices one by one.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from jostle.models.forecaster import MEMBERS, Forecaster
from jostle.models.networks import MLP, Heads, NoNetwork
from jostle.policies.selection import even, greedy

MOST_ROWS = 8192
"""Contexts that are looked at together, so that memory stays small."""


class Strengths(NamedTuple):
    """What the draws of a decision are made of."""

    noise: Any
    """Factor of the responses to perturbations."""
    prior: Any
    """Factor of what is left of the priors."""
    boldness: float
    """By how much optimists multiply the prior."""
    optimism: Any
    """The probability of an optimist."""
    farther: Any
    """The same where contexts are outlying."""
    floor: Any
    samples: int
    mixed: int
    """Members that one draw combines."""


class Decided(NamedTuple):
    """n decisions among k arms."""

    indices: np.ndarray  # (n,)
    scores: np.ndarray  # (n, k)
    probabilities: np.ndarray  # (n, k)


def folds(network: Any) -> bool:
    """Whether estimates of a network can be folded."""
    return isinstance(network, MLP | NoNetwork) or (
        isinstance(network, Heads) and network.blocks == 1
    )


class FoldedNPR:
    """Decides by the state of an NPR of the shared model, without a sweep.

    Arguments:
        forecaster: its regressions and scales, as NumPy arrays.
        network: a network for which ``folds`` holds.
        params: of the network.
        strengths: of the draws.
    """

    def __init__(self, forecaster: Forecaster, network: Any, params: Any, strengths: Strengths):
        self._strengths = strengths
        features, scales, unit = forecaster.features, forecaster.scales, float(forecaster.unit)
        direct, random = features.weight.shape
        project = np.eye(direct) if features.projection is None else features.projection
        into = project.astype(np.float64) / unit  # u = x @ into
        first, deeper, last, path = _layers(network, params, len(into))
        known = float(scales.prior > 0)  # until two rewards differ, choose uniformly
        believed = known * float(forecaster.stack.weights[-1]) * float(scales.spread)
        columns = _columns(forecaster, strengths)
        columns[:, -1] *= known
        linear = into @ columns[:direct] / direct**0.5
        linear[:, -1:] += believed * path / unit
        constant = columns[direct]
        constant[-1] += believed * last[1][0]
        below = columns[direct + 1 :] / max(1, random) ** 0.5
        if not deeper:
            heads = np.zeros((len(last[0]), columns.shape[1]))
            heads[:, -1:] = believed * last[0]
            below = np.concatenate([below, heads])
        self._first = _single(np.concatenate([into @ features.weight, first[0] / unit, linear], 1))
        self._offset = _single(np.concatenate([features.bias, first[1], constant]))
        self._below = _single(below)
        self._deeper, self._out = deeper, _single(believed * last[0])
        self._random, self._hidden = random, random + len(first[1])
        self._mean = np.float32(known * scales.mean)
        self._outlying = forecaster.outlying

    def choose(
        self, contexts: np.ndarray, generator: Callable[[int], np.random.Generator]
    ) -> Decided:
        """Decisions among the arms of (n, k, features) contexts.

        ``generator`` gives the generator of a decision by its place; it is used up before the next
        call.
        """
        n, k = contexts.shape[:2]
        most = max(1, MOST_ROWS // k)
        if n <= most:
            return self._chosen(contexts, generator)
        parts = [
            self._chosen(contexts[start : start + most], _later(generator, start))
            for start in range(0, n, most)
        ]
        return Decided(*(np.concatenate(column) for column in zip(*parts, strict=True)))

    def _chosen(
        self, contexts: np.ndarray, generator: Callable[[int], np.random.Generator]
    ) -> Decided:
        (n, k), strengths = contexts.shape[:2], self._strengths
        shape = (n, strengths.samples, strengths.mixed)
        uniform, weights = np.empty(shape, np.float32), np.empty(shape, np.float32)
        chance = np.empty((n, k), np.float32)
        for place in range(n):
            source = generator(place)
            source.random(out=uniform[place], dtype=np.float32)
            source.standard_normal(out=weights[place], dtype=np.float32)
            source.random(out=chance[place], dtype=np.float32)
        scores, draws = self._draws(contexts, uniform, weights)
        shares = _vote_shares(draws)
        bold, floor = self._bold(contexts), strengths.floor
        probabilities = (1 - bold) * shares[:, 0] + bold * shares[:, 1]
        probabilities = (1 - floor) * probabilities + floor * (1 / k)
        # The first of exponential waiting times, as in ``pick_weighted``.
        possible = probabilities > 0
        times = -np.log1p(-chance) / np.where(possible, probabilities, 1)
        return Decided(np.where(possible, times, np.inf).argmin(-1), scores, probabilities)

    def _bold(self, contexts: np.ndarray) -> Any:
        """The probability that each decision is an optimist's, (n, 1)."""
        usual, outlying = self._strengths.optimism, self._outlying
        if outlying is None:
            return usual
        return np.where(outlying.among(contexts), self._strengths.farther, usual)[:, None]

    def _draws(
        self, contexts: np.ndarray, uniform: np.ndarray, z: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """The means, (n, k), and draws of all scores, usual and bold: (n, 2, samples, k)."""
        n, k = contexts.shape[:2]
        hidden = self._hidden
        both = contexts @ self._first
        both += self._offset
        layer = np.maximum(both[..., :hidden], 0)
        table = layer[..., : len(self._below)] @ self._below
        table += both[..., hidden:]
        if self._deeper:
            h = layer[..., self._random :]
            for weight, bias in self._deeper:
                h = np.maximum(h @ weight + bias, 0)
            table[..., -1:] += h @ self._out
        mean = table[..., -1]
        responses = table[..., :-1].reshape(n, k, 2, -1).transpose(0, 2, 3, 1)
        draws = _combinations(uniform, z, responses.shape[2])[:, None] @ responses
        np.abs(draws, out=draws)  # doubt about an arm always speaks for it
        draws += mean[:, None, None]
        return mean + self._mean, draws  # what all arms have in common decides nothing


def _later(
    generator: Callable[[int], np.random.Generator], start: int
) -> Callable[[int], np.random.Generator]:
    return lambda place: generator(start + place)


def _combinations(uniform: np.ndarray, z: np.ndarray, members: int) -> np.ndarray:
    """(n, samples, members): weights on the unit sphere, of members drawn with replacement."""
    n, samples, _ = z.shape
    which = np.minimum((uniform * members).astype(np.int64), members - 1)
    which += (np.arange(n * samples) * members).reshape(n, samples, 1)
    weights = z / np.sqrt((z * z).sum(-1, keepdims=True))
    made = np.bincount(which.ravel(), weights.ravel(), n * samples * members)
    return made.astype(np.float32).reshape(n, samples, members)


def _vote_shares(draws: np.ndarray) -> np.ndarray:
    """How often each arm is best among draws, (n, 2, k); see ``selection.vote_shares``."""
    n, ways, samples, k = draws.shape
    flat = draws.reshape(-1, k)
    best = flat.argmax(-1)
    highest = flat[np.arange(len(flat)), best]
    equal = flat == highest[:, None]
    place = best.reshape(n * ways, samples) + np.arange(0, n * ways * k, k)[:, None]
    votes = np.bincount(place.ravel(), minlength=n * ways * k)
    shares: np.ndarray = votes.reshape(n, ways, k) / samples
    # Ties, or none that is a number: that equals nothing, and could make up for a tie elsewhere.
    if np.count_nonzero(equal) != len(flat) or (highest != highest).any():
        own = (np.count_nonzero(equal, axis=-1) != 1).reshape(n, ways, samples).any(-1)
        shares[own] = even(greedy(draws[own], np.ones(k, bool))).mean(-2)
    return shares


def _columns(forecaster: Forecaster, strengths: Strengths) -> np.ndarray:
    """(p, 2 members + 1): what the features are multiplied with, for the members and the mean.

    The running mean of the rewards is left out.
    """
    mean = float(forecaster.scales.mean)
    parts = (forecaster.ridge, forecaster.linear, forecaster.latest)
    ridge, linear, latest = (each.weights[0].astype(np.float64) for each in parts)
    direct, full, late, _ = forecaster.stack.weights.astype(np.float64)
    estimate = full * (ridge[0] - mean * ridge[1])
    size = linear.shape[1]
    estimate[:size] += (direct - full - late) * (linear[0] - mean * linear[1])
    estimate[:size] += late * (latest[0] - mean * latest[1])
    noise, prior = np.split(ridge[MEMBERS:], 2)
    noise, prior = float(strengths.noise) * noise, float(strengths.prior) * prior
    bold = noise + strengths.boldness * prior
    return np.concatenate([noise + prior, bold, estimate[None]]).T.copy()


def _layers(network: Any, params: Any, entries: int) -> tuple[Any, list[Any], Any, Any]:
    """The first hidden layer, the others, the output layer, and the path around them."""
    if isinstance(network, NoNetwork):
        none = np.zeros(0)
        return (np.zeros((entries, 0)), none), [], (np.zeros((0, 1)), np.zeros(1)), 0.0
    first, *deeper = params[: network.depth - 1]
    path = params[-1] if isinstance(network, MLP) and network.linear else 0.0
    return first, deeper, params[network.depth - 1], path


def _single(array: np.ndarray) -> np.ndarray:
    return np.ascontiguousarray(array, np.float32)
