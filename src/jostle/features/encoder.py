"""``Encoder``: from a context and its actions, as records, to the rows that a policy takes."""

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

import numpy as np

from jostle.core.validation import unknown, whole
from jostle.features import assembly, rows
from jostle.features.assembly import Hashed, Ragged
from jostle.features.cache import ContentCache
from jostle.features.columns import Columns, read_columns
from jostle.features.hashing import CONSTANT, buckets, hashed, signs
from jostle.features.moments import Moments
from jostle.features.names import NameTable
from jostle.features.reading import Features, Reader
from jostle.features.schema import Schema

Id = str | int

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


class Term(NamedTuple):
    """One feature of an encoded row."""

    name: str
    bucket: int
    value: float


class Encoder:
    """Turns a context and k actions into the (k, features) array that any policy takes.

    ``encoder.encode({"hour": 9, "device": "phone"}, ["a", "b", "c"])`` gives a row per action. A
    context is a mapping (see ``jostle.features.reading`` for the values it may have), a row of a
    pandas or Polars frame, or an array of numbers. An action is a string or whole number, which is
    its id; or a mapping, whose ``id`` (if it has one) names it. Actions may come and go in any
    number. Strings are hashed, so there is no vocabulary to fill up.

    Numbers are standardised by moments that are learned from the first closed decisions
    (``observe``) and then fixed; see ``jostle.features.moments`` for the rule. ``Decider`` calls
    ``observe`` by itself.

    Arguments:
        dimensions: length of a row. Features that share a bucket disturb each other, so it should
            not be much less than the number of features that matter (in the disjoint model, of all
            arms together). A linear policy's time grows with its square.
        interactions: "crossed", "product" or "none"; see ``jostle.features.assembly``.
        ids: whether the id of an action that has other features is a feature too, so that a policy
            can learn what its features do not say.
        schema: which names and values to expect; None for any.
        warmup: closed decisions from which the moments of a number are learned.
        names: how many names of features to remember for explanations.
        version: distinguishes encoders whose rows are not comparable; ``refit`` raises it.
    """

    def __init__(
        self,
        dimensions: int = 256,
        *,
        interactions: str = assembly.CROSSED,
        ids: bool = True,
        schema: Schema | None = None,
        warmup: int = 256,
        names: int = 4096,
        version: int = 1,
    ):
        if interactions not in assembly.INTERACTIONS:
            raise ValueError(unknown("interactions", interactions, assembly.INTERACTIONS))
        if not isinstance(ids, bool):
            raise TypeError(f"ids must be True or False, not {ids!r}")
        if schema is not None and not isinstance(schema, Schema):
            raise TypeError(f"schema must be a jostle.features.Schema, not {schema!r:.40}")
        self.dimensions = whole("dimensions", dimensions, least=8)
        self.interactions, self.ids, self.schema = interactions, ids, schema
        self.warmup = whole("warmup", warmup)
        self.version = whole("version", version)
        self.names = NameTable(whole("names", names, least=0))
        self._moments = Moments(self.warmup)
        self._reader = Reader(self._moments)
        self._cache: ContentCache[Action] = ContentCache()

    @property
    def features(self) -> int:
        """The length of a row, for the policy: ``LinUCB(features=encoder.features)``."""
        return self.dimensions

    def __repr__(self) -> str:
        return f"Encoder(dimensions={self.dimensions}, interactions={self.interactions!r})"

    def encode(self, context: Any, actions: Any) -> np.ndarray:
        """The (k, features) array of a context and k actions: float32, one row per action."""
        return self.encode_and_count(context, actions)[0]

    def encode_and_count(
        self, context: Any, actions: Any
    ) -> tuple[np.ndarray, dict[int, list[float]]]:
        """What ``encode`` returns, and the numbers for ``observe_numbers`` when it is closed."""
        read = Reading(self)
        who = read.context(context)
        made = read.actions(actions)
        read.done()
        array = self._rows(assembly.repeated(who, len(made.features.lengths)), made)
        return array, read.learned()

    def encode_pairs(self, contexts: Any, actions: Any) -> np.ndarray:
        """The (n, features) array of n contexts with one action each, as in a log."""
        read = Reading(self)
        people = [
            read.context(each, f"contexts[{i}]") for i, each in enumerate(rows.as_records(contexts))
        ]
        made = read.actions(actions)
        read.done()
        if len(people) != len(made.features.lengths):
            raise ValueError(
                f"actions must be as many as contexts, {len(people)}, not "
                f"{len(made.features.lengths)}"
            )
        return self._rows(Ragged.of(people), made)

    def observe(self, context: Any, actions: Any) -> None:
        """Count the numbers of one closed decision into the moments, until these are fixed."""
        read = Reading(self)
        read.context(context)
        read.actions(actions)
        self.observe_numbers(read.learned())

    def observe_numbers(self, numbers: dict[int, list[float]]) -> None:
        """Like ``observe``, with what ``encode_and_count`` returned for the decision."""
        if self._moments.observe(numbers):
            self._reader.forget()
            self._cache.clear()

    def refit(self, log: Iterable[tuple[Any, Any]]) -> "Encoder":
        """An encoder of the next version, its moments learned from all of a log and fixed.

        ``log`` has (context, actions) pairs. Rows of the new encoder are not comparable with those
        of this one: whatever learned from these must learn again from the log
        (``jostle.warm_start``).
        """
        fresh = Encoder.from_data(
            {**self.as_data(), "moments": [[], []], "version": self.version + 1}
        )
        for context, actions in log:
            read = Reading(fresh)
            read.context(context)
            read.actions(actions)
            fresh._moments.collect(read.numbers)
        fresh._moments.finish()
        fresh._reader.forget()
        fresh._cache.clear()
        return fresh

    def explain(self, context: Any, action: Any) -> list[Term]:
        """The features of one row: their names, buckets and values (for "crossed" and "none").

        With the weights of a linear policy, ``weights[term.bucket] * term.value`` is what each
        feature contributes to the score.
        """
        if self.interactions == assembly.PRODUCT:
            raise ValueError("explain needs interactions='crossed' or 'none', not 'product'")
        read = Reading(self)
        who, made = read.context(context), read.actions([action])
        read.done()
        hashes, values, _ = made.features
        terms = list(zip(map(self.names.name, hashes.tolist()), hashes, values, strict=True))
        people, anchors = Ragged.of([who]), made.anchors
        if self.interactions == assembly.CROSSED:
            both = assembly.crosses(people, anchors)
            names = [
                self._pair(left, right)
                for left in people.hashes.tolist()
                for right in anchors.hashes.tolist()
            ]
        else:
            both, names = people, list(map(self.names.name, people.hashes.tolist()))
        terms += zip(names, both.hashes, both.values, strict=True)
        size = self.dimensions
        return [
            Term(name, int(buckets(hash, size)), float(value * signs(hash)))
            for name, hash, value in terms
        ]

    def _pair(self, left: int, right: int) -> str:
        """The name of a feature of the context times one of the action."""
        name = self.names.name(left)
        return name if right == CONSTANT else f"{name} x {self.names.name(right)}"

    def as_data(self) -> dict[str, Any]:
        """Everything that decides how records are encoded, as JSON data."""
        return {
            "dimensions": self.dimensions,
            "interactions": self.interactions,
            "ids": self.ids,
            "schema": None if self.schema is None else self.schema.as_data(),
            "warmup": self.warmup,
            "names": self.names.as_data(),
            "most_names": self.names.size,
            "version": self.version,
            "moments": self._moments.as_data(),
        }

    @classmethod
    def from_data(cls, data: Mapping[str, Any]) -> "Encoder":
        """The encoder that ``as_data`` described."""
        encoder = cls(
            data["dimensions"],
            interactions=data["interactions"],
            ids=data["ids"],
            schema=None if data["schema"] is None else Schema.from_data(data["schema"]),
            warmup=data["warmup"],
            names=data["most_names"],
            version=data["version"],
        )
        encoder.names.load(data["names"])
        encoder._moments = Moments.from_data(encoder.warmup, data["moments"])
        encoder._reader = Reader(encoder._moments)
        return encoder

    def _rows(self, contexts: Ragged, actions: Actions) -> np.ndarray:
        features, size = actions.features, self.dimensions
        if self.interactions == assembly.CROSSED:
            made = assembly.crossed_rows(contexts, features, actions.anchors, size)
        elif self.interactions == assembly.PRODUCT:
            return assembly.product_rows(contexts, features, actions.common, size)
        else:
            made = assembly.plain_rows(contexts, features, size)
        if actions.common is not None:
            made += assembly.table([actions.common], 1, size)
        return made.astype(np.float32)


class Reading:
    """Reads the records of one call; what it notes is kept by ``done`` only, if all are good."""

    def __init__(self, encoder: Encoder):
        self._encoder = encoder
        self.numbers: dict[int, list[float]] = {}
        self._labels: list[tuple[int, str]] = []
        self._misfits: Counter[str] = Counter()

    def done(self) -> None:
        """Everything was read without an error: remember names, and count misfits."""
        self._encoder.names.add(self._labels)
        if self._encoder.schema is not None:
            self._encoder.schema.counts.update(self._misfits)

    def learned(self) -> dict[int, list[float]]:
        """The numbers that moments are still learned from, by the hashes of their names."""
        learns = self._encoder._moments.learns
        return {hash: values for hash, values in self.numbers.items() if learns(hash)}

    def context(self, record: Any, path: str = "context") -> Hashed:
        """The features of a context."""
        found = self._read(rows.as_record(record), "context", path)
        self._count(found.numbers)
        return Hashed.of(found.hashes + found.flags, found.values + [1.0] * len(found.flags))

    def actions(self, actions: Any) -> Actions:
        """The actions: column by column if they are many, else those met before from the cache."""
        records = rows.as_records(actions)
        if not records:
            raise ValueError("actions must hold at least one action, but is empty")
        if len(records) >= MANY and self._encoder.schema is None:
            columns = read_columns(records, self._encoder._reader)
            if columns is not None:
                return self._from_columns(columns)
        cache = self._encoder._cache
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

    def _from_columns(self, columns: Columns) -> Actions:
        """The same features as ``_action`` gives, in the same order."""
        self._labels += columns.labels
        self._count(columns.numbers)
        count = len(columns.hashes)
        ones, first = np.ones((count, 1)), np.full((count, 1), CONSTANT, np.uint64)
        hashes, values = columns.hashes, columns.values
        if columns.ids is not None and self._encoder.ids:
            hashes = np.concatenate([columns.ids[:, None], hashes], axis=1)
            values = np.concatenate([ones, values], axis=1)
        features = anchors = Ragged.even(hashes, values)
        if self._encoder.interactions == assembly.CROSSED:
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
            visible = [CONSTANT, *identity] if self._encoder.ids else [CONSTANT]
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
        named = self._encoder._reader.read({"id": str(name)}, "action", path)
        self._labels += named.labels
        return named.hashes[0]

    def _read(self, record: Any, root: str, path: str) -> Features:
        schema = self._encoder.schema
        if schema is not None:
            record, wrong = schema.fitted(record, root, path)
            self._misfits.update(wrong)
        found = self._encoder._reader.read(record, root, path)
        self._labels += found.labels
        return found

    def _count(self, numbers: dict[int, list[float]]) -> None:
        for hash, values in numbers.items():
            self.numbers.setdefault(hash, []).extend(values)


def arm_id(name: Id) -> int:
    """An action's id as the whole number that policies tell arms apart by."""
    return hashed(b"arm", str(name), 0) >> 1
