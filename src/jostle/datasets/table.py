"""A table of typed columns with a class for every row: what parsers make and encoders read."""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

MISSING = -1  # the code of a missing category; a missing number is NaN


@dataclass(frozen=True)
class Column:
    """A column: of numbers, or with ``categories`` of codes into them."""

    name: str
    categories: tuple[Hashable, ...] | None = None

    @property
    def indicator(self) -> bool:
        """Categories that already are 0 and 1 need no one-hot coding of their own."""
        return self.categories in (("0", "1"), (False, True))


@dataclass(frozen=True, eq=False)
class Table:
    """Numbers and category codes kept apart, each a dense matrix; ``columns`` has their order.

    ``numeric`` is float32 (rows, numeric columns) with NaN for missing; ``codes`` is an integer
    matrix (rows, category columns) with -1 for missing; ``labels`` is int32, an index into
    ``classes``.
    """

    columns: tuple[Column, ...]
    numeric: np.ndarray
    codes: np.ndarray
    labels: np.ndarray
    classes: tuple[Hashable, ...]

    def __post_init__(self) -> None:
        rows = len(self.labels)
        kinds = [column.categories is None for column in self.columns]
        for name, wanted in (("numeric", sum(kinds)), ("codes", len(kinds) - sum(kinds))):
            found = getattr(self, name).shape
            if found != (rows, wanted):
                raise ValueError(f"{name} has shape {found}, wanted {(rows, wanted)}")

    @property
    def rows(self) -> int:
        """The number of rows."""
        return len(self.labels)

    @property
    def features(self) -> int:
        """The number of columns, as the data set counts them (before any encoding)."""
        return len(self.columns)

    @classmethod
    def from_arrays(cls, X: Any, y: Any, names: Sequence[str] | None = None) -> "Table":  # noqa: N803
        """A table from a matrix of rows ``X`` and one label for each in ``y``.

        Columns of numbers stay numbers (NaN = missing, infinite is an error), booleans become
        indicators, all else categories (None or NaN = missing). Labels are any hashable values;
        classes are in sorted order, or as they first appear when they have no order.
        """
        from jostle.datasets.columns import from_arrays

        return from_arrays(X, y, names)

    @classmethod
    def from_frame(cls, frame: Any, *, target: str) -> "Table":
        """The same from a pandas or polars data frame whose column ``target`` holds the labels."""
        from jostle.datasets.columns import from_frame

        return from_frame(frame, target)
