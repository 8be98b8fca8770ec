"""Reading many actions at once, column by column, if they all have the same names.

The features are those that ``Reader.read`` gives one by one, several times faster.
"""

from collections.abc import Sequence
from operator import itemgetter
from typing import Any, NamedTuple

import numpy as np

from jostle.features.moments import CLIP
from jostle.features.reading import Features, Namespace, Reader

NUMBERS = ({float}, {int}, {float, int})


class Columns(NamedTuple):
    """The features of n actions."""

    hashes: np.ndarray  # (n, m) uint64
    values: np.ndarray  # (n, m)
    flags: list[int]  # of numbers, which are all present
    ids: np.ndarray | None  # (n,) uint64
    numbers: dict[int, list[float]]
    labels: list[tuple[int, str]]


def read_columns(records: Sequence[Any], reader: Reader) -> Columns | None:
    """The features of actions; None if they must be read one by one.

    That is the case unless all are dictionaries with the same names, whose values are strings or
    finite numbers. Errors are left to reading one by one too, which knows their paths.
    """
    rows = _rows(records)
    if rows is None:
        return None
    count = len(rows)
    space, found = reader.space("action"), Features()
    texts, ids = [], None
    numbers: list[tuple[str, Any]] = []
    for name, column in zip(records[0], zip(*rows, strict=True), strict=True):
        hashes = _known(name, column, space)
        if hashes is None:
            kinds = set(map(type, column))
            if kinds in NUMBERS and name != "id":
                numbers.append((name, column))
                continue
            if name == "id" and kinds == {int}:
                column = tuple(map(str, column))
            elif kinds != {str}:
                return None
            hashes = _texts(name, column, space, reader, found)
        if name == "id":
            ids = hashes
        else:
            texts.append(hashes)
    scaled = _numbers(numbers, count, space, reader, found)
    if scaled is None or not (texts or numbers):
        return None
    hashes = np.concatenate([np.array(texts, np.uint64).reshape(len(texts), count), scaled[0]])
    values = np.concatenate([np.ones((len(texts), count)), scaled[1]])
    return Columns(hashes.T, values.T, found.flags, ids, found.numbers, found.labels)


def _rows(records: Sequence[Any]) -> list[Any] | None:
    """The values of each record, in the order of the first one's names."""
    if set(map(type, records)) != {dict}:
        return None
    names = list(records[0])
    if len(names) < 2 or set(map(len, records)) != {len(names)}:
        return None
    try:
        return list(map(itemgetter(*names), records))
    except KeyError:
        return None


def _known(name: Any, column: Any, space: Namespace) -> np.ndarray | None:
    """The hashes of strings that have all been met before; None for any other values."""
    known = space.texts.get(name)
    if known is None:
        return None
    try:
        return np.fromiter(map(known.get, column), np.uint64, len(column))
    except TypeError:  # None is not a number, and a list has no hash
        return None


def _texts(name: Any, column: Any, space: Namespace, reader: Reader, found: Features) -> np.ndarray:
    known = space.texts.get(name, {})
    hashes = list(map(known.get, column))
    for place, value in enumerate(column):
        if hashes[place] is None:
            hashes[place] = reader.text(space, name, value, f"actions[{place}]", found)
    return np.array(hashes, np.uint64)


def _numbers(
    columns: list[tuple[str, Any]], count: int, space: Namespace, reader: Reader, found: Features
) -> tuple[np.ndarray, np.ndarray] | None:
    """The hashes and standardised values of columns of numbers, in rows; None if not finite."""
    try:
        values = np.array([column for _, column in columns], np.float64)
    except OverflowError:
        return None
    if not np.isfinite(values).all():
        return None
    values = values.reshape(len(columns), count)
    entries = []
    for row, (name, _) in zip(values, columns, strict=True):
        entry = space.numbers.get(name) or reader.number(space, name, "actions[0]", found)
        entries.append(entry)
        found.flags.append(entry[1])
        if entry[4]:
            found.numbers[entry[0]] = row.tolist()
    centre = np.array([[entry[2]] for entry in entries]).reshape(-1, 1)
    inverse = np.array([[np.nan if entry[3] is None else entry[3]] for entry in entries])
    with np.errstate(over="ignore"):
        scaled = (values - centre) * inverse.reshape(-1, 1)
    fresh = np.isnan(scaled)  # numbers without moments
    if fresh.any():
        scaled[fresh] = np.arcsinh(values[fresh])
    hashes = np.array([entry[0] for entry in entries], np.uint64)
    return np.repeat(hashes[:, None], count, axis=1), np.clip(scaled, -CLIP, CLIP)
