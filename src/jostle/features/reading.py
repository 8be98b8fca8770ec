"""Reading records: mappings of application data to lists of hashed features.

| value | features |
|---|---|
| string | one, of value 1, for this name and this string |
| number | one with the standardised number, and a flag of value 1 that says it is present |
| True, False | one of value 1 or 0, and a flag that says it is present |
| list of strings | one of value 1 for each (multi-hot) |
| list or array of numbers | as numbers named 0, 1, 2, ... |
| mapping | its own features, in a namespace; up to 4 deep |
| None | nothing, like a name that is absent |

What cannot be read raises an error that names its path, such as ``context.user.age``.
"""

import math
import sys
from collections.abc import Mapping
from typing import Any, NoReturn

import numpy as np

from jostle.features.hashing import hashed
from jostle.features.moments import CLIP, Moments

DEEPEST = 4
"""Namespaces inside each other."""
MOST_VALUES = 1024
"""Names and list entries of one record."""
LONGEST_TEXT, LONGEST_NAME = 4096, 256
"""Characters of a string and of a name."""
REMEMBERED, SHORT = 65_536, 128
"""Hashes remembered, to look them up instead of computing them again (then it starts afresh), and
the characters of a string up to which its hash is."""
MOST_PLANS = 1024
"""Sets of names that ``jostle.features.alike`` remembers how to read."""
LARGEST = sys.float_info.max

EXPECTED = "a string, a number, True, False, a list, a mapping or None"
Number = tuple[int, int, float, float | None, bool]
"""The hash of a number, that of its flag, its centre, the inverse of its scale (None as long as it
has no moments) and whether its moments still change."""


class Features:
    """The features of a record: a hash and a value each, and flags of value 1."""

    __slots__ = ("flags", "hashes", "labels", "long", "numbers", "values")

    def __init__(self) -> None:
        self.hashes: list[int] = []
        self.values: list[float] = []
        self.flags: list[int] = []
        self.numbers: dict[int, list[float]] = {}  # as they were, while their moments change
        self.labels: list[tuple[int, str]] = []  # of hashes that were not remembered
        self.long = False  # whether it holds a long string


class Namespace:
    """The names inside one mapping, with the hashes that were computed for them."""

    __slots__ = ("inside", "label", "numbers", "seed", "texts")

    def __init__(self, label: str, seed: int):
        self.label = label  # of its features, for explanations: "context.user"
        self.seed = seed
        self.texts: dict[str, dict[str, int]] = {}  # by name, then by value
        self.numbers: dict[str, Number] = {}
        self.inside: dict[str, Namespace] = {}


class Reader:
    """Reads records with one set of moments, and remembers the hashes of names and values."""

    def __init__(self, moments: Moments):
        self._moments = moments
        self.forget()

    def forget(self) -> None:
        """Forget hashes and moments, because there are too many or the moments have changed."""
        self._roots: dict[str, Namespace] = {}
        self._remembered = 0
        self.plans: dict[Any, Any] = {}

    def space(self, root: str) -> Namespace:
        """The namespace of all names of a context or of an action."""
        if self._remembered > REMEMBERED or len(self.plans) > MOST_PLANS:
            self.forget()
        space = self._roots.get(root)
        if space is None:
            space = self._roots[root] = Namespace(root, hashed(b"root", root, 0))
        return space

    def read(self, record: Any, root: str, path: str) -> Features:
        """The features of a record.

        Arguments:
            record: a mapping, or an array of numbers.
            root: the namespace of all its names: "context" or "action".
            path: what errors call it.
        """
        space, found = self.space(root), Features()
        if type(record) is dict or isinstance(record, Mapping):
            self._mapping(record, space, path, found, 0)
        elif isinstance(record, np.ndarray):
            self._vector(record, space, path, found)
        else:
            raise TypeError(f"{path} must be a mapping of names to values, not {_kind(record)}")
        return found

    def _mapping(
        self, record: Mapping[Any, Any], space: Namespace, path: str, found: Features, depth: int
    ) -> None:
        if len(record) + len(found.hashes) > MOST_VALUES:
            _too_many(path)
        texts, numbers = space.texts, space.numbers
        hashes, values, flags = found.hashes, found.values, found.flags
        for name, value in record.items():
            kind = type(value)
            if kind is str:
                known = texts.get(name)
                hash = None if known is None else known.get(value)
                if hash is None:
                    hash = self.text(space, name, value, path, found)
                hashes.append(hash)
                values.append(1.0)
            elif kind is float or kind is int:
                entry = numbers.get(name)
                if entry is None:
                    entry = self.number(space, name, path, found)
                if not -LARGEST <= value <= LARGEST:
                    _not_finite(value, name, path)
                hash, flag, centre, inverse, learns = entry
                scaled = math.asinh(value) if inverse is None else (value - centre) * inverse
                hashes.append(hash)
                values.append(CLIP if scaled > CLIP else -CLIP if scaled < -CLIP else scaled)
                flags.append(flag)
                if learns:
                    found.numbers.setdefault(hash, []).append(float(value))
            elif value is not None:
                self._other(value, space, name, path, found, depth)
        if len(hashes) > MOST_VALUES:
            _too_many(path)

    def _other(
        self, value: Any, space: Namespace, name: Any, path: str, found: Features, depth: int
    ) -> None:
        """A value of a less common kind."""
        where = f"{path}.{_printable(_checked_name(name, path))}"
        if isinstance(value, bool | np.bool_):
            entry = space.numbers.get(name) or self.number(space, name, path, found)
            found.hashes.append(entry[0])
            found.values.append(float(value))
            found.flags.append(entry[1])
        elif isinstance(value, np.generic | str | int | float):
            plain = value.item() if isinstance(value, np.generic) else _plain(value)
            if type(plain) not in (str, float, int):
                raise TypeError(f"{where} must be {EXPECTED}, not {_kind(value)}")
            self._mapping({name: plain}, space, path, found, depth)
        elif isinstance(value, Mapping):
            if depth == DEEPEST:
                raise ValueError(f"{where} must be at most {DEEPEST} mappings deep, and is deeper")
            self._mapping(value, self._child(space, name), where, found, depth + 1)
        elif isinstance(value, np.ndarray):
            self._vector(value, self._child(space, name), where, found)
        elif isinstance(value, list | tuple | set | frozenset):
            self._list(value, space, name, where, path, found)
        else:
            raise TypeError(f"{where} must be {EXPECTED}, not {_kind(value)}")

    def _list(
        self, value: Any, space: Namespace, name: str, where: str, path: str, found: Features
    ) -> None:
        if len(value) > MOST_VALUES:
            _too_many(where)
        if all(isinstance(each, str) for each in value):
            # In an order that does not depend on Python's hashes, as sums of floats do on theirs.
            for each in (
                sorted(value) if isinstance(value, set | frozenset) else dict.fromkeys(value)
            ):
                self._mapping({name: str(each)}, space, path, found, 0)
        elif isinstance(value, set | frozenset):
            raise TypeError(f"{where} must hold strings only, since a set has no order")
        else:
            self._vector(value, self._child(space, name), where, found)

    def _vector(self, value: Any, space: Namespace, where: str, found: Features) -> None:
        if isinstance(value, np.ndarray):
            if value.ndim != 1 or value.dtype.kind not in "fiu":
                raise TypeError(
                    f"{where} must be an array of numbers of one dimension, not of dtype "
                    f"{value.dtype} and shape {value.shape}"
                )
            value = value[: MOST_VALUES + 1].tolist()
        for place, each in enumerate(value):
            if isinstance(each, bool) or not isinstance(each, int | float | np.number):
                raise TypeError(
                    f"{where}[{place}] must be a number like the others, or all must be strings, "
                    f"not {_kind(each)}"
                )
        named = {str(place): each for place, each in enumerate(value)}
        self._mapping(named, space, where, found, 0)

    def text(self, space: Namespace, name: Any, value: str, path: str, found: Features) -> int:
        """The hash of a string, remembered from now on."""
        _checked_name(name, path)
        if len(value) > LONGEST_TEXT:
            raise ValueError(
                f"{path}.{_printable(name)} must have at most {LONGEST_TEXT} characters, not "
                f"{len(value)}"
            )
        try:
            hash = hashed(b"text", value, hashed(b"name", name, space.seed))
        except UnicodeEncodeError:
            raise ValueError(
                f"{path}.{_printable(name)} must be Unicode text, but holds a lone surrogate"
            ) from None
        if len(value) <= SHORT:
            space.texts.setdefault(name, {})[value] = hash
            self._remembered += 1
        else:
            found.long = True
        found.labels.append((hash, f"{space.label}.{name}={value[:SHORT]}"))
        return hash

    def number(self, space: Namespace, name: Any, path: str, found: Features) -> Number:
        """The hashes and moments of a number or boolean, remembered from now on."""
        _checked_name(name, path)
        hash, flag = (hashed(kind, name, space.seed) for kind in (b"number", b"present"))
        moments = self._moments.get(hash)
        centre, inverse = (0.0, None) if moments is None else (moments[0], 1 / moments[1])
        entry = (hash, flag, centre, inverse, self._moments.learns(hash))
        space.numbers[name] = entry
        self._remembered += 1
        label = f"{space.label}.{name}"
        found.labels += ((hash, label), (flag, f"{label} is present"))
        return entry

    def _child(self, space: Namespace, name: str) -> Namespace:
        child = space.inside.get(name)
        if child is None:
            seed = hashed(b"inside", name, space.seed)
            child = space.inside[name] = Namespace(f"{space.label}.{name}", seed)
            self._remembered += 1
        return child


def _plain(value: Any) -> Any:
    """An instance of a subclass of a plain type as that type."""
    return next(kind(value) for kind in (str, int, float) if isinstance(value, kind))


def _checked_name(name: Any, path: str) -> str:
    if not isinstance(name, str):
        raise TypeError(f"{path} must have strings as names, not {_kind(name)}: {name!r:.40}")
    if len(name) > LONGEST_NAME:
        raise ValueError(
            f"{path} has a name of {len(name)} characters ({_printable(name)}...); at most "
            f"{LONGEST_NAME} are allowed"
        )
    try:
        name.encode()
    except UnicodeEncodeError:
        raise ValueError(
            f"{path}.{_printable(name)}: names must be Unicode text, but this one holds a lone "
            "surrogate"
        ) from None
    return name


def _printable(name: Any) -> str:
    """A name for an error message, which must be short and printable whatever the name is."""
    text = str(name)[:60]
    return text if text.isprintable() else ascii(text)[1:-1]


def _kind(value: Any) -> str:
    return f"a {type(value).__name__}"


def _not_finite(value: Any, name: Any, path: str) -> NoReturn:
    shown = "one that is too large" if isinstance(value, int) else value
    raise ValueError(
        f"{path}.{_printable(name)} must be a finite number, not {shown}; leave it out, or pass "
        "None, if it is missing"
    )


def _too_many(path: str) -> NoReturn:
    raise ValueError(f"{path} must hold at most {MOST_VALUES} values, and holds more")
