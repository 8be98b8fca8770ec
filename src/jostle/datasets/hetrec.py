"""Last.fm and Delicious of HetRec 2011 as plain integer arrays: who liked what, tags, friends.

Rows hold indices, not the published ids: ``users[i]``, ``items[i]`` and ``tags[i]`` are the ids
that index ``i`` stands for, in ascending order.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import numpy as np

from jostle.core import validation as checks
from jostle.datasets import catalog
from jostle.datasets import paths as store
from jostle.datasets.acquire import verify as integrity
from jostle.datasets.cache import Arrays, cached, fingerprint

_LAYOUT = 1  # raise it when the stored arrays change, so that old caches are not read
_CONTENT = ("bookmarks.dat", "bookmark_tags.dat", "user_taggedbookmarks.dat")  # of Delicious

# What can count as positive feedback; the first is what the paper says it used.
POSITIVES = {"lastfm": ("listened", "tagged"), "delicious": ("tagged",)}


@dataclass(frozen=True, eq=False)
class HetRec:
    """A recommendation set.

    ``positives`` are distinct (user, item) pairs, ascending. ``taggings`` are (user, item, tag),
    one row for each time a user gave a tag. ``item_tags`` are (item, tag, weight): for Last.fm
    the number of users who gave the tag, for Delicious the number of times it was given on the
    whole site (1 throughout when partial files are used, which lack it). ``friends`` are (user,
    user) as published, where each friendship has a row in either direction.

    ``source`` is "original", or "partial" when files derived by others stood in for absent
    originals; ``files`` are those that were read. Last.fm has 390 items beyond its published
    17,632 artists: artists that were tagged but that nobody listened to.
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
    """Read "lastfm" or "delicious".

    ``positives="listened"`` (Last.fm's default, as the paper says) takes the artists a user
    listened to; ``"tagged"`` those the user tagged, as the paper's group did in its public files.
    A Delicious bookmark is made by tagging it, so there is only ``"tagged"``.
    """
    choices = checks.lookup("recommendation data set", name, POSITIVES)
    feedback = choices[0] if positives is None else positives
    checks.lookup(f"positives of {name}", feedback, dict.fromkeys(choices))
    files, build = (_LASTFM, _lastfm) if name == "lastfm" else (_delicious_files(), _delicious)
    places = store.locate(name, *files)

    def checked() -> Arrays:
        return build(dict(zip(files, integrity.require(name, *files), strict=True)))

    arrays = cached(name, fingerprint(places, files, _LAYOUT), checked)
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


_LASTFM = (
    "artists.dat",
    "tags.dat",
    "user_artists.dat",
    "user_friends.dat",
    "user_taggedartists.dat",
)


def _lastfm(places: dict[str, Path]) -> Arrays:
    listened = integers(places["user_artists.dat"], 2)
    taggings = integers(places["user_taggedartists.dat"], 3)
    friends = integers(places["user_friends.dat"], 2)
    users = np.unique(np.concatenate([listened[:, 0], taggings[:, 0], friends.ravel()]))
    items = np.union1d(_ids(places["artists.dat"], b"\t"), taggings[:, 1])
    tags = np.union1d(_ids(places["tags.dat"], b"\t"), taggings[:, 2])
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
    """The originals where they are; for an absent one its stand-ins, if those are all here."""
    entry = catalog.get("delicious")
    chosen = ["tags.dat", "user_contacts.dat"]
    for name in _CONTENT:
        stand_ins = entry.file(name).stand_ins
        absent = store.find("delicious", name) is None
        partial = absent and all(store.find("delicious", other) for other in stand_ins)
        chosen += stand_ins if partial else (name,)
    return tuple(chosen)


def _delicious(places: dict[str, Path]) -> Arrays:
    if "bookmarks.dat" in places:
        items = _ids(places["bookmarks.dat"], b"\t")
    else:
        items = _ids(places["bookmarks_id_title.csv"], b",")
    if "bookmark_tags.dat" in places:
        item_tags = integers(places["bookmark_tags.dat"], 3)
    else:
        item_tags = _unweighted(integers(places["bookmark_tags_noweight.tsv"], 2))
    if "user_taggedbookmarks.dat" in places:
        taggings = integers(places["user_taggedbookmarks.dat"], 3)
    else:
        taggings = integers(places["user_taggedbookmarks_partial.tsv"], 3)
    pairs = taggings[:, :2]
    if "user_bookmarks_partial.tsv" in places:  # pairs whose tags were lost are here as well
        pairs = np.concatenate([pairs, integers(places["user_bookmarks_partial.tsv"], 2)])
    friends = integers(places["user_contacts.dat"], 2)
    users = np.unique(np.concatenate([pairs[:, 0], friends.ravel()]))
    items = np.unique(np.concatenate([items, item_tags[:, 0], pairs[:, 1]]))
    tags = np.unique(
        np.concatenate([_ids(places["tags.dat"], b"\t"), taggings[:, 2], item_tags[:, 1]])
    )
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


def integers(place: Path, columns: int) -> np.ndarray:
    """The first ``columns`` columns of a tab separated file of whole numbers with a header."""
    with store.open_bytes(place) as stream:
        try:
            return np.loadtxt(
                stream,
                dtype=np.int64,
                delimiter="\t",
                skiprows=1,
                usecols=range(columns),
                ndmin=2,
                comments=None,
            )
        except ValueError as error:
            raise integrity.WrongDataError(f"{place}: {error}") from error


def _ids(place: Path, separator: bytes) -> np.ndarray:
    """The number that begins each line after the header; the rest may be in any encoding."""
    with store.open_bytes(place) as stream:
        lines = stream.read().split(b"\n")[1:]
    try:
        return np.array([int(line.partition(separator)[0]) for line in lines if line.strip()])
    except ValueError as error:
        raise integrity.WrongDataError(f"{place}: a line without an id: {error}") from error


def _unweighted(pairs: np.ndarray) -> np.ndarray:
    return np.column_stack([pairs, np.ones(len(pairs), pairs.dtype)])


def _indexed(rows: np.ndarray, *ids: np.ndarray) -> np.ndarray:
    """Replace the ids of each column by their places among the sorted ``ids`` of that column."""
    columns = [np.searchsorted(known, rows[:, at]) for at, known in enumerate(ids)]
    return np.column_stack(columns).astype(np.int32)
