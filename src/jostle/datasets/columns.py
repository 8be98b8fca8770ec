"""Typed columns: telling numbers from categories, and coding categories and labels as integers."""

import numbers
from collections.abc import Hashable, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

MISSING = -1
"""The code of a missing category; a missing number is NaN."""


@dataclass(frozen=True)
class Column:
    """The name of a column and, if it holds codes instead of numbers, the categories coded."""

    name: str
    categories: tuple[Hashable, ...] | None = None

    @property
    def indicator(self) -> bool:
        """Whether the categories already are 0 and 1, which need no one-hot encoding."""
        return self.categories in (("0", "1"), (False, True))


def numbers_of(where: str, values: np.ndarray) -> np.ndarray | None:
    """The values as float32 with NaN for missing ones, or ``None`` if they are not numbers.

    ``where`` names the column in error messages, here and below.
    """
    if values.dtype.kind in "mMc":
        raise TypeError(
            f"{where} has dtype {values.dtype}; expected numbers, booleans or categories"
        )
    if values.dtype.kind == "O":
        missing = np.fromiter(map(_is_missing, values), bool, len(values))
        if missing.all() or not all(map(_is_real, values[~missing])):
            return None
        filled = np.full(len(values), np.nan)
        filled[~missing] = values[~missing].astype(float)
        values = filled
    if values.dtype.kind not in "fiu":
        return None
    with np.errstate(over="ignore"):
        result = values.astype(np.float32)
    if np.isinf(result).any():
        row = int(np.flatnonzero(np.isinf(result))[0])
        raise ValueError(
            f"{where} must hold finite numbers, or NaN for missing ones, but row {row} is infinite"
        )
    return result


def codes_of(where: str, values: np.ndarray) -> tuple[np.ndarray, tuple[Hashable, ...]]:
    """The values as int32 codes, -1 for missing ones, and the categories that they index."""
    found = values.tolist()
    categories = _distinct(where, (value for value in found if not _is_missing(value)))
    if categories and all(isinstance(value, bool) for value in categories):
        categories = (False, True)  # an indicator even where only one of the two occurs
    index = {value: code for code, value in enumerate(categories)}
    codes = (MISSING if _is_missing(value) else index[value] for value in found)
    return np.fromiter(codes, np.int32, len(found)), categories


def labels_of(where: str, target: Any) -> tuple[np.ndarray, tuple[Hashable, ...]]:
    """The labels as int32 codes, none of them missing, and the classes that they index."""
    if isinstance(target, np.ndarray) and target.ndim != 1:
        raise ValueError(f"{where} must have 1 dimension, but has shape {target.shape}")
    if isinstance(target, str) or not isinstance(target, Iterable):
        raise TypeError(f"{where} must be a sequence of labels, not {target!r}")
    values = target.tolist() if hasattr(target, "tolist") else list(target)
    for row, value in enumerate(values):
        if _is_missing(value):
            raise ValueError(f"{where} has no label in row {row}: got {value!r}")
    classes = _distinct(where, values)
    if len(classes) < 2:
        raise ValueError(f"{where} must hold at least 2 classes, but holds {list(classes)!r}")
    index = {value: code for code, value in enumerate(classes)}
    return np.fromiter((index[value] for value in values), np.int32, len(values)), classes


def _distinct(where: str, values: Iterable[Any]) -> tuple[Hashable, ...]:
    """The distinct values, sorted if they can be, otherwise in order of first appearance."""
    try:
        distinct = list(dict.fromkeys(values))
    except TypeError as error:
        raise TypeError(f"{where} must hold hashable values: {error}") from None
    try:
        return tuple(sorted(distinct))
    except TypeError:
        return tuple(distinct)


def _is_real(value: Any) -> bool:
    return isinstance(value, numbers.Real) and not isinstance(value, bool | np.bool_)


def _is_missing(value: Any) -> bool:
    """None, NaN, or a missing value of pandas, known by its name so that pandas is not imported."""
    if value is None or type(value).__name__ in ("NAType", "NaTType"):
        return True
    return isinstance(value, float | np.floating) and bool(np.isnan(value))
