"""``Schema``: the names, kinds and ranges that records should have, and what to do if they do not.

Schema(
    context={"device": Category("phone", "desktop"), "user": {"age": Number(0, 120)}},
    action={"price": Number(least=0), "tags": Category(many=True)},
    misfits="count",
)
"""

from collections import Counter
from collections.abc import Mapping
from typing import Any

import numpy as np

REFUSE, COUNT = "refuse", "count"
"""What to do with a value that does not fit: raise an error, or count it and read it as missing."""


class Number:
    """A number from ``least`` to ``most``, or with ``many=True`` a list of them."""

    def __init__(
        self,
        least: float = -np.inf,
        most: float = np.inf,
        *,
        many: bool = False,
        required: bool = False,
    ):
        if not least <= most:
            raise ValueError(f"least must be at most most = {most}, not {least}")
        self.least, self.most, self.many, self.required = least, most, many, required

    def misfit(self, value: Any) -> str | None:
        """What is wrong with a value; None if it fits."""
        if self.many:
            if not isinstance(value, list | tuple | np.ndarray):
                return f"must be a list of numbers, not {value!r:.40}"
            single = Number(self.least, self.most)
            return next(filter(None, map(single.misfit, value)), None)
        if isinstance(value, bool | np.bool_) or not isinstance(
            value, int | float | np.integer | np.floating
        ):
            return f"must be a number, not {value!r:.40}"
        if not self.least <= value <= self.most:
            return f"must be between {self.least:g} and {self.most:g}, not {value!r:.40}"
        return None


class Boolean:
    """True or False."""

    def __init__(self, *, required: bool = False):
        self.required = required

    def misfit(self, value: Any) -> str | None:
        """What is wrong with a value; None if it fits."""
        fits = isinstance(value, bool | np.bool_)
        return None if fits else f"must be True or False, not {value!r:.40}"


class Category:
    """A string, or with ``many=True`` a list of them; one of ``values`` if any are given."""

    def __init__(self, *values: str, many: bool = False, required: bool = False):
        self.values, self.many, self.required = values, many, required

    def misfit(self, value: Any) -> str | None:
        """What is wrong with a value; None if it fits."""
        if self.many:
            if not isinstance(value, list | tuple | set | frozenset):
                return f"must be a list of strings, not {value!r:.40}"
            single = Category(*self.values)
            return next(filter(None, map(single.misfit, value)), None)
        if not isinstance(value, str):
            return f"must be a string, not {value!r:.40}"
        if self.values and value not in self.values:
            return f"must be one of {', '.join(map(repr, self.values))}, not {value!r:.40}"
        return None


KINDS = (Number, Boolean, Category)
Fields = Mapping[str, Any]
"""Names and their kinds; a mapping in place of a kind is a namespace."""


class Schema:
    """The names and kinds of values that a context and an action should have.

    Arguments:
        context: the names of a context, each with a ``Number``, ``Boolean`` or ``Category``, or
            with a mapping of the same form for the names inside it. None: anything fits.
        action: likewise for actions. An action's ``id`` always fits.
        misfits: "refuse" raises an error that names the value. "count" reads it as missing and
            counts it in ``counts``, by its path.
    """

    def __init__(
        self,
        context: Fields | None = None,
        action: Fields | None = None,
        *,
        misfits: str = REFUSE,
    ):
        if misfits not in (REFUSE, COUNT):
            raise ValueError(f"misfits must be {REFUSE!r} or {COUNT!r}, not {misfits!r}")
        self.fields = {"context": context, "action": action}
        self.misfits = misfits
        self.counts: Counter[str] = Counter()
        """How many values did not fit, by their path, such as ``context.user.age``."""
        for root, fields in self.fields.items():
            if fields is not None:
                _check(fields, root)

    def fitted(self, record: Any, root: str, path: str) -> tuple[Any, list[str]]:
        """The record without what does not fit, and the paths of that; or an error."""
        fields = self.fields[root]
        if fields is None or not isinstance(record, Mapping):
            return record, []
        wrong: list[str] = []
        return self._fitted(record, fields, path, root, wrong), wrong

    def _fitted(
        self, record: Mapping[str, Any], fields: Fields, path: str, label: str, wrong: list[str]
    ) -> dict[str, Any]:
        kept: dict[str, Any] = {}
        for name, value in record.items():
            kind = fields.get(name)
            if value is None or (name == "id" and label == "action"):
                kept[name] = value
            elif isinstance(kind, Mapping) and isinstance(value, Mapping):
                kept[name] = self._fitted(value, kind, f"{path}.{name}", f"{label}.{name}", wrong)
            else:
                problem = _misfit(kind, value)
                if problem is None:
                    kept[name] = value
                else:
                    self._note(f"{path}.{name}", f"{label}.{name}", problem, wrong)
        for name, kind in fields.items():
            if getattr(kind, "required", False) and record.get(name) is None:
                self._note(f"{path}.{name}", f"{label}.{name}", "is required, but missing", wrong)
        return kept

    def _note(self, path: str, label: str, problem: str, wrong: list[str]) -> None:
        if self.misfits == REFUSE:
            raise ValueError(f"{path} {problem}")
        wrong.append(label)

    def as_data(self) -> dict[str, Any]:
        """For a file."""
        fields = {root: _described(fields) for root, fields in self.fields.items()}
        return {**fields, "misfits": self.misfits, "counts": dict(self.counts)}

    @classmethod
    def from_data(cls, data: dict[str, Any]) -> "Schema":
        """What ``as_data`` returned."""
        fields = {root: _rebuilt(data[root]) for root in ("context", "action")}
        schema = cls(**fields, misfits=data["misfits"])
        schema.counts.update(data["counts"])
        return schema


def _misfit(kind: Any, value: Any) -> str | None:
    if kind is None:
        return "is not in the schema"
    if isinstance(kind, Mapping):
        return f"must be a mapping, not {value!r:.40}"
    problem: str | None = kind.misfit(value)
    return problem


def _check(fields: Any, path: str) -> None:
    if not isinstance(fields, Mapping):
        raise TypeError(f"schema of {path} must be a mapping of names to kinds, not {fields!r:.40}")
    for name, kind in fields.items():
        if isinstance(kind, Mapping):
            _check(kind, f"{path}.{name}")
        elif not isinstance(kind, KINDS):
            raise TypeError(
                f"schema of {path}.{name} must be a Number, Boolean, Category or mapping, "
                f"not {kind!r:.40}"
            )


def _described(fields: Any) -> Any:
    if fields is None:
        return None
    if isinstance(fields, Mapping):
        return {name: _described(kind) for name, kind in fields.items()}
    return [type(fields).__name__, vars(fields)]


def _rebuilt(data: Any) -> Any:
    if data is None:
        return None
    if isinstance(data, dict):
        return {name: _rebuilt(kind) for name, kind in data.items()}
    kind, settings = {each.__name__: each for each in KINDS}[data[0]], dict(data[1])
    return kind(*settings.pop("values", ()), **settings)
