"""Moments: their rule, their robustness, and that they stay once fixed."""

import json

import numpy as np
import pytest

from jostle.features import Encoder
from jostle.features.moments import MOST_NAMES, Moments, robust


def test_moments_follow_the_rule():
    moments, changed = Moments(warmup=40), []
    values = np.random.default_rng(0).normal(5, 2, 100)
    for n, value in enumerate(values, start=1):
        if moments.observe({1: [value]}):
            changed.append(n)
            assert moments.get(1) == robust(values[:n].tolist())
    assert changed == [8, 16, 32, 40]
    assert not moments.learns(1)


def test_each_name_has_a_warmup_of_its_own():
    moments = Moments(warmup=10)
    for _ in range(10):
        moments.observe({1: [2.0, 4.0]})
    assert (moments.get(1), moments.get(2)) == ((3.0, 1.0), None)
    for _ in range(10):
        moments.observe({2: [0.0, 10.0]})
    assert moments.get(2) == (5.0, 5.0)


def test_outliers_hardly_matter():
    rng = np.random.default_rng(1)
    values = rng.normal(10, 2, 1000)
    values[:5] = 1e6
    centre, scale = robust(values.tolist())
    assert centre == pytest.approx(10, abs=0.5)
    assert scale == pytest.approx(2, rel=0.2)


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ([0, 1, 1, 0], (0, 1)),  # an indicator stays one
        ([7.0] * 5, (7, 1)),  # nothing varies
        ([0.0] * 200 + [4.0], (4 / 201, np.std([0.0] * 200 + [4.0]))),  # rare, but informative
        ([1e308, -1e308], (0, 0.98e308)),
        ([5e-324, 0.0, 0.0], None),
    ],
)
def test_moments_of_unusual_numbers(values, expected):
    centre, scale = robust([float(value) for value in values])
    assert np.isfinite([centre, scale]).all()
    assert scale > 0
    if expected is not None:
        assert (centre, scale) == pytest.approx(expected)


def test_the_number_of_names_is_bounded():
    moments = Moments(warmup=1)
    moments.observe({name: [1.5] for name in range(MOST_NAMES + 10)})
    assert moments.get(MOST_NAMES - 1) == (1.5, 1.0)
    assert moments.get(MOST_NAMES) is None


def test_a_copy_by_its_data_is_the_same():
    moments = Moments(warmup=20)
    for i in range(12):
        moments.observe({1: [float(i)], 2: [1.0] * (i > 8)})
    copy = Moments.from_data(20, json.loads(json.dumps(moments.as_data())))
    for each in (moments, copy):
        for i in range(20):
            each.observe({1: [-float(i)], 2: [3.0]})
    assert copy.as_data() == moments.as_data()


def test_encoded_numbers_are_standardised_clipped_and_then_fixed():
    encoder = Encoder(512, warmup=50, interactions="none")
    for i in range(50):
        encoder.observe({"x": 10.0 + i % 5}, ["a"])
    base = encoder.encode({}, ["a"])

    def number(x):
        both = np.abs(encoder.encode({"x": x}, ["a"]) - base)
        assert (both == 1).sum() >= 1  # the flag
        rest = both[both != 1]
        return rest.max(initial=0.0)

    assert number(12.0) == pytest.approx(0, abs=1e-6)
    assert number(12 + 0.5 * np.sqrt(2)) == pytest.approx(0.5, rel=1e-5)
    assert number(1e9) == 3
    for _ in range(100):
        encoder.observe({"x": -1000.0}, ["a"])
    assert number(12 + 0.5 * np.sqrt(2)) == pytest.approx(0.5, rel=1e-5)
