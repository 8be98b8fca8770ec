import datetime
from typing import Any

import numpy as np
import pytest

from jostle.datasets import Table

from requirements import package


class Series:
    """What pandas and Polars have in common."""

    def __init__(self, values: list[Any], dtype: Any = None) -> None:
        self.values = np.array(values, dtype=dtype)

    def to_numpy(self) -> np.ndarray:
        return self.values


class Frame:
    def __init__(self, **columns: Series) -> None:
        self.columns = list(columns)
        self.data = columns

    def __getitem__(self, name: str) -> Series:
        return self.data[name]


class NAType:
    """Stands for pandas.NA, whose truth value is an error."""

    def __bool__(self) -> bool:
        raise TypeError("boolean value of NA is ambiguous")

    def __eq__(self, other: object) -> Any:
        return self

    __hash__ = object.__hash__


def test_a_matrix_of_numbers_stays_numbers() -> None:
    table = Table.from_arrays([[1, 2.5], [3, np.nan]], ["yes", "no"])
    assert table.numeric.dtype == np.float32
    np.testing.assert_array_equal(table.numeric, np.array([[1, 2.5], [3, np.nan]], np.float32))
    assert table.labels.tolist() == [1, 0]
    assert table.labels.dtype == np.int32
    assert table.classes == ("no", "yes")
    assert [column.name for column in table.columns] == ["x0", "x1"]


def test_objects_become_numbers_or_categories_column_by_column() -> None:
    rows = np.array([["b", 1, True], [None, 2, False], ["a", None, True]], dtype=object)
    table = Table.from_arrays(rows, [0, 1, 0], names=["kind", "size", "flag"])
    assert table.codes[:, 0].tolist() == [1, -1, 0]
    assert table.columns[0].categories == ("a", "b")
    np.testing.assert_array_equal(table.numeric[:, 0], np.array([1, 2, np.nan], np.float32))
    assert table.columns[2].indicator
    assert table.codes[:, 1].tolist() == [1, 0, 1]


def test_labels_may_be_anything_hashable() -> None:
    labels = [("a", 1), 7, "x", 7]
    table = Table.from_arrays(np.zeros((4, 1)), labels)
    assert table.classes == (("a", 1), 7, "x")
    assert table.labels.tolist() == [0, 1, 2, 1]


def test_a_frame_is_split_by_its_target() -> None:
    frame = Frame(
        size=Series([1.0, np.nan, 3.0]),
        kind=Series(["u", NAType(), "v"], object),
        count=Series([1, NAType(), 3], object),
        label=Series(["n", "y", "n"]),
    )
    table = Table.from_frame(frame, target="label")
    assert [column.name for column in table.columns] == ["size", "kind", "count"]
    assert table.codes[:, 0].tolist() == [0, -1, 1]
    np.testing.assert_array_equal(table.numeric[:, 1], np.array([1, np.nan, 3], np.float32))
    assert table.classes == ("n", "y")


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_real_frames_are_read(library: str) -> None:
    module = package(library)
    columns = {"a": [1, None, 3], "b": ["x", None, "y"], "c": [True, False, True], "t": [1, 2, 1]}
    table = Table.from_frame(module.DataFrame(columns), target="t")
    np.testing.assert_array_equal(table.numeric[:, 0], np.array([1, np.nan, 3], np.float32))
    assert table.codes.tolist() == [[0, 1], [-1, 0], [1, 1]]
    assert table.classes == (1, 2)


@pytest.mark.parametrize(
    ("x", "y", "error", "message"),
    [
        ([1, 2], [0, 1], ValueError, r"X must have 2 dimensions .* but has shape \(2,\)"),
        ([[1], [2, 3]], [0, 1], ValueError, "X must be rectangular"),
        ([[1], [2]], [0], ValueError, "y must hold at least 2 classes"),
        ([[1], [2]], [0, 1, 0], ValueError, "y has 3 labels, but X has 2 rows"),
        ([[1], [2]], [0, None], ValueError, "y has no label in row 1: got None"),
        ([[1], [2]], [0, float("nan")], ValueError, "y has no label in row 1"),
        ([[1], [2]], [[0], [1]], TypeError, "y must hold hashable values"),
        ([[1], [2]], np.eye(2), ValueError, r"y must have 1 dimension, but has shape \(2, 2\)"),
        ([[1], [2]], "ab", TypeError, "y must be a sequence of labels"),
        (
            [[1], [np.inf]],
            [0, 1],
            ValueError,
            r"X\[:, 0\] must hold finite .* row 1 is inf",
        ),
        ([[1], [1e300]], [0, 1], ValueError, "row 1 is infinite"),
        ([[1j], [2]], [0, 1], TypeError, "has dtype complex128"),
        (np.zeros((2, 0)), [0, 1], ValueError, "X has no feature columns"),
        (Frame(), [0, 1], TypeError, "use from_frame"),
    ],
)
def test_bad_arrays_are_named(x: Any, y: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        Table.from_arrays(x, y)


def test_bad_names_and_frames_are_named() -> None:
    with pytest.raises(ValueError, match="names has 1 entries, but X has 2 columns"):
        Table.from_arrays([[1, 2], [3, 4]], [0, 1], names=["a"])
    frame = Frame(size=Series([1.0, 2.0]), label=Series([0, 1]))
    with pytest.raises(ValueError, match="target: unknown column 'labl'; did you mean 'label'"):
        Table.from_frame(frame, target="labl")
    with pytest.raises(TypeError, match="frame must be a pandas or Polars data frame, not list"):
        Table.from_frame([[1]], target="label")
    day = np.datetime64(datetime.date(2020, 1, 1))
    frame = Frame(day=Series([day, day]), label=Series([0, 1]))
    with pytest.raises(TypeError, match="column 'day' has dtype datetime64"):
        Table.from_frame(frame, target="label")
