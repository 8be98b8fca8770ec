"""Logs from and to data frames of Polars and pandas, which are never imported unless asked for."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from jostle.core.optional import require
from jostle.core.validation import unknown
from jostle.logs.columns import seconds

KINDS = ("polars", "pandas")


def arrays_of(
    frame: Any, action: str, reward: str, probability: str, context: str | Sequence[str] | None
) -> dict[str, Any]:
    """The arguments of ``Log.from_arrays`` that a frame holds."""
    if not _is_frame(frame):
        kind = type(frame).__name__
        collect = ": call collect() first" if kind == "LazyFrame" else ""
        raise TypeError(f"frame must be a Polars or pandas DataFrame, not {kind}{collect}")
    names = list(frame.columns)
    twice = [name for name in names if names.count(name) > 1]
    if twice:
        raise ValueError(f"frame must not have two columns {twice[0]!r}")

    def column(name: str, argument: str) -> Any:
        if name not in names:
            raise ValueError(unknown(f"column for {argument}:", name, map(str, names)))
        return frame[name]

    actions, labels = _coded(column(action, "action"))
    found: dict[str, Any] = {"actions": actions, "rewards": flat(column(reward, "reward"))}
    if labels is not None:
        found["labels"] = labels
    if "probabilities" in names:
        found["probabilities"] = dense(frame["probabilities"], "probabilities")
    else:
        found["probabilities"] = flat(column(probability, "probability"))
    if context is None:
        for name in ("context", "features"):
            if name in names:
                found["contexts"] = dense(frame[name], name)
    elif isinstance(context, str):
        found["contexts"] = dense(column(context, "context"), context)
    else:
        found["contexts"] = np.stack([flat(column(name, "context")) for name in context], axis=1)
    for name, argument in (
        ("mask", "mask"),
        ("arms", "arms"),
        ("user", "users"),
        ("time", "times"),
    ):
        if name in names and name not in (action, reward, probability):
            found[argument] = (moments if name == "time" else dense)(frame[name], name)
    return found


def _is_frame(value: Any) -> bool:
    """Whether it is a data frame of one of ``KINDS``, or of a class derived from one."""
    return any(
        base.__name__ == "DataFrame" and base.__module__.partition(".")[0] in KINDS
        for base in type(value).__mro__
    )


def frame_of(columns: dict[str, np.ndarray], kind: str) -> Any:
    """A frame of one of ``KINDS``; arrays of two or three dimensions become lists."""
    if kind not in KINDS:
        raise ValueError(unknown("kind of frame", kind, KINDS))
    library = require(kind, extra="evaluation")
    return library.DataFrame(
        {name: array if array.ndim == 1 else array.tolist() for name, array in columns.items()}
    )


def flat(column: Any) -> np.ndarray:
    """A column of numbers as float64, missing ones as NaN."""
    array = column.to_numpy()
    if array.dtype.kind in "fiub":
        return np.asarray(array)
    try:
        return np.array([np.nan if value is None else value for value in array], np.float64)
    except (TypeError, ValueError):
        name = getattr(column, "name", "a column")
        raise TypeError(
            f"column {name!r} must hold numbers; encode words and times as numbers first"
        ) from None


def moments(column: Any, name: str) -> np.ndarray:
    """A column of times: numbers as they are, dates in seconds since 1970."""
    array = column.to_numpy()
    if array.dtype.kind == "M":
        return seconds(array)
    if array.dtype == object and all(value is None or _has_clock(value) for value in array):
        return np.array([np.nan if value is None else value.timestamp() for value in array])
    return dense(column, name)


def _has_clock(value: Any) -> bool:
    """Whether it is a point in time with a zone, which NumPy does not have."""
    return getattr(value, "tzinfo", None) is not None


def dense(column: Any, name: str) -> np.ndarray:
    """A column of numbers, or of equally long lists of numbers, as one array."""
    return _stacked(column.to_numpy(), name)


def _stacked(values: Any, name: str) -> np.ndarray:
    array = values if isinstance(values, np.ndarray) else np.asarray(values, dtype=object)
    if array.dtype != object:
        return array
    rows = [_stacked(row, name) if np.ndim(row) or isinstance(row, list) else row for row in array]
    lengths = {np.shape(row) for row in rows}
    if len(lengths) > 1:
        raise ValueError(
            f"column {name!r} must have lists of the same length in every row, but has lengths "
            + " and ".join(str(shape[0] if shape else 0) for shape in sorted(lengths)[:2])
            + "; pad them, and say in mask which arms are present"
        )
    try:
        stacked = np.array(rows)
        return stacked if stacked.dtype != object else stacked.astype(np.float64)
    except (TypeError, ValueError):
        raise TypeError(f"column {name!r} must hold numbers, or lists of numbers") from None


def _coded(column: Any) -> tuple[np.ndarray, tuple[str, ...] | None]:
    """Actions as whole numbers, and what they are called, if they are not numbers already."""
    values = column.to_numpy()
    if values.dtype.kind in "fiu":
        return values, None
    missing = [row for row, value in enumerate(values) if value is None or value != value]
    if missing:
        raise ValueError(f"action must not be missing, but row {missing[0]} has none")
    names, codes = np.unique(values.astype(str), return_inverse=True)
    return codes, tuple(str(name) for name in names)
