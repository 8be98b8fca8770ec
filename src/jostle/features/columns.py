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
    names = list(records[0])
    space, found = reader.space("action"), Features()
    hashes, values, ids = [], [], None
    for name, column in zip(names, zip(*rows, strict=True), strict=True):
        kinds = set(map(type, column))
        if name == "id":
            if kinds != {str} and kinds != {int}:
                return None
            ids = _texts("id", list(map(str, column)), space, reader, found)
        elif kinds == {str}:
            hashes.append(_texts(name, column, space, reader, found))
            values.append(np.ones(len(column)))
        elif kinds in NUMBERS:
            numbers = _numbers(name, column, space, reader, found)
            if numbers is None:
                return None
            hashes.append(np.full(len(column), numbers[0], np.uint64))
            values.append(numbers[1])
        else:
            return None
    if not hashes:
        return None
    return Columns(
        np.stack(hashes, axis=1),
        np.stack(values, axis=1),
        found.flags,
        ids,
        found.numbers,
        found.labels,
    )


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


def _texts(name: Any, column: Any, space: Namespace, reader: Reader, found: Features) -> Any:
    known = space.texts.get(name, {})
    hashes = list(map(known.get, column))
    if None in hashes:
        for place, value in enumerate(column):
            if hashes[place] is None:
                hashes[place] = reader.text(space, name, value, f"actions[{place}]", found)
    return np.array(hashes, np.uint64)


def _numbers(
    name: Any, column: Any, space: Namespace, reader: Reader, found: Features
) -> tuple[int, np.ndarray] | None:
    try:
        array = np.array(column, np.float64)
    except OverflowError:
        return None
    if not np.isfinite(array).all():
        return None
    entry = space.numbers.get(name) or reader.number(space, name, "actions[0]", found)
    hash, flag, centre, inverse, learns = entry
    with np.errstate(over="ignore"):
        scaled = np.arcsinh(array) if inverse is None else (array - centre) * inverse
    found.flags.append(flag)
    if learns:
        found.numbers[hash] = array.tolist()
    return hash, np.clip(scaled, -CLIP, CLIP)
