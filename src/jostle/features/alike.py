"""Reading a few actions at once that have the same names in the same order, as most actions have.

The result is what reading them one by one gives, bit for bit and in the same order, so that it does
not matter how many are read together. Unlike ``read_columns`` it expects to have met all names and
strings before: for anything else it leaves the actions to be read one by one.
"""

import math
from collections.abc import Sequence
from itertools import chain
from typing import Any, NamedTuple

import numpy as np

from jostle.features.hashing import CONSTANT
from jostle.features.moments import CLIP
from jostle.features.reading import Reader

MOST_NAMES = 64
"""Names of an action, the id included."""
NUMBERS = frozenset((float, int))


class Plan(NamedTuple):
    """What actions with certain names have in common."""

    id: int | None
    """The place of the id among the names."""
    texts: list[tuple[int, str]]
    """The place of each string among the features, and its name."""
    numbers: list[int]
    """The places of the numbers among the features."""
    template: np.ndarray  # hashes of [constant, id, flags, features], 0 where they differ
    offset: int
    """Where the features begin in it."""
    centre: np.ndarray
    inverse: np.ndarray
    fresh: list[int]
    """Which numbers have no moments."""
    learns: list[tuple[int, int]]
    """Which numbers have moments that still change, and their hashes."""


class Alike(NamedTuple):
    """The features of n actions."""

    hashes: np.ndarray  # (n, m) uint64, of an action's own features
    values: np.ndarray  # (n, m)
    skipped: int
    """How many of the own features, at the beginning, contexts are not multiplied with."""
    numbers: list[tuple[int, np.ndarray]]
    """The numbers that moments are learned from, (n,) for each hash."""


def read_alike(records: Sequence[Any], reader: Reader, ids: bool) -> Alike | None:
    """The features of actions; None if they must be read one by one.

    Arguments:
        records: the actions.
        reader: knows their names.
        ids: whether the id of an action is a feature.
    """
    first = records[0]
    if type(first) is not dict or not 2 <= len(first) <= MOST_NAMES:
        return None
    names = tuple(first)
    for record in records:
        if type(record) is not dict or tuple(record) != names:
            return None
    plan = _plan(names, first, reader, ids)
    if plan is None:
        return None
    rows = [list(record.values()) for record in records]
    hashes = np.empty((len(rows), len(plan.template)), np.uint64)
    hashes[:] = plan.template
    values = np.ones(hashes.shape)
    texts = reader.space("action").texts
    try:
        if plan.id is not None:
            place, known = plan.id, texts["id"]
            own = [known[row.pop(place)] for row in rows]
            if ids:
                hashes[:, 1] = own
        for place, name in plan.texts:
            known = texts[name]
            hashes[:, plan.offset + place] = [known[row[place]] for row in rows]
    except (KeyError, TypeError):  # not met before, or not a string
        return None
    learned: list[tuple[int, np.ndarray]] = []
    if plan.numbers:
        scaled = _scaled(rows, plan, learned)
        if scaled is None:
            return None
        if plan.texts:
            values[:, [plan.offset + place for place in plan.numbers]] = scaled
        else:
            values[:, plan.offset :] = scaled
    return Alike(hashes, values, plan.offset, learned)


def _scaled(
    rows: list[list[Any]], plan: Plan, learned: list[tuple[int, np.ndarray]]
) -> np.ndarray | None:
    """The standardised numbers, (n, numbers); None if some are none."""
    flat = list(chain.from_iterable(rows))
    if plan.texts:
        flat = [row[place] for row in rows for place in plan.numbers]
    if not NUMBERS.issuperset(map(type, flat)):
        return None
    try:
        numbers = np.array(flat, np.float64)
    except OverflowError:
        return None
    if np.count_nonzero(np.isfinite(numbers)) != len(flat):
        return None
    numbers = numbers.reshape(len(rows), -1)
    with np.errstate(over="ignore"):
        scaled = (numbers - plan.centre) * plan.inverse
    for place in plan.fresh:  # not by NumPy, whose last digit may differ
        scaled[:, place] = [math.asinh(each) for each in numbers[:, place].tolist()]
    learned += ((hash, numbers[:, place]) for place, hash in plan.learns)
    clipped: np.ndarray = np.minimum(np.maximum(scaled, -CLIP), CLIP)
    return clipped


def _plan(names: tuple[str, ...], first: dict[str, Any], reader: Reader, ids: bool) -> Plan | None:
    """The plan for actions like the first one; None if they cannot be read together."""
    texts = tuple([name for name, value in first.items() if type(value) is str])
    key = names, texts
    found = reader.plans.get(key)
    if found is None:
        made = _made(names, texts, reader, ids)
        if made is not None:
            reader.plans[key] = made
        return made
    plan: Plan = found
    return plan


def _made(names: Any, texts: tuple[str, ...], reader: Reader, ids: bool) -> Plan | None:
    space = reader.space("action")
    features = [name for name in names if name != "id"]
    if "id" in names and "id" not in texts:
        return None
    entries, hashes = [], []
    for name in features:
        if name in texts:
            hashes.append(0)
        elif name in space.numbers:
            entries.append(space.numbers[name])
            hashes.append(entries[-1][0])
        else:
            return None
    constant = [CONSTANT, 0] if ids and "id" in names else [CONSTANT]
    flags = [entry[1] for entry in entries]
    return Plan(
        names.index("id") if "id" in names else None,
        [(place, name) for place, name in enumerate(features) if name in texts],
        [place for place, name in enumerate(features) if name not in texts],
        np.array([*constant, *flags, *hashes], np.uint64),
        len(constant) + len(flags),
        np.array([entry[2] for entry in entries]),
        np.array([1.0 if entry[3] is None else entry[3] for entry in entries]),
        [place for place, entry in enumerate(entries) if entry[3] is None],
        [(place, entry[0]) for place, entry in enumerate(entries) if entry[4]],
    )
