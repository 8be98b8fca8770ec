"""``Catalogue``: the users and items of a recommendation environment, as arrays."""

from typing import Any

import jax.numpy as jnp
import numpy as np

from jostle.core.record import Record, data, static
from jostle.core.validation import finite, lookup, numeric
from jostle.datasets import authors_events, embeddings, hetrec
from jostle.environments.recommendation.likes import Likes

OWN = "own"
"""The source of a catalogue made from a user's own arrays."""


class Catalogue(Record):
    """Vectors of users and items, who likes what, and the events if rounds are not drawn."""

    user_vectors: Any = data()  # (users, user dimensions)
    item_vectors: Any = data()  # (items, components)
    likes: Likes = data()
    active: Any = data()  # the users who like something
    user_ids: Any = data()  # (users,): the published ids
    item_ids: Any = data()  # (items,)
    event_users: Any = data(default=None)  # (events,)
    event_pools: Any = data(default=None)  # (events, shown), the liked item first
    source: str = static(default=OWN)

    def __repr__(self) -> str:
        users, items = self.user_vectors.shape[0], self.item_vectors.shape[0]
        return f"{users} users, {items} items, {self.likes.items.shape[0]} liked ({self.source})"


def drawn(
    name: str, positives: str, components: int, dimensions: int, seed: int, scaling: str
) -> Catalogue:
    """A catalogue of a HetRec data set: our vectors of users and items, and all positives.

    Its items are those that somebody likes: the 17,632 artists that the paper counts if liked means
    listened to, and the 12,523 that its group drew its pools from if it means tagged.
    """
    known = hetrec.read(name, positives)
    users = embeddings.user_vectors(known, dimensions, seed)
    return _of_hetrec(
        known,
        users,
        embeddings.item_vectors(known, components, seed),
        known.positives,
        np.unique(known.positives[:, 1]),
        scaling,
    )


def authors(name: str, components: int, seed: int, scaling: str) -> Catalogue:
    """A catalogue with the events and user vectors of the paper's group, and our item vectors.

    Its items are those in the pool of any event; a user likes what comes first in the pool.
    """
    known = hetrec.read(name, "tagged")
    theirs = authors_events.read(known)
    candidates, places = np.unique(theirs.pools, return_inverse=True)
    pairs = np.column_stack([theirs.users, theirs.pools[:, 0]])
    items = embeddings.item_vectors(known, components, seed)
    return _of_hetrec(known, theirs.vectors, items, pairs, candidates, scaling).replace(
        event_users=jnp.asarray(theirs.users, jnp.int32),
        event_pools=jnp.asarray(places.reshape(theirs.pools.shape), jnp.int32),
    )


def own(users: Any, items: Any, positives: Any, scaling: str) -> Catalogue:
    """A catalogue of the caller's own arrays."""
    users, items = _table("users", users), _table("items", items)
    pairs = _pairs(positives, len(users), len(items))
    ids = np.arange(len(users)), np.arange(len(items))
    return _catalogue(users, items, pairs, *ids, scaling, OWN)


def _of_hetrec(
    known: hetrec.HetRec,
    users: np.ndarray,
    items: np.ndarray,
    pairs: np.ndarray,
    candidates: np.ndarray,
    scaling: str,
) -> Catalogue:
    """With ``candidates`` as items, numbered from 0: arm ids count the items that can be shown."""
    pairs = np.column_stack([pairs[:, 0], np.searchsorted(candidates, pairs[:, 1])])
    ids = known.users, known.items[candidates]
    return _catalogue(users, items[candidates], pairs, *ids, scaling, known.source)


def _catalogue(
    users: np.ndarray,
    items: np.ndarray,
    pairs: np.ndarray,
    user_ids: np.ndarray,
    item_ids: np.ndarray,
    scaling: str,
    source: str,
) -> Catalogue:
    # On the device from the start, so that no run has to copy them there.
    scale = lookup("scaling", scaling, SCALINGS)
    return Catalogue(
        user_vectors=jnp.asarray(scale(users), jnp.float32),
        item_vectors=jnp.asarray(scale(items), jnp.float32),
        likes=Likes.of(pairs, len(users)),
        active=jnp.asarray(np.unique(pairs[:, 0]), jnp.int32),
        user_ids=jnp.asarray(user_ids, jnp.int32),
        item_ids=jnp.asarray(item_ids, jnp.int32),
        source=source,
    )


def _unit(rows: np.ndarray) -> np.ndarray:
    """Scale each row to length 1; rows of zeros, of which nothing is known, stay."""
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    return rows / np.where(lengths > 0, lengths, 1)


def _standard(rows: np.ndarray) -> np.ndarray:
    """Scale columns to mean 0 and variance 1 over known rows; rows of zeros stay, at the mean."""
    known = np.any(rows != 0, axis=1)
    mean, spread = rows[known].mean(axis=0), rows[known].std(axis=0)
    scaled = (rows - mean) / np.where(spread > 0, spread, 1)
    return np.where(known[:, None], scaled, 0)


def _raw(rows: np.ndarray) -> np.ndarray:
    return rows


SCALINGS = {"standard": _standard, "unit": _unit, "raw": _raw}
"""How the vectors of users, and those of items, are scaled."""


def _table(name: str, value: Any) -> np.ndarray:
    table = finite(name, value)
    if table.ndim != 2 or not table.size:
        raise ValueError(f"{name} must have one vector per row, not shape {table.shape}")
    return table


def _pairs(value: Any, users: int, items: int) -> np.ndarray:
    pairs = numeric("positives", value)
    if pairs.ndim != 2 or pairs.shape[1] != 2 or not len(pairs) or pairs.dtype.kind not in "iu":
        raise ValueError(
            "positives must be rows of two whole numbers (user, item), "
            f"not of shape {pairs.shape} and dtype {pairs.dtype}"
        )
    if pairs.min() < 0 or np.any(pairs.max(axis=0) >= (users, items)):
        raise ValueError(
            f"positives must hold users 0 to {users - 1} and items 0 to {items - 1}, "
            f"not {pairs.min(axis=0).tolist()} to {pairs.max(axis=0).tolist()}"
        )
    return pairs.astype(np.int64)
