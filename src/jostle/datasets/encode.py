"""Encoding tables as float32 feature matrices: one-hot and standardised, or as in the paper.

``practical`` (default)
    - A category column becomes one 0/1 feature per category that occurs, and one more for missing
      values if there are any. Columns of 0 and 1 stay as they are.
    - A number is standardised robustly: values are clipped to the 1st and 99th percentile, the mean
      and standard deviation of the clipped values are centre and scale, and the result is clipped
      to [-3, 3]. Shuttle has values a hundred standard deviations from the mean, which would
      otherwise collapse all others to one point; medians or quartiles alone fail on columns that
      mostly have the same value (capital-gain of Adult, several of Shuttle).
    - A missing number becomes 0, the mean, and is marked by a 0/1 feature of its own.
    - A column with a single value is dropped, since it carries no more than the constant.
    - The last feature is the constant 1.

``paper``
    As the paper's authors did: a category is its ordinal code, from 0 in alphabetical (sorted)
    order; missing values are -1; numbers are left as they are; each row is scaled to unit Euclidean
    norm. There are as many features as columns.

Statistics are computed on the whole table, including rows that a learner has not seen yet. They do
not use the labels, and all policies that are compared see the same features.
"""

from collections.abc import Callable, Hashable, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from jostle.core import validation as checks
from jostle.datasets.columns import MISSING, Column
from jostle.datasets.table import Table

CLIP = 3.0
TAIL = 0.01
_BLOCK = 1 << 12


@dataclass(frozen=True, eq=False)
class Encoded:
    """An encoded classification set.

    Attributes:
        x: (rows, features) float32.
        y: (rows,) int32, indices into ``classes``.
        classes: what the labels stand for.
        names: what each feature is, such as ``odor=f``.
        encoding: "practical" or "paper".
    """

    x: np.ndarray = field(repr=False)
    y: np.ndarray = field(repr=False)
    classes: tuple[Hashable, ...]
    names: tuple[str, ...] = field(repr=False)
    encoding: str

    @property
    def rows(self) -> int:
        """The number of rows."""
        return len(self.y)

    @property
    def features(self) -> int:
        """The number of features after encoding."""
        return len(self.names)


def encode(table: Table, encoding: str = "practical", rows: Any = None) -> Encoded:
    """Encode a table as a matrix of features.

    Arguments:
        table: what to encode.
        encoding: "practical" or "paper"; see this module's description.
        rows: indices of the rows to encode, by default all. The statistics are always those of the
            whole table, but only the features of these rows are computed.
    """
    encoder = checks.lookup("encoding", encoding, ENCODINGS)
    if not isinstance(table, Table):
        raise TypeError(f"table must be a jostle.datasets.Table, not {type(table).__name__}")
    chosen = _rows(rows, table.rows)
    x, names = encoder(table, chosen)
    return Encoded(x, table.labels[chosen], table.classes, tuple(names), encoding)


def paper(table: Table, rows: Any) -> tuple[np.ndarray, list[str]]:
    """Ordinal codes and raw numbers, each row scaled to unit norm (a row of zeros stays zero)."""
    x = np.empty((_count(table, rows), len(table.columns)), np.float32)
    columns = list(_columns(table))
    for part, chosen in _blocks(len(x), rows):
        # In float64: the squares of very large or small numbers do not fit float32.
        block = np.column_stack([values[chosen] for _, values in columns]).astype(np.float64)
        block[np.isnan(block)] = MISSING
        norms = np.linalg.norm(block, axis=1, keepdims=True)
        x[part] = block / np.where(norms > 0, norms, 1.0)
    return x, [column.name for column in table.columns]


def practical(table: Table, rows: Any) -> tuple[np.ndarray, list[str]]:
    """One-hot categories, robustly standardised numbers and a constant."""
    names: list[str] = []
    fills: list[_Fill] = []
    for column, values in _columns(table):
        start = len(names)
        if column.categories is None:
            found, fill = _number(column, values, start)
        else:
            found, fill = _category(column, values, start)
        names += found
        fills.append(fill)
    names.append("constant")
    x = np.zeros((_count(table, rows), len(names)), np.float32)
    for part, chosen in _blocks(len(x), rows):
        for fill in fills:
            fill(x[part], chosen)
    x[:, -1] = 1.0
    return x, names


ENCODINGS = {"practical": practical, "paper": paper}

_Fill = Callable[[np.ndarray, Any], None]
"""Writes the features of a column, for the given rows of the table, into a block of x."""


def _number(column: Column, values: np.ndarray, start: int) -> tuple[list[str], _Fill]:
    """The features of a numeric column: their names, and how to write them from ``start`` on."""
    missing = np.isnan(values)
    any_missing = bool(missing.any())
    present = values[~missing].astype(np.float64)
    names = []
    if present.size and present.min() < present.max():
        clipped = np.clip(present, *_bounds(present))
        centre, scale = clipped.mean(), clipped.std()
        names.append(column.name)
    if any_missing:
        names.append(f"{column.name}=missing")

    def fill(x: np.ndarray, rows: Any) -> None:
        chosen, gone = values[rows], missing[rows]
        if column.name in names:
            scaled = np.clip((chosen - centre) / scale, -CLIP, CLIP)
            x[:, start] = np.where(gone, 0.0, scaled)
        if any_missing:
            x[:, start + len(names) - 1] = gone

    return names, fill


def _bounds(present: np.ndarray) -> tuple[float, float]:
    """The percentiles to which values are clipped, or the extremes if the percentiles are equal.

    A column that differs from its usual value in less than one row of a hundred is still
    informative about those rows.
    """
    low, high = np.quantile(present, (TAIL, 1 - TAIL))
    if low == high:
        low, high = present.min(), present.max()
    return float(low), float(high)


def _category(column: Column, codes: np.ndarray, start: int) -> tuple[list[str], _Fill]:
    """The features of a category column: their names, and how to write them from ``start`` on."""
    categories = column.categories or ()
    any_missing = bool((codes == MISSING).any())
    if column.indicator and not any_missing:
        names = [column.name] if codes.size and codes.min() != codes.max() else []
    else:
        names = [f"{column.name}={category}" for category in categories]
        names += [f"{column.name}=missing"] * any_missing
        if len(names) == 1:
            names = []

    def fill(x: np.ndarray, rows: Any) -> None:
        chosen = codes[rows].astype(np.intp)
        if column.indicator and len(names) == 1:
            x[:, start] = chosen
        elif names:
            slots = np.where(chosen == MISSING, len(categories), chosen)
            x[np.arange(len(slots)), start + slots] = 1.0

    return names, fill


def _columns(table: Table) -> Iterator[tuple[Column, np.ndarray]]:
    """The columns in the order of the data set, with their values."""
    numbers, codes = iter(table.numeric.T), iter(table.codes.T)
    for column in table.columns:
        yield column, next(numbers if column.categories is None else codes)


def _count(table: Table, rows: Any) -> int:
    return len(table.labels[rows])


def _blocks(count: int, rows: Any) -> Iterator[tuple[slice, Any]]:
    """Blocks of the result that fit the processor's cache, and the table's rows they encode."""
    for start in range(0, count, _BLOCK):
        part = slice(start, min(start + _BLOCK, count))
        yield part, part if isinstance(rows, slice) else rows[part]


def _rows(rows: Any, count: int) -> Any:
    if rows is None:
        return slice(None)
    chosen = np.asarray(rows)
    if chosen.ndim != 1 or chosen.dtype.kind not in "iu":
        raise TypeError(
            f"rows must be a list of row indices, but has shape {chosen.shape} and dtype "
            f"{chosen.dtype}"
        )
    if chosen.size and (chosen.min() < 0 or chosen.max() >= count):
        raise ValueError(
            f"rows must be between 0 and {count - 1}, but range from {chosen.min()} to "
            f"{chosen.max()}"
        )
    return chosen
