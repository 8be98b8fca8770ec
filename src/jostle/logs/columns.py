"""The columns of a log, and how they are made from arrays of any kind."""

from typing import Any, NamedTuple

import numpy as np

from jostle.core.validation import numeric, whole

MOST_ARMS = 2**20
"""A log with more arms in a row has ids for actions, and a column per arm would fill the memory."""


class Columns(NamedTuple):
    """The columns of a log before they are checked."""

    actions: np.ndarray
    rewards: np.ndarray
    probabilities: np.ndarray  # (n,) of the chosen arm
    all_probabilities: np.ndarray | None  # (n, shown)
    contexts: np.ndarray | None  # (n, features) or (n, shown, features)
    mask: np.ndarray | None  # (n, shown)
    arms: np.ndarray | None  # (n, shown)
    users: np.ndarray | None
    times: np.ndarray | None

    def take(self, rows: Any) -> "Columns":
        """Some of the rows."""
        return Columns(*(None if column is None else column[rows] for column in self))  # type: ignore[arg-type]


def from_arrays(
    actions: Any,
    rewards: Any,
    probabilities: Any,
    contexts: Any = None,
    mask: Any = None,
    arms: Any = None,
    users: Any = None,
    times: Any = None,
    shown: int | None = None,
) -> tuple[Columns, int]:
    """Columns of the right kind and shape, their content not yet checked, and how many arms."""
    chosen = _indices(actions)
    weights = _ranked("probabilities", numeric("probabilities", probabilities), (1, 2), "arms")
    weights = weights.astype(np.float64, copy=False)
    features = None
    if contexts is not None:
        features = _ranked("contexts", _numbers("contexts", contexts), (2, 3), "arms, features")
    present = None if mask is None else _ranked("mask", np.asarray(mask, bool), (2, 2), "arms")
    ids = None if arms is None else _ranked("arms", _whole_numbers("arms", arms), (2, 2), "arms")
    wide = {"probabilities": weights, "mask": present, "arms": ids}
    if features is not None and features.ndim == 3:
        wide["contexts"] = features
    count = _shown(shown, chosen, wide)
    matrix = weights if weights.ndim == 2 else None
    columns = Columns(
        chosen,
        numeric("rewards", rewards).astype(np.float64, copy=False),
        weights,
        matrix,
        features,
        present,
        ids,
        None if users is None else _whole_numbers("users", users),
        None if times is None else numeric("times", times).astype(np.float64),
    )
    for name in ("actions", "rewards", "users", "times"):
        if (column := getattr(columns, name)) is not None and column.ndim != 1:
            raise ValueError(f"{name} must have shape (n,), not {column.shape}")
    for name, column in columns._asdict().items():
        if column is not None and len(column) != len(chosen):
            expected = f"{name} must have {len(chosen)} rows, as actions has"
            raise ValueError(f"{expected}, not {len(column)}")
    if matrix is not None:
        columns = columns._replace(probabilities=chosen_probabilities(matrix, chosen, count))
    return columns, count


def chosen_probabilities(matrix: np.ndarray, actions: np.ndarray, shown: int) -> np.ndarray:
    """The entry of each row that was chosen; actions out of range, found later, take any."""
    return np.asarray(matrix[np.arange(len(actions)), np.clip(actions, 0, shown - 1)])


def row_sums(matrix: np.ndarray) -> np.ndarray:
    """The sum of each row; far faster than ``matrix.sum(axis=1)`` where rows are short."""
    return np.asarray(np.einsum("ij->i", matrix))


def _ranked(name: str, array: np.ndarray, ranks: tuple[int, int], widest: str) -> np.ndarray:
    if array.ndim not in ranks:
        shorter = widest.rpartition(", ")[2] if ranks[0] > 1 else ""
        first = f"(n, {shorter})" if shorter else "(n,)"
        shapes = dict.fromkeys([first, f"(n, {widest})"])
        raise ValueError(f"{name} must have shape {' or '.join(shapes)}, not {array.shape}")
    return array


def _shown(shown: int | None, actions: np.ndarray, wide: dict[str, np.ndarray | None]) -> int:
    """The number of arms, on which all arrays that have a column per arm must agree."""
    widths = {
        name: value.shape[1]
        for name, value in wide.items()
        if value is not None and value.ndim >= 2
    }
    count = next(iter(widths.values()), None) if shown is None else shown
    if count is None:
        count = int(actions.max(initial=0)) + 1
    if whole("shown", count) > MOST_ARMS:
        raise ValueError(
            f"shown is {count:,}, and a row may show at most {MOST_ARMS:,} arms: number actions "
            "from 0 by their place among those shown, and pass their ids as arms="
        )
    for name, width in widths.items():
        if width != count:
            raise ValueError(f"{name} must have {count} arms in each row, not {width}")
    return count


def seconds(times: np.ndarray) -> np.ndarray:
    """Dates and times of NumPy in seconds since 1970; NaN where they are missing."""
    found = times.astype("datetime64[us]").astype(np.float64) / 1e6
    return np.where(np.isnat(times), np.nan, found)


def _indices(actions: Any) -> np.ndarray:
    """Actions as integers; those that are missing or not whole as -1, which is found later."""
    array = numeric("actions", actions)
    if array.dtype.kind == "f" and array.ndim == 1:
        good = (array == np.round(array)) & (np.abs(array) < 2.0**53)
        array = np.where(good, array, -1)
    return _whole_numbers("actions", array)


def _whole_numbers(name: str, value: Any) -> np.ndarray:
    array = numeric(name, value)
    if array.dtype.kind == "f":
        if not np.array_equal(array, np.round(array)):
            rows = np.flatnonzero((array != np.round(array)).reshape(len(array), -1).any(axis=1))
            raise TypeError(f"{name} must be whole numbers, but row {rows[0]} is not")
    elif array.dtype.kind not in "iu":
        raise TypeError(f"{name} must be whole numbers, not of dtype {array.dtype}")
    return array.astype(np.int64, copy=False)


def _numbers(name: str, value: Any) -> np.ndarray:
    array = numeric(name, value)
    return array if array.dtype in (np.float32, np.float64) else array.astype(np.float32)
