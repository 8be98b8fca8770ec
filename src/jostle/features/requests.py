"""Reading the records of one call: a context and its actions, as features."""

from collections import Counter
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from jostle.features import assembly, rows
from jostle.features.alike import Alike, read_alike
from jostle.features.assembly import Hashed, Ragged
from jostle.features.cache import ContentCache
from jostle.features.columns import Columns, read_columns
from jostle.features.hashing import CONSTANT
from jostle.features.moments import Moments
from jostle.features.names import NameTable
from jostle.features.reading import Features, Reader
from jostle.features.schema import Schema

MANY = 32
"""Actions from which on it pays to read them column by column."""
MOST_CACHED = 64
"""Features of an action up to which it is cached, so that the cache stays small."""


_ONE = Hashed.of([CONSTANT], [1.0])


class Action(NamedTuple):
    """An action as it is encoded."""

    features: Hashed
    """Its own features: its id, a constant, and what it has beside these."""
    anchors: Hashed
    """What the context is multiplied with."""
    numbers: dict[int, list[float]]


class Actions(NamedTuple):
    """Several of them, one after another."""

    features: Ragged
    anchors: Ragged
    common: Ragged | None = None
    """One row of features that all of them have beside their own."""


class Parts(NamedTuple):
    """What an encoder reads with."""

    reader: Reader
    moments: Moments
    cache: ContentCache[Action]
    names: NameTable
    schema: Schema | None
    ids: bool
    interactions: str


def packed(context: Features) -> tuple[Hashed, Hashed]:
    """The features of a context, and its flags."""
    flags = Hashed.of(context.flags, [1.0] * len(context.flags))
    return Hashed.of(context.hashes, context.values), flags


class Reading:
    """Reads the records of one call; what it notes is kept by ``done`` only, if all are good."""

    def __init__(self, parts: Parts):
        self._parts = parts
        self.numbers: dict[int, list[float]] = {}
        self._labels: list[tuple[int, str]] = []
        self._misfits: Counter[str] = Counter()

    def done(self) -> None:
        """Everything was read without an error: remember names, and count misfits."""
        self._parts.names.add(self._labels)
        if self._parts.schema is not None:
            self._parts.schema.counts.update(self._misfits)

    def learned(self) -> dict[int, list[float]]:
        """The numbers that moments are still learned from, by the hashes of their names."""
        learns = self._parts.moments.learns
        return {hash: values for hash, values in self.numbers.items() if learns(hash)}

    def context(self, record: Any, path: str = "context") -> tuple[Hashed, Hashed]:
        """The features of a context, and its flags."""
        return packed(self.person(record, path))

    def person(self, record: Any, path: str = "context") -> Features:
        """The same before it is packed for arrays."""
        found = self._read(rows.as_record(record), "context", path)
        self._count(found.numbers)
        return found

    def actions(self, actions: Any) -> Actions:
        """The actions: column by column if they are many, else those met before from the cache."""
        records = rows.as_records(actions)
        if not records:
            raise ValueError("actions must hold at least one action, but is empty")
        if len(records) >= MANY and self._parts.schema is None:
            columns = read_columns(records, self._parts.reader)
            if columns is not None:
                return self._from_columns(columns)
        elif self._parts.schema is None:
            alike = read_alike(records, self._parts.reader, self._parts.ids)
            if alike is not None:
                return self._from_alike(alike)
        cache = self._parts.cache
        found = []
        for place, record in enumerate(records):
            key = cache.key(record)
            action = cache.get(key)
            if action is None:
                action, small = self._action(record, f"actions[{place}]")
                cache.put(key if small else None, action)
            if action.numbers:
                self._count(action.numbers)
            found.append(action)
        return Actions(
            Ragged.of([action.features for action in found]),
            Ragged.of([action.anchors for action in found]),
        )

    def _from_alike(self, alike: Alike) -> Actions:
        for hash, column in alike.numbers:
            self.numbers.setdefault(hash, []).extend(column.tolist())
        hashes, values, skip = alike.hashes, alike.values, alike.skipped - 1
        anchors, factors = hashes[:, skip:].copy(), values[:, skip:].copy()
        anchors[:, 0], factors[:, 0] = CONSTANT, 1.0
        return Actions(Ragged.even(hashes, values), Ragged.even(anchors, factors))

    def _from_columns(self, columns: Columns) -> Actions:
        """The same features as ``_action`` gives, in the same order."""
        self._labels += columns.labels
        self._count(columns.numbers)
        count = len(columns.hashes)
        ones, first = np.ones((count, 1)), np.full((count, 1), CONSTANT, np.uint64)
        hashes, values = columns.hashes, columns.values
        if columns.ids is not None and self._parts.ids:
            hashes = np.concatenate([columns.ids[:, None], hashes], axis=1)
            values = np.concatenate([ones, values], axis=1)
        features = anchors = Ragged.even(hashes, values)
        if self._parts.interactions == assembly.CROSSED:
            anchors = Ragged.even(
                np.concatenate([first, columns.hashes], axis=1),
                np.concatenate([ones, columns.values], axis=1),
            )
        common = Hashed.of([CONSTANT, *columns.flags], [1.0] * (1 + len(columns.flags)))
        return Actions(features, anchors, Ragged.of([common]))

    def _action(self, record: Any, path: str) -> tuple[Action, bool]:
        """An action, and whether it is small enough to be cached."""
        if isinstance(record, Mapping):
            name, rest = record.get("id"), record
            if "id" in record:
                rest = {key: value for key, value in record.items() if key != "id"}
        else:
            name, rest = record, {}
        found = self._read(rest, "action", path)
        identity = [] if name is None else [self._identity(name, path)]
        if found.hashes:
            visible = [CONSTANT, *identity] if self._parts.ids else [CONSTANT]
        elif identity:
            visible = identity
        else:
            raise ValueError(f"{path} must have an id or features, and has neither")
        own = Hashed.of(
            [*visible, *found.flags, *found.hashes],
            [1.0] * (len(visible) + len(found.flags)) + found.values,
        )
        skipped = 8 * (len(visible) + len(found.flags))
        if found.hashes:
            # The context by itself too: who buys at all is not the action's merit.
            anchors = Hashed(_ONE[0] + own.hashes[skipped:], _ONE[1] + own.values[skipped:])
        else:
            anchors = own  # the arm's own constant, and weights of its own for the context
        small = not found.long and len(found.hashes) <= MOST_CACHED
        return Action(own, anchors, found.numbers), small

    def _identity(self, name: Any, path: str) -> int:
        """The hash of an action's id."""
        if isinstance(name, bool) or not isinstance(name, str | int | np.integer):
            where = f"{path}.id" if path else path
            raise TypeError(f"{where} must be a string or a whole number, not {name!r:.40}")
        named = self._parts.reader.read({"id": str(name)}, "action", path)
        self._labels += named.labels
        return named.hashes[0]

    def _read(self, record: Any, root: str, path: str) -> Features:
        schema = self._parts.schema
        if schema is not None:
            record, wrong = schema.fitted(record, root, path)
            self._misfits.update(wrong)
        found = self._parts.reader.read(record, root, path)
        self._labels += found.labels
        return found

    def _count(self, numbers: dict[int, list[float]]) -> None:
        for hash, values in numbers.items():
            self.numbers.setdefault(hash, []).extend(values)
