import sys
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from jostle.datasets import Table, encode
from jostle.datasets.columns import Column

TABLE = Table.from_arrays(
    np.array(
        [
            ["red", 3.0, True, 1],
            ["green", 4.0, False, 1],
            [None, 5.0, True, 1],
            ["red", None, False, 1],
        ],
        dtype=object,
    ),
    ["a", "b", "a", "b"],
    names=["colour", "size", "flag", "same"],
)


def test_practical_by_hand() -> None:
    encoded = encode(TABLE)
    assert encoded.encoding == "practical"
    assert encoded.names == (
        "colour=green",
        "colour=red",
        "colour=missing",
        "size",
        "size=missing",
        "flag",
        "constant",
    )
    # The 1st and 99th percentile of 3, 4, 5 are 3.02 and 4.98.
    scale = np.std([3.02, 4.0, 4.98])
    one = 1 / scale
    expected = [
        [0, 1, 0, -one, 0, 1, 1],
        [1, 0, 0, 0, 0, 0, 1],
        [0, 0, 1, one, 0, 1, 1],
        [0, 1, 0, 0, 1, 0, 1],
    ]
    np.testing.assert_allclose(encoded.x, np.array(expected), atol=1e-6)
    assert encoded.x.dtype == np.float32
    assert encoded.y.tolist() == [0, 1, 0, 1]
    assert encoded.classes == ("a", "b")


def test_paper_by_hand() -> None:
    encoded = encode(TABLE, "paper")
    assert encoded.names == ("colour", "size", "flag", "same")
    raw = np.array([[1, 3, 1, 1], [0, 4, 0, 1], [-1, 5, 1, 1], [1, -1, 0, 1]], float)
    np.testing.assert_allclose(
        encoded.x, raw / np.linalg.norm(raw, axis=1, keepdims=True), rtol=1e-6
    )
    assert encoded.x.dtype == np.float32


def test_a_row_of_zeros_stays_zero() -> None:
    x = encode(Table.from_arrays([[0, 0], [3, 4]], [0, 1]), "paper").x
    np.testing.assert_allclose(x, [[0, 0], [0.6, 0.8]], rtol=1e-6)


def test_far_values_do_not_press_the_others_together() -> None:
    values = np.concatenate([np.linspace(0, 1, 998), [1e6, -1e6]])
    x = encode(Table.from_arrays(values[:, None], np.arange(1000) % 2)).x
    assert x[998:, 0].tolist() == [3.0, -3.0]
    assert np.std(x[:998, 0]) == pytest.approx(1.0, abs=0.02)


def test_a_column_that_seldom_differs_is_kept() -> None:
    values = np.zeros(1000)
    values[7] = 5.0
    x = encode(Table.from_arrays(values[:, None], np.arange(1000) % 2)).x
    assert x[7, 0] == 3.0
    assert np.unique(x[:, 0]).size == 2


def test_columns_that_say_nothing_are_dropped_from_practical_only() -> None:
    rows = np.array([["p", 2.0, True, None], ["p", 2.0, True, None]], dtype=object)
    table = Table.from_arrays(rows, [0, 1])
    assert encode(table).names == ("constant",)
    assert encode(table, "paper").features == 4


def test_numbers_that_are_all_missing_or_partly_missing_and_one_value() -> None:
    table = Table.from_arrays([[np.nan, 0.1], [np.nan, np.nan], [np.nan, 0.1]], [0, 1, 0])
    encoded = encode(table)
    assert encoded.names == ("x0=missing", "x1=missing", "constant")
    assert encoded.x[:, 1].tolist() == [0, 1, 0]


def test_an_indicator_with_gaps_gets_a_feature_for_each_state() -> None:
    rows = np.array([[True], [None], [False]], dtype=object)
    encoded = encode(Table.from_arrays(rows, [0, 1, 0], names=["f"]))
    assert encoded.names == ("f=False", "f=True", "f=missing", "constant")
    assert encoded.x[:, :3].tolist() == [[0, 1, 0], [0, 0, 1], [1, 0, 0]]


@pytest.mark.parametrize("encoding", ["practical", "paper"])
def test_chosen_rows_are_those_of_the_whole(encoding: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys.modules["jostle.datasets.encode"], "_BLOCK", 7)
    rng = np.random.default_rng(0)
    rows = np.column_stack([rng.normal(size=50), rng.choice(list("xyz"), 50)]).astype(object)
    rows[:, 0] = rows[:, 0].astype(float)
    table = Table.from_arrays(rows, rng.integers(0, 3, 50))
    whole, chosen = encode(table, encoding), rng.permutation(50)[:20]
    part = encode(table, encoding, rows=chosen)
    np.testing.assert_array_equal(part.x, whole.x[chosen])
    np.testing.assert_array_equal(part.y, whole.y[chosen])
    assert part.names == whole.names


@given(
    arrays(
        np.float32,
        st.tuples(st.integers(2, 30), st.integers(1, 4)),
        elements=st.floats(-(2.0**100), 2.0**100, width=32) | st.just(float("nan")),
    )
)
def test_whatever_comes_in_finite_bounded_features_come_out(x: np.ndarray) -> None:
    table = Table.from_arrays(x, np.arange(len(x)) % 2)
    encoded = encode(table)
    assert np.isfinite(encoded.x).all()
    assert np.abs(encoded.x).max() <= 3.0
    assert len(set(encoded.names)) == encoded.x.shape[1]
    norms = np.linalg.norm(encode(table, "paper").x.astype(float), axis=1)
    assert np.all(np.isclose(norms, 1, rtol=1e-5) | (norms == 0))


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ((TABLE, "papper"), ValueError, "unknown encoding 'papper'; did you mean 'paper'"),
        (("adult",), TypeError, r"table must be a jostle\.datasets\.Table, not str"),
        (
            (TABLE, "paper", [0, 4]),
            ValueError,
            "must be between 0 and 3, but range from 0 to 4",
        ),
        ((TABLE, "paper", [0.5]), TypeError, "rows must be a list of row indices"),
    ],
)
def test_bad_arguments_are_named(
    arguments: tuple[Any, ...], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        encode(*arguments)


def test_a_table_checks_its_own_shape() -> None:
    with pytest.raises(ValueError, match=r"numeric has shape \(2, 2\), expected \(2, 1\)"):
        Table((Column("a"),), np.zeros((2, 2)), np.zeros((2, 0)), np.zeros(2), (0, 1))
