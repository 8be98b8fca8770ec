"""What a terminal shows of an off-policy evaluation: numbers, verdicts, warnings."""

import numpy as np
import pytest

from jostle.evaluation import Log, compare
from jostle.lab.render.evaluation_table import (
    _with_interval,
    compact_lines,
    evaluation_warnings,
    verdict,
)
from jostle.lab.render.figures import evaluation


def example(rewards):
    n = len(rewards)
    return Log.from_arrays(np.arange(n) % 2, rewards, np.full((n, 2), 0.5), adaptive=False)


@pytest.mark.parametrize(
    ("numbers", "text"),
    [
        ((0.49975, 0.49878, 0.50073), "0.4998 [0.4988, 0.5007]"),
        ((0.142, 0.0237, 0.261), "0.14 [0.02, 0.26]"),
        ((1234.5, 1100.0, 1400.0), "1234 [1100, 1400]"),
        ((8.4e-9, 1e-9, 1.7e-8), "8.4e-09 [1e-09, 1.7e-08]"),
        ((1.0, 1.0, 1.0), "1 [1, 1]"),
        ((0.025, -np.inf, np.inf), "0.025"),
    ],
)
def test_an_interval_has_the_digits_that_its_width_needs(numbers, text):
    assert _with_interval(*numbers) == text


def test_verdicts_say_what_the_interval_allows():
    odd = np.arange(400) % 2
    found = compare(example(odd), {"one": 1, "zero": 0, "same": "uniform"}, estimators="snips")
    one, zero, same = verdict(found)
    assert one.startswith("one would have earned 0.5 per row more than logged (snips), with an")
    assert one.endswith("on one side of zero.")
    assert zero.startswith("zero would have earned 0.5 per row less than logged")
    assert same == "same would have earned exactly as much as logged (snips)."
    undecided = compare(example(np.arange(400) // 2 % 2), {"one": 1}, estimators="ips")
    assert "but the log does not decide: the interval is" in verdict(undecided)[0]
    bare = compare(example(odd), {"one": 1}, estimators="ips", interval=None)
    assert "without an interval" in verdict(bare)[0]
    assert [line[2] for line in compact_lines(bare)] == ["0.5", "1"]


def test_there_is_no_verdict_where_the_log_cannot_answer():
    rows = 500
    actions = np.zeros(rows, int)
    actions[[7, 70]] = 1
    logged = np.where(actions == 1, 0.004, 0.996)
    log = Log.from_arrays(actions, actions.astype(float), logged, adaptive=False)
    said = "would have earned more than logged: for one, its 500 rows are worth 2."
    assert verdict(compare(log, {"one": 1}))[0] == f"The log cannot say whether one {said}"
    other = verdict(compare(log, {"one": 1, "none": "logged"}, "one"))[0]
    assert "none would have earned more than one: for one, its 500 rows are worth 2." in other


def test_a_warning_names_all_that_it_is_about():
    log = Log.from_arrays([0, 1] * 20, [0, 1] * 20, np.full((40, 2), 0.5), adaptive=True)
    found = compare(log, {"one": 1}, estimators=("ips", "dm"))
    subjects = {warning: subject for subject, warning in evaluation_warnings(found)}
    for words, subject in {
        "was learning": "logged, one",
        "its reward model": "logged (dm), one (dm)",
        "effective sample size is 20 of": "one (ips)",
    }.items():
        assert [subjects[warning] for warning in subjects if words in warning] == [subject]


def test_figures_take_any_names_of_arms():
    names = ("$\\frac{$", "_hidden", "日本語", "[red]x[/red]", "x" * 200)
    log = Log.from_arrays(np.arange(50) % 5, np.ones(50), np.full((50, 5), 0.2), labels=names)
    found = compare(log, {name: name for name in names}, estimators="ips")
    for draw in (evaluation.forest, evaluation.weights, evaluation.over_time):
        assert draw(found).startswith(b"\x89PNG")
    shown = [evaluation._shown(name) for name in names]
    assert max(map(len, shown)) <= evaluation.LONGEST_NAME + 1
    assert not any(name.startswith("_") for name in shown)
