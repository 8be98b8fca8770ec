"""Immutable records that are pytrees: what policies and environments are made of.

A subclass of ``Record`` is a frozen dataclass. Its ``leaf`` fields are numbers that compiled code
takes as inputs, so that other values (or a stacked grid of them) need no other program; its
``static`` fields (sizes, names, functions) are part of the program. Plain dataclasses, because an
attribute or method of one costs nothing to reach, which a decision of some 20 microseconds notices.
"""

import dataclasses
from typing import Any, Self, dataclass_transform

import jax
import numpy as np

from jostle.core.validation import number


def leaf(*, default: Any = dataclasses.MISSING, least: float = 0.0, most: float = np.inf) -> Any:
    """A numeric field, within limits."""
    return dataclasses.field(default=default, metadata={"limits": (least, most)})


def static(*, default: Any = dataclasses.MISSING) -> Any:
    """A field that shapes the program."""
    return dataclasses.field(default=default, metadata={"static": True})


def data(*, default: Any = dataclasses.MISSING) -> Any:
    """A field that holds arrays, or a pytree of them."""
    return dataclasses.field(default=default)


@dataclass_transform(field_specifiers=(leaf, static, data), frozen_default=True)
class Record:
    """A frozen dataclass that is a pytree. Override ``check`` to refuse bad arguments."""

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
            record = object.__new__(cls)  # checked when it was first made
            for name, value in zip([*statics, *leaves], [*aux, *children], strict=True):
                object.__setattr__(record, name, value)
            return record

        jax.tree_util.register_pytree_with_keys(cls, flatten, unflatten)

    def __post_init__(self) -> None:
        for field in dataclasses.fields(self):  # type: ignore[arg-type]
            if "limits" in field.metadata:
                value = _number(field.name, getattr(self, field.name), *field.metadata["limits"])
                object.__setattr__(self, field.name, value)
        self.check()

    def check(self) -> None:
        """Raise a ``ValueError`` or ``TypeError`` that names the bad argument."""

    def replace(self, **changes: Any) -> Self:
        """The same with some fields changed."""
        return dataclasses.replace(self, **changes)  # type: ignore[type-var]


def _number(name: str, value: Any, least: float, most: float) -> Any:
    if isinstance(value, jax.core.Tracer):
        return value  # checked before it was traced
    number(name, value, least, most)
    # Python's floats are traced like arrays, and print better; arrays are grids of values.
    return float(value) if np.ndim(value) == 0 else jax.numpy.asarray(value, jax.numpy.float32)
