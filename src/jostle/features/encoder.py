"""``Encoder``: from a context and its actions, as records, to the rows that a policy takes."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from jostle.core.validation import unknown, whole
from jostle.features import assembly, rows
from jostle.features.assembly import Hashed, Ragged
from jostle.features.cache import ContentCache
from jostle.features.hashing import CONSTANT, buckets, hashed, signs
from jostle.features.moments import Moments
from jostle.features.names import NameTable
from jostle.features.reading import Reader
from jostle.features.requests import Action, Actions, Parts, Reading, packed
from jostle.features.schema import Schema
from jostle.features.together import Crossing, Encoded, Named


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
        self._read_with(Moments(self.warmup))

    @property
    def features(self) -> int:
        """The length of a row, for the policy: ``LinUCB(features=encoder.features)``."""
        return self.dimensions

    def __repr__(self) -> str:
        return f"Encoder(dimensions={self.dimensions}, interactions={self.interactions!r})"

    def encode(self, context: Any, actions: Any) -> np.ndarray:
        """The (k, features) array of a context and k actions: float32, one row per action."""
        return self.encode_and_count(context, actions)[0]

    def encode_and_count(self, context: Any, actions: Any) -> Encoded:
        """What ``encode`` returns, and the numbers for ``observe_numbers`` when it is closed."""
        read = Reading(self._parts)
        return self._encoded(read, read.context(context), read.actions(actions))

    def encode_many(self, decisions: Sequence[tuple[Any, Named]]) -> list[Any]:
        """What ``encode_and_count`` returns for each (context, actions), or the error it raises.

        Bit for bit, and faster if the actions of a decision all have the same names.
        """
        reads = [Reading(self._parts) for _ in decisions]
        found: list[Any] = []
        for read, (context, _) in zip(reads, decisions, strict=True):
            try:
                found.append(read.person(context))
            except (ValueError, TypeError) as error:
                found.append(error)
        good = [place for place, each in enumerate(found) if not isinstance(each, Exception)]
        together: list[Any] = [None] * len(good)
        if self._crossing is not None:
            shown = [decisions[place][1] for place in good]
            together = self._crossing.encode([found[place] for place in good], shown)
        for place, made in zip(good, together, strict=True):
            read = reads[place]
            if made is not None:
                read.done()
                found[place] = made
                continue
            try:
                actions = read.actions(decisions[place][1].records())
                found[place] = self._encoded(read, packed(found[place]), actions)
            except (ValueError, TypeError) as error:
                found[place] = error
        return found

    def _encoded(self, read: Reading, who: tuple[Hashed, Hashed], made: Actions) -> Encoded:
        """The rows of what was read without an error, and the numbers to be learned."""
        read.done()
        if self.interactions == assembly.CROSSED and made.common is None:
            rows = assembly.decision_rows(*who, made.features, made.anchors, self.dimensions)
            return rows.astype(np.float32), read.learned()
        count = len(made.features.lengths)
        features, flags = (assembly.repeated(part, count) for part in who)
        return self._rows(features, flags, made), read.learned()

    def encode_pairs(self, contexts: Any, actions: Any) -> np.ndarray:
        """The (n, features) array of n contexts with one action each, as in a log."""
        read = Reading(self._parts)
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
        features, flags = (Ragged.of(list(part)) for part in zip(*people, strict=True))
        return self._rows(features, flags, made)

    def observe(self, context: Any, actions: Any) -> None:
        """Count the numbers of one closed decision into the moments, until these are fixed."""
        read = Reading(self._parts)
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
            read = Reading(fresh._parts)
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
        read = Reading(self._parts)
        who, made = read.context(context), read.actions([action])
        read.done()
        hashes, values, _ = made.features
        terms = list(zip(map(self.names.name, hashes.tolist()), hashes, values, strict=True))
        people, flags = (Ragged.of([part]) for part in who)
        for part, anchors in ((people, made.anchors), (flags, made.anchors.first())):
            if self.interactions == assembly.CROSSED:
                both = assembly.crosses(part, anchors)
                names = [
                    self._pair(left, right)
                    for left in part.hashes.tolist()
                    for right in anchors.hashes.tolist()
                ]
            else:
                both, names = part, list(map(self.names.name, part.hashes.tolist()))
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

    @property
    def moments(self) -> list[Any]:
        """What has been learned of numbers, as JSON data: the fixed moments, and those underway."""
        return self._moments.as_data()

    def with_moments(self, moments: list[Any]) -> "Encoder":
        """The same encoder with what another one has learned of numbers (its ``moments``)."""
        other = Encoder(
            self.dimensions,
            interactions=self.interactions,
            ids=self.ids,
            schema=self.schema,
            warmup=self.warmup,
            version=self.version,
        )
        other.names = self.names
        other._read_with(Moments.from_data(self.warmup, moments))
        return other

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
        encoder._read_with(Moments.from_data(encoder.warmup, data["moments"]))
        return encoder

    def _read_with(self, moments: Moments) -> None:
        """Set what records are read with."""
        self._moments, self._reader = moments, Reader(moments)
        self._cache: ContentCache[Action] = ContentCache()
        self._parts = Parts(
            self._reader,
            moments,
            self._cache,
            self.names,
            self.schema,
            self.ids,
            self.interactions,
        )
        self._crossing = None
        if self.interactions == assembly.CROSSED and self.schema is None:
            self._crossing = Crossing(self._reader, moments, self.ids, self.dimensions)

    def _rows(self, contexts: Ragged, flags: Ragged, actions: Actions) -> np.ndarray:
        features, size = actions.features, self.dimensions
        if self.interactions == assembly.CROSSED:
            made = assembly.crossed_rows(contexts, flags, features, actions.anchors, size)
        elif self.interactions == assembly.PRODUCT:
            return assembly.product_rows(contexts, flags, features, actions.common, size)
        else:
            made = assembly.plain_rows(contexts, flags, features, size)
        if actions.common is not None:
            made += assembly.table([actions.common], 1, size)
        return made.astype(np.float32)


def arm_id(name: str | int) -> int:
    """An action's id as the whole number that policies tell arms apart by."""
    return hashed(b"arm", str(name), 0) >> 1
