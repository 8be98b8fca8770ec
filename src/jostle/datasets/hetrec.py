"""Reading the HetRec 2011 recommendation sets, Last.fm and Delicious, as integer arrays.

Rows hold indices instead of published ids: index ``i`` stands for the id ``users[i]``, ``items[i]``
or ``tags[i]``, all of which are in ascending order.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import numpy as np

from jostle.core import validation as checks
from jostle.datasets import catalog, paths
from jostle.datasets.acquire import verify
from jostle.datasets.cache import Arrays, cached, fingerprint
from jostle.datasets.delimited import read_integers

_VERSION = 1  # increase it when the stored arrays change, so that old caches are not read
_LASTFM = (
    "artists.dat",
    "tags.dat",
    "user_artists.dat",
    "user_friends.dat",
    "user_taggedartists.dat",
)
_DELICIOUS = ("tags.dat", "user_contacts.dat")
_DELICIOUS_REPLACEABLE = ("bookmarks.dat", "bookmark_tags.dat", "user_taggedbookmarks.dat")

POSITIVES = {"lastfm": ("listened", "tagged"), "delicious": ("tagged",)}
"""What may count as positive feedback; the first is what the paper says it used."""


@dataclass(frozen=True, eq=False)
class HetRec:
    """A recommendation set: users, items, tags, positive feedback and a friendship graph.

    Attributes:
        name: "lastfm" or "delicious".
        source: "original", or "partial" if files derived by others replace absent originals.
        feedback: what counts as positive, "listened" or "tagged".
        files: the files that were read.
        users: (users,) published ids, ascending.
        items: (items,) published ids, ascending. Last.fm has 390 more than its published 17,632
            artists: artists that were tagged but that nobody listened to.
        tags: (tags,) published ids, ascending.
        positives: distinct (user, item) pairs, ascending.
        taggings: (user, item, tag), one row for each time a user gave a tag.
        item_tags: (item, tag, weight). On Last.fm the weight is the number of users who gave the
            tag, on Delicious the number of times it was given on the whole site (always 1 in
            partial files, which lack it).
        friends: (user, user) as published, each friendship in both directions.
    """

    name: str
    source: Literal["original", "partial"]
    feedback: str
    files: tuple[str, ...]
    users: np.ndarray
    items: np.ndarray
    tags: np.ndarray
    positives: np.ndarray
    taggings: np.ndarray
    item_tags: np.ndarray
    friends: np.ndarray


def read(name: str, positives: str | None = None) -> HetRec:
    """Read a recommendation set, from the cache if it was read before.

    Arguments:
        name: "lastfm" or "delicious".
        positives: what counts as positive. "listened" (the default on Last.fm, as the paper says)
            takes the artists that a user listened to, "tagged" those that the user tagged, as in
            the files that the paper's authors published. A Delicious bookmark is made by tagging
            it, so that "tagged" is the only choice there.
    """
    choices = checks.lookup("recommendation data set", name, POSITIVES)
    feedback = choices[0] if positives is None else positives
    checks.lookup(f"positives of {name}", feedback, dict.fromkeys(choices))
    files, parse = (_LASTFM, _lastfm) if name == "lastfm" else (_delicious_files(), _delicious)

    def build() -> Arrays:
        return parse(dict(zip(files, verify.require(name, *files), strict=True)))

    arrays = cached(name, fingerprint(paths.locate(name, *files), files, _VERSION), build)
    pairs = {kind: arrays.pop(kind) for kind in choices}
    partial = any(catalog.get(name).file(file).role == "partial" for file in files)
    return HetRec(
        name=name,
        source="partial" if partial else "original",
        feedback=feedback,
        files=files,
        positives=pairs[feedback],
        **arrays,
    )


def _lastfm(places: dict[str, Path]) -> Arrays:
    listened = read_integers(places["user_artists.dat"], 2)
    taggings = read_integers(places["user_taggedartists.dat"], 3)
    friends = read_integers(places["user_friends.dat"], 2)
    users = np.unique(np.concatenate([listened[:, 0], taggings[:, 0], friends.ravel()]))
    items = np.union1d(_ids(places["artists.dat"]), taggings[:, 1])
    tags = np.union1d(_ids(places["tags.dat"]), taggings[:, 2])
    taggings = _indexed(taggings, users, items, tags)
    counted, weights = np.unique(taggings[:, 1:], axis=0, return_counts=True)
    return {
        "users": users,
        "items": items,
        "tags": tags,
        "listened": np.unique(_indexed(listened, users, items), axis=0),
        "tagged": np.unique(taggings[:, :2], axis=0),
        "taggings": taggings,
        "item_tags": np.column_stack([counted, weights]).astype(np.int32),
        "friends": _indexed(friends, users, users),
    }


def _delicious_files() -> tuple[str, ...]:
    """The originals; in place of an absent one its partial files, if all of those are present."""
    entry = catalog.get("delicious")
    files = [*_DELICIOUS]
    for name in _DELICIOUS_REPLACEABLE:
        partial = entry.file(name).stand_ins
        absent = paths.find("delicious", name) is None
        replaced = absent and all(paths.find("delicious", other) for other in partial)
        files += partial if replaced else (name,)
    return tuple(files)


def _delicious(places: dict[str, Path]) -> Arrays:
    if "bookmarks.dat" in places:
        items = _ids(places["bookmarks.dat"])
    else:
        items = _ids(places["bookmarks_id_title.csv"], ",")
    if "bookmark_tags.dat" in places:
        item_tags = read_integers(places["bookmark_tags.dat"], 3)
    else:
        item_tags = _unweighted(read_integers(places["bookmark_tags_noweight.tsv"], 2))
    if "user_taggedbookmarks.dat" in places:
        taggings = read_integers(places["user_taggedbookmarks.dat"], 3)
    else:
        taggings = read_integers(places["user_taggedbookmarks_partial.tsv"], 3)
    pairs = taggings[:, :2]
    if "user_bookmarks_partial.tsv" in places:  # has the pairs whose tags were lost, too
        pairs = np.concatenate([pairs, read_integers(places["user_bookmarks_partial.tsv"], 2)])
    friends = read_integers(places["user_contacts.dat"], 2)
    users = np.unique(np.concatenate([pairs[:, 0], friends.ravel()]))
    items = np.unique(np.concatenate([items, item_tags[:, 0], pairs[:, 1]]))
    tags = np.unique(np.concatenate([_ids(places["tags.dat"]), taggings[:, 2], item_tags[:, 1]]))
    weights = item_tags[:, 2:].astype(np.int32)
    return {
        "users": users,
        "items": items,
        "tags": tags,
        "tagged": np.unique(_indexed(pairs, users, items), axis=0),
        "taggings": _indexed(taggings, users, items, tags),
        "item_tags": np.column_stack([_indexed(item_tags[:, :2], items, tags), weights]),
        "friends": _indexed(friends, users, users),
    }


def _ids(place: Path, separator: str = "\t") -> np.ndarray:
    """The ids in the first column."""
    return read_integers(place, 1, separator)[:, 0]


def _unweighted(pairs: np.ndarray) -> np.ndarray:
    """The pairs with a weight of 1 each."""
    return np.column_stack([pairs, np.ones(len(pairs), pairs.dtype)])


def _indexed(rows: np.ndarray, *ids: np.ndarray) -> np.ndarray:
    """Replace the ids of each column by their indices in the sorted ``ids`` of that column."""
    columns = [np.searchsorted(each, rows[:, at]) for at, each in enumerate(ids)]
    return np.column_stack(columns).astype(np.int32)
