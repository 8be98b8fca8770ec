"""Diagnostics by their definitions, and warnings when a log cannot answer."""

import numpy as np
import pytest

from jostle.evaluation import Log, evaluate


def warnings(log, target, name="ips", **arguments):
    return " ".join(evaluate(log, target, name, **arguments)[name].warnings)


def test_a_log_with_two_heavy_rows_is_answered_with_a_warning():
    n = 5000
    generator = np.random.default_rng(0)
    actions = np.zeros(n, int)
    actions[[17, 170]] = 1
    p = np.where(actions == 1, 4e-5, 1 - 4e-5)
    log = Log.from_arrays(actions, generator.random(n), p)
    found = evaluate(log, 1, ("ips", "snips"))
    for estimate in found.values():
        assert estimate.largest_weight > 20_000
        assert estimate.effective_size == pytest.approx(2)
        text = " ".join(estimate.warnings)
        assert "cannot answer for this target: the effective sample size is 2 of 5,000" in text
        assert "One row has 50% of the whole weight (largest weight 25,000)" in text
        assert "(!)" in str(estimate)


def test_effective_size_and_unsupported_share_are_their_definitions():
    p = np.tile([0.5, 0.5, 0.0], (4, 1))
    target = np.tile([0.1, 0.6, 0.3], (4, 1))
    log = Log.from_arrays([0, 1, 1, 0], [1, 0, 1, 1], p)
    found = evaluate(log, target)["ips"]
    w = np.array([0.2, 1.2, 1.2, 0.2])
    assert found.effective_size == pytest.approx(w.sum() ** 2 / (w @ w))
    assert found.largest_weight == pytest.approx(1.2)
    assert found.unsupported == pytest.approx(0.3)
    assert "arms that the log never could in 30.0% of cases; they count not at all" in warnings(
        log, target
    )
    assert "by its reward model alone" in warnings(log, target, "dr", folds=2)


def test_an_arm_that_was_never_chosen_counts_as_unsupported_without_all_probabilities():
    log = Log.from_arrays(np.tile([0, 1], 100), np.ones(200), np.full(200, 0.5), shown=3)
    assert evaluate(log, "uniform")["ips"].unsupported == pytest.approx(1 / 3)


def test_wrong_probabilities_show_in_the_mean_weight():
    generator = np.random.default_rng(0)
    log = Log.from_arrays(generator.integers(2, size=1000), np.ones(1000), np.full(1000, 0.25))
    assert "The mean weight is 2 where 1 is expected" in warnings(log, "uniform")


def test_no_warning_where_all_is_well():
    generator = np.random.default_rng(0)
    rows = 1000
    log = Log.from_arrays(
        generator.integers(2, size=rows), generator.integers(2, size=rows), np.full((rows, 2), 0.5)
    )
    for name in ("ips", "snips", "replay", "dr"):
        assert not evaluate(log, 1, name)[name].warnings


def test_what_each_interval_and_estimator_leaves_out():
    rows = 400
    generator = np.random.default_rng(0)
    actions = (generator.random(rows) < 0.7).astype(int)
    log = Log.from_arrays(
        actions, generator.random(rows), np.where(actions == 1, 0.7, 0.3), adaptive=True
    )
    assert "interval='sequence' is" in warnings(log, "uniform")
    assert "interval='sequence' is" not in warnings(log, "uniform", interval="sequence")
    assert "pass reward_range=" in warnings(log, "uniform", interval="sequence")
    ranged = warnings(log, "uniform", interval="sequence", reward_range=(0, 1))
    assert "reward_range" not in ranged
    assert "Use 'snips'" in warnings(log, "uniform", "replay")
    assert "says nothing about the model's own error" in warnings(log, "uniform", "dm")


def test_repaired_rows_are_mentioned():
    rewards = np.ones(300)
    rewards[5] = np.nan
    log = Log.from_arrays(np.tile([0, 1], 150), rewards, np.full(300, 0.5), repair="drop-rows")
    assert "1 rows: leave out rows with any problem." in warnings(log, "logged")


def test_few_rewards_are_too_few_for_intervals_that_rest_on_many():
    rows = 2000
    rewards = np.zeros(rows)
    log = Log.from_arrays(np.tile([0, 1], rows // 2), rewards, np.full((rows, 2), 0.5))
    assert "rests on the rewards of 0 rows" in warnings(log, 1)
    rewards[:9] = 1  # of which five are of arm 0
    assert "rests on the rewards of 5 rows" in warnings(log, 0, "snips")
    assert "rests on the rewards" not in warnings(log, 0, interval="sequence")
    rewards[:90] = 1
    assert "rests on the rewards" not in warnings(log, 0)
    heavy = np.abs(np.random.default_rng(0).standard_cauchy(rows))
    log = Log.from_arrays(log.actions, heavy, log.all_probabilities)
    assert "rests on the rewards" in warnings(log, 0)


def test_a_value_that_changes_within_the_log_is_mentioned():
    rows = 1000
    rewards = (np.arange(rows) >= rows // 2).astype(float)
    log = Log.from_arrays(np.tile([0, 1], rows // 2), rewards, np.full((rows, 2), 0.5))
    for interval in ("bernstein", "sequence"):
        text = warnings(log, "uniform", interval=interval)
        assert "by IPS 0 in its first half, 1 in its second" in text
        assert "interval='running' is for the mean over the log" in text
    assert "seems to change" not in warnings(log, "uniform", interval="running")
    found = evaluate(log, "uniform", "ips", "running")["ips"]
    assert found.low < 0.5 < found.high


def test_one_row_says_nothing_about_its_error():
    log = Log.from_arrays([0], [1.0], [[0.5, 0.5]])
    for interval in ("normal", "bootstrap"):
        found = evaluate(log, "uniform", "ips", interval)["ips"]
        assert (found.low, found.high) == (-np.inf, np.inf)
        assert "cannot answer" in " ".join(found.warnings)


def test_a_log_without_rows_has_no_answer():
    empty = Log.from_arrays([], [], np.zeros((0, 2)))
    for name in ("ips", "dr"):
        with pytest.raises(ValueError, match="log must have at least one row"):
            evaluate(empty, "uniform", name)
    bad = Log.from_arrays([0], [np.nan], [[0.5, 0.5]], repair="drop-rows")
    with pytest.raises(ValueError, match="log must have at least one row"):
        evaluate(bad, "uniform")
