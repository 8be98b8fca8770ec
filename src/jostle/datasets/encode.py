"""Tables to float32 matrices of features, in the paper's way or in the practical one.

``paper``
    As the paper's group did: a category is its ordinal code, in alphabetical (sorted) order from
    0; missing is -1; numbers are left as they are; each row is scaled to unit Euclidean norm. So
    the features are as many as the columns.

``practical`` (default)
    - A category column becomes one 0/1 feature per category that the table has, and one more for
      missing if any is; columns of 0 and 1 stay as they are.
    - A number is standardised robustly. Its values are first drawn in to the 1st and 99th
      percentile; centre and scale are the mean and standard deviation of those; the result is
      clipped to [-3, 3]. Shuttle has values a hundred deviations out which would otherwise press
      all others onto one point, and medians or quartiles alone fail on columns that are mostly
      one value (Adult's capital-gain, several of Shuttle's).
    - A missing number becomes 0, the mean, with a 0/1 feature beside it that says so.
    - A column that has one value only is dropped: it says nothing that the constant does not.
    - Last comes the constant 1.

Statistics are those of the whole table, including rows a learner has not met yet: they use no
labels, and every method compared sees the same features.
"""

from collections.abc import Callable, Hashable, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from jostle.core import validation as checks
from jostle.datasets.table import MISSING, Column, Table

CLIP = 3.0
TAIL = 0.01
_BLOCK = 1 << 12


@dataclass(frozen=True, eq=False)
class Encoded:
    """Features ``x`` (rows, features) float32, classes ``y`` int32 as indices into ``classes``.

    ``names`` says what each feature is, such as ``odor=f``.
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
    """Encode a table, or some of its ``rows`` (indices) with the statistics of the whole.

    Give ``rows`` when a few of many are wanted: the matrix is made for those only.
    """
    encoder = checks.lookup("encoding", encoding, ENCODINGS)
    if not isinstance(table, Table):
        raise TypeError(f"table must be a jostle.datasets.Table, not {type(table).__name__}")
    chosen = _rows(rows, table.rows)
    x, names = encoder(table, chosen)
    return Encoded(x, table.labels[chosen], table.classes, tuple(names), encoding)


def paper(table: Table, rows: Any) -> tuple[np.ndarray, list[str]]:
    """Ordinal codes and raw numbers, each row of unit norm (a row of zeros stays zero)."""
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
    """One-hot categories, robustly standardised numbers, a constant."""
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

_Fill = Callable[[np.ndarray, Any], None]  # writes the chosen rows of a column into x


def _number(column: Column, values: np.ndarray, start: int) -> tuple[list[str], _Fill]:
    """The names of the features of a numeric column, and how to fill them in from ``start``."""
    absent = np.isnan(values)
    some_absent = bool(absent.any())
    present = values[~absent].astype(np.float64)
    names = []
    if present.size and present.min() < present.max():
        drawn = np.clip(present, *_bounds(present))
        centre, scale = drawn.mean(), drawn.std()
        names.append(column.name)
    if some_absent:
        names.append(f"{column.name}=missing")

    def fill(x: np.ndarray, rows: Any) -> None:
        chosen, gone = values[rows], absent[rows]
        if column.name in names:
            scaled = np.clip((chosen - centre) / scale, -CLIP, CLIP)
            x[:, start] = np.where(gone, 0.0, scaled)
        if some_absent:
            x[:, start + len(names) - 1] = gone

    return names, fill


def _bounds(present: np.ndarray) -> tuple[float, float]:
    """The percentiles that values are drawn in to; the extremes when those are one point.

    A column that differs from its usual value in fewer than one row of a hundred still says
    something about those rows.
    """
    low, high = np.quantile(present, (TAIL, 1 - TAIL))
    if low == high:
        low, high = present.min(), present.max()
    return float(low), float(high)


def _category(column: Column, codes: np.ndarray, start: int) -> tuple[list[str], _Fill]:
    """The same for a category column."""
    categories = column.categories or ()
    some_absent = bool((codes == MISSING).any())
    if column.indicator and not some_absent:
        names = [column.name] if codes.size and codes.min() != codes.max() else []
    else:
        names = [f"{column.name}={category}" for category in categories]
        names += [f"{column.name}=missing"] * some_absent
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
    """The columns in their original order with their values."""
    numbers, codes = iter(table.numeric.T), iter(table.codes.T)
    for column in table.columns:
        yield column, next(numbers if column.categories is None else codes)


def _count(table: Table, rows: Any) -> int:
    return len(table.labels[rows])


def _blocks(count: int, rows: Any) -> Iterator[tuple[slice, Any]]:
    """Parts of the result that fit the processor's cache, and the rows of the table they show."""
    for start in range(0, count, _BLOCK):
        part = slice(start, min(start + _BLOCK, count))
        yield part, part if isinstance(rows, slice) else rows[part]


def _rows(rows: Any, count: int) -> Any:
    if rows is None:
        return slice(None)
    chosen = np.asarray(rows)
    if chosen.ndim != 1 or chosen.dtype.kind not in "iu":
        raise TypeError(
            f"rows must be a list of row indices, not of shape {chosen.shape} and dtype "
            f"{chosen.dtype}"
        )
    if chosen.size and (chosen.min() < 0 or chosen.max() >= count):
        raise ValueError(
            f"rows must be between 0 and {count - 1}, found {chosen.min()} to {chosen.max()}"
        )
    return chosen
