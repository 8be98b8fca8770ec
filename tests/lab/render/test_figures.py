import itertools
import warnings
from xml.etree import ElementTree

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from jostle.lab.render.figures import draw as figures
from jostle.lab.render.figures.axes_grid import spread
from jostle.lab.render.palette import FIXED, strokes
from jostle.lab.spec.plan import REWARD
from lab.examples import comparison, growth, outcome, statistics

ODD = "a$b$_<&>"
FINALS = {"npr": [10, 12], ODD: [30, 40], "once": [20, None], "never": [None, None]}
TIMES = {"npr": (0.001, 3.0), ODD: (0.5, 0.0)}


def texts(axes):
    return [text.get_text() for text in axes.texts]


def test_the_figure_is_drawn_twice_and_repeatably(tmp_path):
    made = outcome(comparison(FINALS))
    png, svg = figures.save(made, tmp_path)
    assert png.read_bytes().startswith(b"\x89PNG\r\n")
    assert png.stat().st_size > 10_000
    root = ElementTree.parse(svg).getroot()
    assert root.tag.endswith("svg")
    assert len(list(root.iter("{http://www.w3.org/2000/svg}path"))) > 10
    before = svg.read_bytes()
    figures.save(made, tmp_path)
    assert svg.read_bytes() == before
    assert sorted(path.name for path in tmp_path.iterdir()) == ["figure.png", "figure.svg"]


@pytest.mark.parametrize("arranged", [[1], [2], [3], [2, 2], [3, 2]])
def test_there_is_an_axes_for_each_panel(arranged):
    count = sum(arranged)
    panels = [comparison(FINALS, environment=f"h1:shown={i}") for i in range(2, 2 + count)]
    figure = figures.draw(outcome(*panels, title="All panels"))
    assert [axes.get_title(loc="left").partition(":")[0] for axes in figure.axes] == [
        f"h1 (shown {i})" for i in range(2, 2 + count)
    ]
    heights = [round(axes.get_position().y0, 6) for axes in figure.axes]
    assert [len(list(row)) for _, row in itertools.groupby(heights)] == arranged
    assert heights == sorted(heights, reverse=True)
    for axes in figure.axes:
        assert axes.get_ylabel() == "cumulative regret"
        assert sorted(texts(axes)) == sorted(["npr", ODD, "once"])
        assert axes.get_ylim()[0] == 0
    assert [text.get_text() for text in figure.texts] == ["All panels"]


@pytest.mark.parametrize("finals", [{"a": [0, 0], "b": [0, 0]}, {"a": [3]}, {"a": [None]}])
@pytest.mark.parametrize("figure", ["curves", "front", "bars"])
def test_dull_comparisons_are_drawn_too(tmp_path, finals, figure):
    assert figures.save(outcome(comparison(finals, rounds=1), figure=figure), tmp_path)


def test_rewards_are_ratios_to_chance_around_a_line_at_one():
    made = comparison({"good": [100, 90], "bad": [40, 40]}, measure=REWARD)
    (axes,) = figures.draw(outcome(made)).axes
    assert axes.get_ylabel() == "cumulative reward / that of a random choice"
    low, high = axes.get_ylim()  # chance brings 50 of 100: the ratios are 1.9 and 0.8
    assert 0.5 < low < 0.8
    assert high > 1.9
    assert any(list(line.get_ydata()) == [1, 1] for line in axes.lines)


def test_a_curve_far_beyond_the_others_leaves_the_frame_and_says_so():
    made = comparison({"a": [10], "b": [12], "uniform": [1000]})
    (axes,) = figures.draw(outcome(made)).axes
    assert axes.get_ylim() == (0, pytest.approx(1.15 * 12))
    assert "uniform ↑ 1,000" in texts(axes)


def test_a_front_has_a_point_for_each_policy_and_a_line_through_the_best(tmp_path):
    made = comparison(FINALS)
    made.runs = [run._replace(round_ms=1.0 + i) for i, run in enumerate(made.runs)]
    drawn = figures.draw(outcome(made, figure="front"))
    (axes,) = drawn.axes
    assert sorted(texts(axes)) == sorted(["npr", ODD, "once"])
    assert list(axes.lines[0].get_ydata()) == [11.0]  # the cheapest is the best as well
    assert figures.save(outcome(comparison({"a": [None]}), figure="front"), tmp_path)


def test_an_ablation_has_a_point_for_each_change(tmp_path):
    finals = {"npr": [10, 11, 12], "npr:steps=1": [5, 5, 6], "npr:noise=0": [9, 12, 12]}
    (axes,) = figures.draw(outcome(comparison(finals), figure="changes")).axes
    assert [label.get_text() for label in axes.get_yticklabels()] == ["steps 1", "noise 0"]
    empty = outcome(comparison({"npr": [None], "npr:steps=1": [None]}), figure="changes")
    assert figures.save(empty, tmp_path)


def test_bars_show_the_times_on_a_log_scale_when_they_must(tmp_path):
    near = comparison(FINALS, times={"npr": (1.0, 3.0), ODD: (0.5, 2.0)})
    far = comparison(FINALS, environment="h2", times=TIMES)
    made = outcome(near, far, figure="bars", times=True)
    left, right = figures.draw(made).axes
    assert (left.get_xscale(), right.get_xscale()) == ("linear", "log")
    assert [label.get_text() for label in left.get_yticklabels()] == [ODD, "npr"]  # fastest first
    assert [round(patch.get_width(), 6) for patch in left.patches] == [0.5, 1.0, 2.0, 3.0]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        figures.save(made, tmp_path)


def test_growth_is_a_line_for_each_policy_over_the_sizes(tmp_path):
    made = growth()
    choosing, learning = figures.draw(made).axes
    assert choosing.get_xlabel() == "width"
    assert choosing.get_xscale() == choosing.get_yscale() == "log"
    assert list(learning.lines[1].get_ydata()) == pytest.approx([0.512, 8.192, 131.072])
    assert figures.save(growth(timed=False), tmp_path)


def test_a_table_of_data_sets_has_no_figure(tmp_path):
    assert figures.save(statistics(), tmp_path) == []
    with pytest.raises(ValueError, match="has no figure"):
        figures.draw(statistics())


@given(st.lists(st.floats(0, 100), min_size=1, max_size=12))
def test_labels_never_collide_and_keep_their_order(places):
    moved = spread(places, gap=5, low=0, high=100)
    order = np.argsort(places, kind="stable")
    assert np.all(np.diff(np.array(moved)[order]) >= 5 - 1e-6)
    assert min(moved) >= 0
    assert max(moved) <= 100 + 1e-6


def test_labels_that_do_not_collide_stay():
    assert spread([50, 10, 90], gap=5, low=0, high=100) == pytest.approx([50, 10, 90])
    assert spread([50, 50], gap=10, low=0, high=100) == pytest.approx([45, 55])


def test_strokes_are_fixed_by_name_and_all_different():
    names = [*FIXED, "npr:noise=1", "npr:noise=2", *(f"own{i}" for i in range(20))]
    found = strokes(names)
    assert len(set(found.values())) == len(names)
    assert found["npr"] == strokes(["npr"])["npr"]
    assert found["npr:noise=1"].colour == found["npr"].colour
