"""``Table``: rows of numbers and categories, each with a class; from files, arrays or frames."""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from jostle.core import validation as checks
from jostle.datasets.columns import Column, codes_of, labels_of, numbers_of


@dataclass(frozen=True, eq=False)
class Table:
    """A classification data set before encoding; see ``jostle.datasets.encode``.

    Numbers and category codes are kept apart, each as a dense matrix; ``columns`` has both kinds in
    the order of the data set.

    Attributes:
        columns: name and categories of each feature.
        numeric: (rows, numeric columns) float32, NaN where a number is missing.
        codes: (rows, category columns) integers, -1 where a category is missing.
        labels: (rows,) int32, indices into ``classes``.
        classes: what the labels stand for.
    """

    columns: tuple[Column, ...]
    numeric: np.ndarray
    codes: np.ndarray
    labels: np.ndarray
    classes: tuple[Hashable, ...]

    def __post_init__(self) -> None:
        rows = len(self.labels)
        numeric = sum(column.categories is None for column in self.columns)
        for name, width in (("numeric", numeric), ("codes", len(self.columns) - numeric)):
            shape = getattr(self, name).shape
            if shape != (rows, width):
                raise ValueError(f"{name} has shape {shape}, expected {(rows, width)}")

    @property
    def rows(self) -> int:
        """The number of rows."""
        return len(self.labels)

    @property
    def features(self) -> int:
        """The number of columns as published, before any encoding."""
        return len(self.columns)

    @classmethod
    def from_arrays(cls, X: Any, y: Any, names: Sequence[str] | None = None) -> Self:  # noqa: N803
        """Make a table from a matrix of rows ``X`` and one label per row ``y``.

        Columns of numbers stay numbers (NaN is missing, infinity is an error), booleans become
        indicators, and everything else becomes categories (None and NaN are missing). Labels may be
        any hashable values; the classes are sorted, or in order of first appearance if they cannot
        be compared. Columns are called ``names``, by default x0, x1, ...
        """
        if hasattr(X, "columns"):
            raise TypeError(
                f"X must be an array, not {type(X).__name__}; use from_frame for data frames"
            )
        try:
            matrix = np.asarray(X)
        except ValueError as error:  # rows of unequal length
            raise ValueError(f"X must be rectangular: {error}") from None
        if matrix.ndim != 2:
            raise ValueError(
                f"X must have 2 dimensions (rows, features), but has shape {matrix.shape}"
            )
        if names is None:
            names = [f"x{index}" for index in range(matrix.shape[1])]
        if len(names) != matrix.shape[1]:
            raise ValueError(f"names has {len(names)} entries, but X has {matrix.shape[1]} columns")
        values = [(f"X[:, {index}]", column) for index, column in enumerate(matrix.T)]
        return cls._assemble("X", names, values, "y", y)

    @classmethod
    def from_frame(cls, frame: Any, *, target: str) -> Self:
        """Make a table from a pandas or Polars data frame whose column ``target`` has the labels.

        Columns are read as in ``from_arrays``.
        """
        if not hasattr(frame, "columns"):
            raise TypeError(
                f"frame must be a pandas or Polars data frame, not {type(frame).__name__}"
            )
        names = list(frame.columns)
        if target not in names:
            raise ValueError("target: " + checks.unknown("column", target, map(str, names)))
        if len(set(names)) < len(names):
            raise ValueError(f"frame has columns of the same name: {names}")
        features = [name for name in names if name != target]
        values = [(f"column {name!r}", frame[name].to_numpy()) for name in features]
        labels = frame[target].to_numpy()
        return cls._assemble("frame", [str(name) for name in features], values, "target", labels)

    @classmethod
    def _assemble(
        cls,
        source: str,
        names: Sequence[str],
        values: Sequence[tuple[str, np.ndarray]],
        target: str,
        labels: Any,
    ) -> Self:
        """Type the columns, given as (name in error messages, values) pairs, and the labels."""
        coded_labels, classes = labels_of(target, labels)
        if not values:
            raise ValueError(f"{source} has no feature columns")
        rows = len(values[0][1])
        if rows != len(coded_labels):
            raise ValueError(
                f"{target} has {len(coded_labels)} labels, but {source} has {rows} rows"
            )
        columns, numeric, codes = [], [], []
        for name, (where, column) in zip(names, values, strict=True):
            numbers = numbers_of(where, column)
            if numbers is not None:
                numeric.append(numbers)
                columns.append(Column(name))
            else:
                coded, categories = codes_of(where, column)
                codes.append(coded)
                columns.append(Column(name, categories))
        return cls(
            columns=tuple(columns),
            numeric=np.stack(numeric, axis=1) if numeric else np.empty((rows, 0), np.float32),
            codes=np.stack(codes, axis=1) if codes else np.empty((rows, 0), np.int32),
            labels=coded_labels,
            classes=classes,
        )
