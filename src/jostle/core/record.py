"""Frozen dataclasses that are JAX pytrees: the base of policies, environments and their settings.

A subclass of ``Record`` is a frozen dataclass. Its ``leaf`` fields are numbers that compiled code
takes as inputs, so that another value (or a stacked grid of values) needs no other program; its
``static`` fields (sizes, names, functions) are part of the program; its ``data`` fields hold arrays
or other records. Records are plain dataclasses because reading an attribute then costs nothing,
which matters to decisions that take some 20 microseconds.
"""

import dataclasses
from collections.abc import Mapping
from typing import Any, Self, dataclass_transform

import jax
import numpy as np

from jostle.core.validation import number


def leaf(
    *,
    default: Any = dataclasses.MISSING,
    least: float = 0.0,
    most: float = np.inf,
    optional: bool = False,
    extra: bool = False,
    kw_only: bool = False,
) -> Any:
    """A numeric field between ``least`` and ``most``; an ``optional`` one may also be None.

    An ``extra`` one changes nothing while it has its default, and ``settings`` leaves it out then.
    A ``kw_only`` one is an argument by name only.
    """
    metadata = {"limits": (least, most), "optional": optional, "extra": extra}
    return dataclasses.field(default=default, metadata=metadata, kw_only=kw_only)


def static(
    *, default: Any = dataclasses.MISSING, extra: bool = False, kw_only: bool = False
) -> Any:
    """A field that is part of the compiled program, such as a size, a name or a function.

    ``extra`` and ``kw_only`` as in ``leaf``.
    """
    metadata = {"static": True, "extra": extra}
    return dataclasses.field(default=default, metadata=metadata, kw_only=kw_only)


def data(*, default: Any = dataclasses.MISSING) -> Any:
    """A field that holds arrays, or a pytree of them, such as another record."""
    return dataclasses.field(default=default)


@dataclass_transform(field_specifiers=(leaf, static, data), frozen_default=True)
class Record:
    """A frozen dataclass that is a pytree. Override ``check`` to reject bad arguments."""

    def __init_subclass__(cls, **kwargs: Any):
        super().__init_subclass__(**kwargs)
        dataclasses.dataclass(frozen=True, eq=False)(cls)
        fields = dataclasses.fields(cls)  # type: ignore[arg-type]
        statics = [f.name for f in fields if f.metadata.get("static")]
        leaves = [f.name for f in fields if not f.metadata.get("static")]

        def flatten(record: Any) -> tuple[list[tuple[Any, Any]], tuple[Any, ...]]:
            children = [(jax.tree_util.GetAttrKey(n), getattr(record, n)) for n in leaves]
            return children, tuple(getattr(record, n) for n in statics)

        def unflatten(aux: tuple[Any, ...], children: Any) -> Any:
            record = object.__new__(cls)  # its fields were checked when it was first made
            for name, value in zip([*statics, *leaves], [*aux, *children], strict=True):
                object.__setattr__(record, name, value)
            return record

        jax.tree_util.register_pytree_with_keys(cls, flatten, unflatten)

    def __post_init__(self) -> None:
        for field in dataclasses.fields(self):  # type: ignore[arg-type]
            value = getattr(self, field.name)
            if "limits" in field.metadata and not (value is None and field.metadata["optional"]):
                value = _number(field.name, value, *field.metadata["limits"])
                object.__setattr__(self, field.name, value)
        self.check()

    def check(self) -> None:
        """Raise a ``ValueError`` or ``TypeError`` that names the bad argument."""

    def replace(self, **changes: Any) -> Self:
        """A copy with some fields changed."""
        return dataclasses.replace(self, **changes)  # type: ignore[type-var]

    def settings(self) -> Mapping[str, Any]:
        """The values that decide how this record behaves, by name; not its arrays."""
        fields = dataclasses.fields(self)  # type: ignore[arg-type]
        values = {each.name: getattr(self, each.name) for each in fields if not _unused(self, each)}
        return {
            name: value
            for name, value in values.items()
            if np.ndim(value) == 0 or isinstance(value, tuple)
        }


def numeric_fields(record: Record) -> list[str]:
    """The names of the fields that are numbers, and so can be tuned."""
    return [each.name for each in dataclasses.fields(record) if "limits" in each.metadata]  # type: ignore[arg-type]


def field_names(record: Any) -> list[str]:
    """The names of the fields of a record or another dataclass (or of its class)."""
    return [each.name for each in dataclasses.fields(record)]


def _unused(record: Any, field: dataclasses.Field[Any]) -> bool:
    """Whether an extra field has its default."""
    value = getattr(record, field.name)
    return bool(
        field.metadata.get("extra", False) and np.ndim(value) == 0 and value == field.default
    )


def _number(name: str, value: Any, least: float, most: float) -> Any:
    if isinstance(value, jax.core.Tracer):
        return value  # checked before it was traced
    number(name, value, least, most)
    # Python's floats are traced like arrays, and print better; arrays are grids of values.
    return float(value) if np.ndim(value) == 0 else jax.numpy.asarray(value, jax.numpy.float32)
