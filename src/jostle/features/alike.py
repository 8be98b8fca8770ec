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

    content: bytes
    """Equal for plans that hash alike."""
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
    has_id = "id" in first
    plan = plan_of(tuple(name for name in names if name != "id"), first, reader, ids and has_id)
    if plan is None or (has_id and type(first["id"]) is not str):
        return None
    rows = [list(record.values()) for record in records]
    hashes = np.empty((len(rows), len(plan.template)), np.uint64)
    hashes[:] = plan.template
    values = np.ones(hashes.shape)
    texts = reader.space("action").texts
    try:
        if has_id:
            place, known = names.index("id"), texts["id"]
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
        flat = list(chain.from_iterable(rows))
        if plan.texts:
            flat = [row[place] for row in rows for place in plan.numbers]
        scaled = scaled_numbers(flat, plan, learned)
        if scaled is None:
            return None
        if plan.texts:
            values[:, [plan.offset + place for place in plan.numbers]] = scaled
        else:
            values[:, plan.offset :] = scaled
    return Alike(hashes, values, plan.offset, learned)


def scaled_numbers(
    flat: list[Any], plan: Plan, learned: list[tuple[int, np.ndarray]]
) -> np.ndarray | None:
    """Numbers of one action after another, standardised, (actions, numbers); None if some are none.

    Those that moments are learned from are added to ``learned``, with the hashes of their names.
    """
    if not NUMBERS.issuperset(map(type, flat)):
        return None
    try:
        numbers = np.array(flat, np.float64)
    except OverflowError:
        return None
    if np.count_nonzero(np.isfinite(numbers)) != len(flat):
        return None
    numbers = numbers.reshape(-1, len(plan.numbers))
    with np.errstate(over="ignore"):
        scaled = (numbers - plan.centre) * plan.inverse
    for place in plan.fresh:  # not by NumPy, whose last digit may differ
        scaled[:, place] = [math.asinh(each) for each in numbers[:, place].tolist()]
    learned += ((hash, numbers[:, place]) for place, hash in plan.learns)
    clipped: np.ndarray = np.minimum(np.maximum(scaled, -CLIP), CLIP)
    return clipped


def plan_of(
    names: tuple[str, ...], first: dict[str, Any], reader: Reader, ids: bool
) -> Plan | None:
    """The plan for actions like the first one; None if they cannot be read together.

    Arguments:
        names: of the features, in their order, without the id.
        first: an action, which has all of them.
        reader: knows the names.
        ids: whether actions have an id that is a feature.
    """
    texts = tuple([name for name in names if type(first[name]) is str])
    key = names, texts, ids
    found = reader.plans.get(key)
    if found is None:
        made = _made(names, texts, reader, ids)
        if made is not None:
            reader.plans[key] = made
        return made
    plan: Plan = found
    return plan


def _made(names: tuple[str, ...], texts: tuple[str, ...], reader: Reader, ids: bool) -> Plan | None:
    space = reader.space("action")
    entries, hashes = [], []
    for name in names:
        if name in texts:
            hashes.append(0)
        elif name in space.numbers:
            entries.append(space.numbers[name])
            hashes.append(entries[-1][0])
        else:
            return None
    constant = [CONSTANT, 0] if ids else [CONSTANT]
    flags = [entry[1] for entry in entries]
    template = np.array([*constant, *flags, *hashes], np.uint64)
    return Plan(
        bytes([ids, len(texts)]) + template.tobytes(),
        [(place, name) for place, name in enumerate(names) if name in texts],
        [place for place, name in enumerate(names) if name not in texts],
        template,
        len(constant) + len(flags),
        np.array([entry[2] for entry in entries]),
        np.array([1.0 if entry[3] is None else entry[3] for entry in entries]),
        [place for place, entry in enumerate(entries) if entry[3] is None],
        [(place, entry[0]) for place, entry in enumerate(entries) if entry[4]],
    )
