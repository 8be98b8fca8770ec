"""Policies, environments and their parts described as JSON data.

``describe`` keeps the structure, so that a saved agent can be rebuilt from it (see
``jostle.serialization``). ``settings`` gives the same values as one flat table of names, for
manifests and reports. Both keep numbers in full precision.
"""

from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from typing import Any

import jax
import numpy as np
import optax

from jostle.core.record import Record

CUSTOM = "custom"
"""The key under which a part that is not jostle's or Optax's own is described in words."""


def describe(part: Any) -> Any:
    """A JSON description of a policy, an environment or a part of one.

    Plain values stand for themselves. Records are ``{"class": name, "settings": {...}}``, arrays
    ``{"array": nested lists}``, Optax's optimisers ``{"optax": name}``, and anything else, which
    cannot be rebuilt from a description, ``{"custom": text}``.
    """
    if part is None or isinstance(part, bool | int | float | str):
        return part
    if isinstance(part, np.generic) or (_is_array(part) and part.ndim == 0):
        return np.asarray(part).item()
    if _is_array(part):
        return {"array": np.asarray(part).tolist()}
    if type(part) in (tuple, list):
        return [describe(each) for each in part]
    name = getattr(part, "__name__", None)
    if name is not None and getattr(optax, name, None) is part:
        return {"optax": name}
    if is_dataclass(part) and type(part).__module__.partition(".")[0] == "jostle":
        described = {field.name: describe(getattr(part, field.name)) for field in fields(part)}
        return {"class": type(part).__name__, "settings": described}
    return {CUSTOM: _text(part)}


def settings(record: Any) -> dict[str, Any]:
    """Every setting of a record as a flat table of JSON values; arrays are left out.

    The settings of a nested record, such as the network of a policy, stand beside the record's own.
    The nested record itself is named by its class, as in ``"network": "MLP"``, unless its field
    says the same; one that holds arrays is described in words.
    """
    flat: dict[str, Any] = {}
    nested: dict[str, dict[str, Any]] = {}
    for name, value in _values(record).items():
        if _is_array(value) and value.ndim > 0:
            continue
        if not is_dataclass(value):
            flat[name] = _plain(describe(value))
        elif _holds_arrays(value):
            flat[name] = repr(value)
        else:
            kind = type(value).__name__
            if kind.casefold() != name.casefold():
                flat[name] = kind
            nested[name] = settings(value)
    for owner, parts in nested.items():
        for name, value in parts.items():
            flat[f"{owner}.{name}" if name in flat else name] = value
    return flat


def _values(record: Any) -> Mapping[str, Any]:
    """The settings of a record as it states them; of another dataclass, its fields."""
    if isinstance(record, Record):
        return record.settings()
    return {field.name: getattr(record, field.name) for field in fields(record)}


def _plain(description: Any) -> Any:
    """An optimiser or a custom part by its name alone."""
    if isinstance(description, dict):
        return description.get("optax") or description.get(CUSTOM)
    return description


def _is_array(value: Any) -> bool:
    return isinstance(value, np.ndarray | jax.Array)


def _holds_arrays(record: Any) -> bool:
    values = (getattr(record, field.name) for field in fields(record))
    return any(
        (_is_array(value) and value.ndim > 0) or (is_dataclass(value) and _holds_arrays(value))
        for value in values
    )


def _text(part: Any) -> str:
    """A function or class by where it is defined, since its ``repr`` is an address in memory."""
    name = getattr(part, "__qualname__", None)
    return repr(part) if name is None else f"{part.__module__}.{name}"
