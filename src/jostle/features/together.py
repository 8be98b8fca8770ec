"""Encoding several decisions at once whose actions all have the same names, as most actions have.

Each row is what encoding the decision by itself gives, bit for bit: the numbers of all decisions
are read, standardised, crossed and added as arrays, in each row in the same order. Where the terms
of a row go depends on names and strings only, and is remembered.

Like ``jostle.features.alike`` it expects to have met all names and strings before. What it cannot
take, it leaves to be encoded one by one.
"""

from collections import OrderedDict
from collections.abc import Mapping, Sequence
from itertools import chain
from typing import Any, NamedTuple

import numpy as np

from jostle.features.alike import MOST_NAMES, Plan, plan_of, scaled_numbers
from jostle.features.assembly import MOST_TERMS, even_cells, even_scale
from jostle.features.hashing import CONSTANT
from jostle.features.moments import Moments
from jostle.features.reading import Features, Reader
from jostle.features.requests import MANY

MOST_AT_ONCE = 2**18
"""Terms that are added up at once, so that memory stays small."""
MOST_KNOWN = 256
"""Decisions of which it is remembered where their terms go: 16 MB in all at most."""

Encoded = tuple[np.ndarray, dict[int, list[float]]]
"""The rows of a decision, and the numbers to be learned when it is closed."""


class Named(NamedTuple):
    """The actions of a decision, their ids apart from their features."""

    ids: Sequence[str]
    features: Sequence[Mapping[str, Any] | None]

    def records(self) -> list[dict[str, Any]]:
        """The same as one record for each."""
        return [
            {"id": id, **features} if features else {"id": id}
            for id, features in zip(self.ids, self.features, strict=True)
        ]


class _Cells(NamedTuple):
    """Where the terms of a decision go: flat cells of its rows, and signs."""

    place: np.ndarray
    sign: np.ndarray


class Crossing:
    """Encodes decisions together with crossed features, into rows of one length.

    Arguments:
        reader: knows names and strings.
        moments: of numbers.
        ids: whether the id of an action is a feature.
        size: the length of a row.
    """

    def __init__(self, reader: Reader, moments: Moments, ids: bool, size: int):
        self._reader, self._moments, self._ids, self._size = reader, moments, ids, size
        self._known: OrderedDict[Any, _Cells] = OrderedDict()

    def encode(self, contexts: Sequence[Features], actions: Sequence[Named]) -> list[Any]:
        """The encoded decisions; None for each that must be encoded by itself."""
        found: list[Any] = [None] * len(actions)
        groups: dict[Any, list[int]] = {}
        for place, (context, (_, features)) in enumerate(zip(contexts, actions, strict=True)):
            first = features[0]
            if type(first) is not dict or not 0 < len(first) < MOST_NAMES:
                continue
            if len(features) < MANY:
                shape = len(context.hashes), len(context.flags)
                groups.setdefault((tuple(first), len(features), *shape), []).append(place)
        for (names, count, entries, flags), places in groups.items():
            terms = count * (2 * len(names) + 2 + entries * (1 + len(names)) + flags)
            most = max(1, MOST_AT_ONCE // terms)
            for start in range(0, len(places), most):
                self._encode(names, contexts, actions, places[start : start + most], found)
        return found

    def _encode(
        self,
        names: tuple[str, ...],
        contexts: Sequence[Features],
        actions: Sequence[Named],
        places: list[int],
        found: list[Any],
    ) -> None:
        """Encode the decisions at some places; each by itself if one of them cannot be taken."""
        people = [contexts[place] for place in places]
        made = self._together(names, people, [actions[place] for place in places])
        if made is not None:
            for place, each in zip(places, made, strict=True):
                found[place] = each
        elif len(places) > 1:
            for place in places:
                self._encode(names, contexts, actions, [place], found)

    def _together(
        self, names: tuple[str, ...], people: list[Features], shown: list[Named]
    ) -> list[Encoded] | None:
        """The encoded decisions; None if one of them must be encoded by itself."""
        records: list[dict[str, Any]] = []
        for record in chain.from_iterable(each.features for each in shown):
            if type(record) is not dict or tuple(record) != names:
                return None
            records.append(record)
        plan = plan_of(names, records[0], self._reader, self._ids)
        if plan is None:
            return None
        n, k = len(shown), len(records) // len(shown)
        varying = self._varying(plan, shown, records)
        learned: list[tuple[int, np.ndarray]] = []
        scaled = None
        if plan.numbers:
            flat = [value for record in records for value in record.values()]
            if plan.texts:
                own = [names[place] for place in plan.numbers]
                flat = [record[name] for record in records for name in own]
            scaled = scaled_numbers(flat, plan, learned)
        if varying is None or (plan.numbers and scaled is None):
            return None
        rows = self._rows(plan, people, varying.reshape(n, -1), scaled, k)
        return list(zip(rows, self._numbers(people, learned, k), strict=True))

    def _varying(
        self, plan: Plan, shown: list[Named], records: list[dict[str, Any]]
    ) -> np.ndarray | None:
        """The hashes that differ between actions, (actions, columns); None if one is not known."""
        space = self._reader.space("action").texts
        columns: list[list[int]] = []
        try:
            if self._ids:
                known = space["id"]
                columns.append([known[id] for each in shown for id in each.ids])
            for _, name in plan.texts:
                known = space[name]
                columns.append([known[record[name]] for record in records])
        except (KeyError, TypeError):  # not met before, or not a string
            return None
        return np.array(columns, np.uint64).reshape(len(columns), len(records)).T.copy()

    def _rows(
        self,
        plan: Plan,
        people: list[Features],
        varying: np.ndarray,
        scaled: np.ndarray | None,
        k: int,
    ) -> np.ndarray:
        """(n, k, size), as ``assembly.decision_rows`` makes the (k, size) of each."""
        n, size, columns = len(people), self._size, len(plan.template)
        values = np.ones((n, k, columns))
        if scaled is not None:
            numbers = values[..., plan.offset :]
            if plan.texts:
                numbers[..., plan.numbers] = scaled.reshape(n, k, -1)
            else:
                numbers[:] = scaled.reshape(n, k, -1)
        anchors = np.ascontiguousarray(values[..., plan.offset - 1 :]).reshape(n, 1, -1)
        entries, flags = len(people[0].hashes), len(people[0].flags)
        context = np.array([each.values for each in people]).reshape(n, entries, 1)
        first, second = k * columns, k * columns + entries * anchors.shape[2]
        terms = np.empty((n, second + k * flags))
        terms[:, :first] = values.reshape(n, -1)
        scale = even_scale(anchors.shape[2] // k)
        crossed = terms[:, first:second].reshape(n, entries, anchors.shape[2])
        np.multiply(context * scale, anchors, out=crossed)
        terms[:, second:] = 1.0
        cells = [
            self._cells(plan, each, hashes, k) for each, hashes in zip(people, varying, strict=True)
        ]
        if all(each is cells[0] for each in cells):
            place, sign = cells[0]
        else:
            place, sign = (np.array(part) for part in zip(*cells, strict=True))
        terms *= sign
        place = place + (np.arange(n) * (k * size))[:, None]
        added = np.bincount(place.ravel(), terms.ravel(), n * k * size)
        return added.reshape(n, k, size).astype(np.float32)

    def _cells(self, plan: Plan, context: Features, varying: np.ndarray, k: int) -> _Cells:
        """Where the terms of a decision go."""
        key = (
            plan.content,
            varying.tobytes(),
            tuple(context.hashes),
            tuple(context.flags),
        )
        cells = self._known.get(key)
        if cells is None:
            cells = self._made_cells(plan, context, varying.reshape(k, -1))
            if len(cells.place) <= MOST_TERMS:
                self._known[key] = cells
                if len(self._known) > MOST_KNOWN:
                    self._known.popitem(last=False)
        return cells

    def _made_cells(self, plan: Plan, context: Features, varying: np.ndarray) -> _Cells:
        hashes = np.empty((len(varying), len(plan.template)), np.uint64)
        hashes[:] = plan.template
        places = [plan.offset + place for place, _ in plan.texts]
        if self._ids:
            places.insert(0, 1)
        hashes[:, places] = varying
        anchors = hashes[:, plan.offset - 1 :].copy()
        anchors[:, 0] = CONSTANT
        who, flags = (np.array(part, np.uint64) for part in (context.hashes, context.flags))
        return _Cells(*even_cells(who, flags, hashes, anchors, self._size))

    def _numbers(
        self, people: list[Features], learned: list[tuple[int, np.ndarray]], k: int
    ) -> list[dict[int, list[float]]]:
        """The numbers that moments are still learned from, of each decision."""
        learns = self._moments.learns
        found = [
            {hash: list(values) for hash, values in each.numbers.items() if learns(hash)}
            for each in people
        ]
        for hash, column in learned:
            if learns(hash):
                for own, part in zip(found, column.reshape(-1, k).tolist(), strict=True):
                    own.setdefault(hash, []).extend(part)
        return found
