"""``ContentCache``: what was computed from a record, found again by the record's content."""

from collections.abc import Mapping
from typing import Any, Generic, TypeVar

Value = TypeVar("Value")

MOST_ENTRIES = 4096


class ContentCache(Generic[Value]):
    """A table by content: when it is full, it starts afresh."""

    def __init__(self) -> None:
        self._entries: dict[Any, Value] = {}

    def key(self, record: Any) -> Any:
        """What records of equal content have in common; None if they cannot be cached."""
        try:
            if type(record) is not dict:
                return _frozen(record)
            values = tuple(record.values())
            # With types, because True, 1 and 1.0 are equal but not the same content.
            key = (tuple(record), values, tuple(map(type, values)))
            hash(key)
            return key
        except TypeError:  # lists and mappings inside
            try:
                return _frozen(record)
            except TypeError:
                return None

    def get(self, key: Any) -> Value | None:
        """The value for a key, if it is there."""
        return None if key is None else self._entries.get(key)

    def put(self, key: Any, value: Value) -> None:
        """Remember a value."""
        if key is not None:
            if len(self._entries) >= MOST_ENTRIES:
                self._entries.clear()
            self._entries[key] = value

    def clear(self) -> None:
        """Forget everything."""
        self._entries.clear()


def _frozen(value: Any, depth: int = 8) -> Any:
    """A hashable equivalent of nested mappings and lists; a ``TypeError`` if there is none."""
    if depth == 0:
        raise TypeError("too deep")
    if isinstance(value, Mapping):
        return (dict, *((name, _frozen(each, depth - 1)) for name, each in value.items()))
    if isinstance(value, list | tuple):
        return (list, *(_frozen(each, depth - 1) for each in value))
    hash(value)
    return type(value), value
