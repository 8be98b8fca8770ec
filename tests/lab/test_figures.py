from xml.etree import ElementTree

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from jostle.lab import figures
from jostle.lab.palette import FIXED, strokes
from lab.examples import comparison


def test_the_figure_is_drawn_twice_and_repeatably(tmp_path):
    made = comparison({"npr": [10, 12], "a$b$_<&>": [30, 40], "once": [20, None]})
    png, svg = figures.save(made, tmp_path)
    assert png.read_bytes().startswith(b"\x89PNG\r\n")
    assert png.stat().st_size > 10_000
    root = ElementTree.parse(svg).getroot()
    assert root.tag.endswith("svg")
    assert len(list(root.iter("{http://www.w3.org/2000/svg}path"))) > 10
    before = svg.read_bytes()
    figures.save(made, tmp_path)
    assert svg.read_bytes() == before
    assert sorted(path.name for path in tmp_path.iterdir()) == ["regret.png", "regret.svg"]


@pytest.mark.parametrize("finals", [{"a": [0, 0], "b": [0, 0]}, {"a": [3]}])
def test_dull_comparisons_are_drawn_too(tmp_path, finals):
    assert figures.save(comparison(finals, rounds=1), tmp_path)


def test_curves_are_means_with_standard_errors():
    (curve,) = figures.curves(comparison({"a": [10, 14]}, rounds=2))
    np.testing.assert_allclose(curve.mean, [6, 12])
    np.testing.assert_allclose(curve.error, [1, 2])


@given(st.lists(st.floats(0, 100), min_size=1, max_size=12))
def test_labels_never_collide_and_keep_their_order(places):
    moved = figures.spread(places, gap=5, low=0, high=100)
    order = np.argsort(places, kind="stable")
    assert np.all(np.diff(np.array(moved)[order]) >= 5 - 1e-6)
    assert min(moved) >= 0
    assert max(moved) <= 100 + 1e-6


def test_labels_that_do_not_collide_stay():
    assert figures.spread([50, 10, 90], gap=5, low=0, high=100) == pytest.approx([50, 10, 90])
    assert figures.spread([50, 50], gap=10, low=0, high=100) == pytest.approx([45, 55])


def test_strokes_are_fixed_by_name_and_all_different():
    names = [*FIXED, "npr:noise=1", "npr:noise=2", *(f"own{i}" for i in range(20))]
    found = strokes(names)
    assert len(set(found.values())) == len(names)
    assert found["npr"] == strokes(["npr"])["npr"]
    assert found["npr:noise=1"].colour == found["npr"].colour
