"""Turning a user's arrays or data frame into a table, with errors that name the place."""

import numbers
from collections.abc import Hashable, Iterable, Sequence
from typing import Any

import numpy as np

from jostle.core import validation as checks
from jostle.datasets.table import MISSING, Column, Table


def from_arrays(X: Any, y: Any, names: Sequence[str] | None) -> Table:  # noqa: N803
    """See ``Table.from_arrays``."""
    if hasattr(X, "columns"):
        raise TypeError(f"X must be an array, not {type(X).__name__}; use from_frame for frames")
    try:
        matrix = np.asarray(X)
    except ValueError as error:  # rows of unequal length
        raise ValueError(f"X must be rectangular: {error}") from None
    if matrix.ndim != 2:
        raise ValueError(f"X must have 2 dimensions (rows, features), not shape {matrix.shape}")
    if names is None:
        names = [f"x{index}" for index in range(matrix.shape[1])]
    if len(names) != matrix.shape[1]:
        raise ValueError(f"names has {len(names)} entries, but X has {matrix.shape[1]} columns")
    values = [(f"X[:, {index}]", matrix[:, index]) for index in range(matrix.shape[1])]
    return _assemble(names, values, y, "y", "X")


def from_frame(frame: Any, target: str) -> Table:
    """See ``Table.from_frame``."""
    if not hasattr(frame, "columns"):
        raise TypeError(f"frame must be a pandas or polars data frame, not {type(frame).__name__}")
    names = list(frame.columns)
    if target not in names:
        raise ValueError("target: " + checks.unknown("column", target, map(str, names)))
    if len(set(names)) < len(names):
        raise ValueError(f"frame has columns of the same name: {names}")
    features = [name for name in names if name != target]
    values = [(f"column {name!r}", frame[name].to_numpy()) for name in features]
    return _assemble(
        [str(name) for name in features], values, frame[target].to_numpy(), "target", "frame"
    )


def _assemble(
    names: Sequence[str],
    values: Sequence[tuple[str, np.ndarray]],
    target: Any,
    target_name: str,
    source_name: str,
) -> Table:
    labels, classes = _labels(target, target_name)
    if not values:
        raise ValueError(f"{source_name} has no feature columns")
    rows = len(values[0][1])
    if rows != len(labels):
        raise ValueError(f"{target_name} has {len(labels)} labels, but {source_name} {rows} rows")
    columns, numeric, codes = [], [], []
    for name, (where, column) in zip(names, values, strict=True):
        numbers_ = _numbers(where, column)
        if numbers_ is not None:
            numeric.append(numbers_)
            columns.append(Column(name))
        else:
            found, categories = _codes(where, column)
            codes.append(found)
            columns.append(Column(name, categories))
    return Table(
        columns=tuple(columns),
        numeric=np.stack(numeric, axis=1) if numeric else np.empty((rows, 0), np.float32),
        codes=np.stack(codes, axis=1) if codes else np.empty((rows, 0), np.int32),
        labels=labels,
        classes=classes,
    )


def _numbers(where: str, column: np.ndarray) -> np.ndarray | None:
    """The column as float32 if it holds numbers, NaN where they are missing; else ``None``."""
    if column.dtype.kind in "mMc":
        raise TypeError(
            f"{where} has dtype {column.dtype}; numbers, booleans or categories are wanted"
        )
    if column.dtype.kind == "O":
        absent = np.fromiter(map(_absent, column), bool, len(column))
        if absent.all() or not all(map(_real, column[~absent])):
            return None
        filled = np.full(len(column), np.nan)
        filled[~absent] = column[~absent].astype(float)
        column = filled
    if column.dtype.kind not in "fiu":
        return None
    with np.errstate(over="ignore"):
        result = column.astype(np.float32)
    if np.isinf(result).any():
        row = int(np.flatnonzero(np.isinf(result))[0])
        raise ValueError(f"{where} must be finite (or NaN = missing), but row {row} is infinite")
    return result


def _codes(where: str, column: np.ndarray) -> tuple[np.ndarray, tuple[Hashable, ...]]:
    values = column.tolist()
    categories = _ordered(where, (value for value in values if not _absent(value)))
    if categories and all(isinstance(value, bool) for value in categories):
        categories = (False, True)  # an indicator even where only one of them occurs
    index = {value: code for code, value in enumerate(categories)}
    codes = (MISSING if _absent(value) else index[value] for value in values)
    return np.fromiter(codes, np.int32, len(values)), categories


def _labels(target: Any, name: str) -> tuple[np.ndarray, tuple[Hashable, ...]]:
    if isinstance(target, np.ndarray) and target.ndim != 1:
        raise ValueError(f"{name} must have 1 dimension, not shape {target.shape}")
    if isinstance(target, str) or not isinstance(target, Iterable):
        raise TypeError(f"{name} must be a sequence of labels, not {target!r}")
    values = target.tolist() if hasattr(target, "tolist") else list(target)
    for row, value in enumerate(values):
        if _absent(value):
            raise ValueError(f"{name} has no label in row {row}: found {value!r}")
    classes = _ordered(name, values)
    if len(classes) < 2:
        raise ValueError(f"{name} must hold at least 2 classes, not {list(classes)!r}")
    index = {value: code for code, value in enumerate(classes)}
    return np.fromiter((index[value] for value in values), np.int32, len(values)), classes


def _ordered(where: str, values: Iterable[Any]) -> tuple[Hashable, ...]:
    """The distinct values: sorted if they have an order, else as they first appear."""
    try:
        distinct = list(dict.fromkeys(values))
    except TypeError as error:
        raise TypeError(f"{where} must hold hashable values: {error}") from None
    try:
        return tuple(sorted(distinct))
    except TypeError:
        return tuple(distinct)


def _real(value: Any) -> bool:
    return isinstance(value, numbers.Real) and not isinstance(value, bool | np.bool_)


def _absent(value: Any) -> bool:
    """None, NaN, and the missing values of pandas (told by name, so that it is not imported)."""
    if value is None or type(value).__name__ in ("NAType", "NaTType"):
        return True
    return isinstance(value, float | np.floating) and bool(np.isnan(value))
