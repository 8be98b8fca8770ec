"""From hashed features to the rows that policies take, for many rows at once.

Three ways to bring a context and an action together:

``crossed``
    The action's features, and each feature of the context times each of the action's (its id, if
    it has no others), hashed into one table. A linear model can then learn what suits whom. With
    actions that are only names it is the disjoint model: every arm has weights of its own.
``product``
    The action's features, the context's, and a low-rank product of both: random projections of
    each, multiplied entry by entry (a quarter, a quarter and half of the dimensions).
``none``
    The features of both in one table.
"""

import functools
from array import array
from typing import NamedTuple

import numpy as np

from jostle.features.hashing import buckets, pairs, random_signs, signs

CROSSED, PRODUCT, NONE = "crossed", "product", "none"
INTERACTIONS = (CROSSED, PRODUCT, NONE)
MOST_TERMS = 4096
"""Terms of a decision up to which it is remembered where they go: 8 MB in all at most."""


class Hashed(NamedTuple):
    """Features packed as bytes, which many rows are joined from faster than from arrays."""

    hashes: bytes  # of uint64
    values: bytes  # of float64

    @classmethod
    def of(cls, hashes: list[int], values: list[float]) -> "Hashed":
        """From lists."""
        return cls(array("Q", hashes).tobytes(), array("d", values).tobytes())

    @property
    def arrays(self) -> tuple[np.ndarray, np.ndarray]:
        """The hashes and the values."""
        return np.frombuffer(self.hashes, np.uint64), np.frombuffer(self.values)


class Ragged(NamedTuple):
    """The features of several rows, one after another."""

    hashes: np.ndarray  # (n,) uint64
    values: np.ndarray  # (n,) float64
    lengths: np.ndarray  # (rows,)

    @classmethod
    def of(cls, rows: list[Hashed]) -> "Ragged":
        """Stack rows."""
        hashes, values = zip(*rows, strict=True)
        lengths = np.fromiter(map(len, hashes), np.int64, len(rows)) // 8
        return cls(
            np.frombuffer(b"".join(hashes), np.uint64), np.frombuffer(b"".join(values)), lengths
        )

    @classmethod
    def even(cls, hashes: np.ndarray, values: np.ndarray) -> "Ragged":
        """From matrices: as many features in each row."""
        rows, length = hashes.shape
        return cls(hashes.ravel(), values.ravel(), np.full(rows, length))

    def first(self) -> "Ragged":
        """The first feature of each row."""
        starts = np.cumsum(self.lengths) - self.lengths
        return Ragged(self.hashes[starts], self.values[starts], np.ones_like(self.lengths))

    @property
    def row(self) -> np.ndarray:
        """Which row each feature belongs to."""
        return np.repeat(np.arange(len(self.lengths)), self.lengths)


def table(features: list[Ragged], rows: int, size: int) -> np.ndarray:
    """(rows, size): the sum of the signed values in each bucket."""
    place = np.concatenate([part.row * size + buckets(part.hashes, size) for part in features])
    values = np.concatenate([part.values * signs(part.hashes) for part in features])
    return np.bincount(place, values, rows * size).reshape(rows, size)


def crosses(contexts: Ragged, actions: Ragged) -> Ragged:
    """Every feature of a row's context times every feature of its action.

    If an action has one feature, which is its name, the context counts as it is (the disjoint
    model). If it has n, each product counts 0.5 / sqrt(n), so that together they are about half as
    long as the context: products of many features mostly collide.
    """
    per_feature = actions.lengths[contexts.row]  # pairs of each feature of a context
    left = np.repeat(np.arange(len(contexts.hashes)), per_feature)
    first = np.cumsum(per_feature) - per_feature
    starts = np.cumsum(actions.lengths) - actions.lengths
    right = np.arange(len(left)) - np.repeat(first - starts[contexts.row], per_feature)
    scale = np.where(actions.lengths > 1, 0.5, 1.0) / np.sqrt(np.maximum(actions.lengths, 1))
    values = (contexts.values * scale[contexts.row])[left] * actions.values[right]
    hashes = pairs(contexts.hashes[left], actions.hashes[right])
    return Ragged(hashes, values, contexts.lengths * actions.lengths)


def repeated(context: Hashed, rows: int) -> Ragged:
    """The same features of a context for every row."""
    hashes, values = context.arrays
    return Ragged(np.tile(hashes, rows), np.tile(values, rows), np.full(rows, len(hashes)))


def crossed_rows(
    contexts: Ragged, flags: Ragged, actions: Ragged, anchors: Ragged, size: int
) -> np.ndarray:
    """The actions' features, and the contexts' times the ``anchors``.

    The contexts' flags are multiplied with the first anchor only: that a number is known matters,
    but hardly more for one feature of an action than for another.
    """
    parts = [actions, crosses(contexts, anchors), crosses(flags, anchors.first())]
    return table(parts, len(actions.lengths), size)


def decision_rows(
    context: Hashed, flags: Hashed, actions: Ragged, anchors: Ragged, size: int
) -> np.ndarray:
    """What ``crossed_rows`` gives if all rows have the same context: faster, and bit for bit.

    Every feature of the context meets every anchor of any action, as a matrix, so that nothing has
    to be repeated for each row. In each row terms are still added in the same order.
    """
    terms = len(actions.hashes) + len(context.hashes) // 8 * len(anchors.hashes)
    make = _known_cells if terms <= MOST_TERMS else _cells
    scale, starts, place, sign = make(
        context.hashes,
        flags.hashes,
        actions.hashes.tobytes(),
        anchors.hashes.tobytes(),
        actions.lengths.tobytes(),
        anchors.lengths.tobytes(),
        size,
    )
    values, flag_values = np.frombuffer(context.values), np.frombuffer(flags.values)
    all_values = np.concatenate(
        [
            actions.values,
            ((values[:, None] * scale) * anchors.values).ravel(),
            (flag_values[:, None] * anchors.values[starts]).ravel(),
        ]
    )
    all_values *= sign
    count = len(anchors.lengths)
    return np.bincount(place, all_values, count * size).reshape(count, size)


def _cells(
    context: bytes,
    flags: bytes,
    actions: bytes,
    anchors: bytes,
    action_lengths: bytes,
    anchor_lengths: bytes,
    size: int,
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """What ``decision_rows`` needs that depends on hashes only: names and strings, not numbers.

    Returns the scale of each anchor (see ``crosses``), the first anchor of each row, and the cell
    and the sign of each term.
    """
    who, known, own, anchor = (
        np.frombuffer(part, np.uint64) for part in (context, flags, actions, anchors)
    )
    lengths = np.frombuffer(anchor_lengths, np.int64)
    rows = np.arange(len(lengths))
    owner = np.repeat(rows, lengths)
    starts = np.cumsum(lengths) - lengths
    scale = np.where(lengths > 1, 0.5, 1.0) / np.sqrt(np.maximum(lengths, 1))
    owners = np.repeat(rows, np.frombuffer(action_lengths, np.int64))
    return scale[owner], starts, *_placed(who, known, own, owners, anchor, owner, starts, size)


def even_cells(
    who: np.ndarray, known: np.ndarray, actions: np.ndarray, anchors: np.ndarray, size: int
) -> tuple[np.ndarray, np.ndarray]:
    """The cell and the sign of each term of ``decision_rows``, if all actions have equally many.

    Arguments:
        who: the hashes of the context's features.
        known: the hashes of its flags.
        actions: the hashes of the actions' features, (k, features).
        anchors: the hashes of what the context is multiplied with, (k, anchors).
        size: of a row.
    """
    rows = np.arange(len(actions))
    owners, owner = (np.repeat(rows, part.shape[1]) for part in (actions, anchors))
    starts = rows * anchors.shape[1]
    return _placed(who, known, actions.ravel(), owners, anchors.ravel(), owner, starts, size)


def even_scale(anchors: int) -> float:
    """How much a product with one of so many features of an action counts, see ``crosses``."""
    return float(np.float64(0.5 if anchors > 1 else 1.0) / np.sqrt(max(anchors, 1)))


def _placed(
    who: np.ndarray,
    known: np.ndarray,
    own: np.ndarray,
    owners: np.ndarray,
    anchor: np.ndarray,
    owner: np.ndarray,
    starts: np.ndarray,
    size: int,
) -> tuple[np.ndarray, np.ndarray]:
    """The cell and the sign of each term: of the actions' features, whose rows are ``owners``, of
    the context times the anchors, whose rows are ``owner``, and of the flags times the first."""
    row = [owners, np.tile(owner, len(who)), np.tile(np.arange(len(starts)), len(known))]
    hashes = np.concatenate(
        [own, pairs(who[:, None], anchor).ravel(), pairs(known[:, None], anchor[starts]).ravel()]
    )
    return np.concatenate(row) * size + buckets(hashes, size), signs(hashes)


_known_cells = functools.lru_cache(maxsize=128)(_cells)
"""The same requests come again and again, but for their numbers."""


def plain_rows(contexts: Ragged, flags: Ragged, actions: Ragged, size: int) -> np.ndarray:
    """The features of both in one table."""
    return table([actions, contexts, flags], len(actions.lengths), size)


def product_rows(
    contexts: Ragged, flags: Ragged, actions: Ragged, common: Ragged | None, size: int
) -> np.ndarray:
    """The features of both side by side, and a low-rank product."""
    count, part = len(actions.lengths), size // 4
    rank = size - 2 * part
    action, context = table([actions], count, part), table([contexts, flags], count, part)
    if common is not None:
        action += table([common], 1, part)
    product = (context @ random_signs(part, rank, 1)) * (action @ random_signs(part, rank, 2))
    made = np.concatenate([action, context, product / np.sqrt(rank)], axis=1)
    return made.astype(np.float32)
