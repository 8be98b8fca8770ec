import numpy as np
import pytest
from scipy import stats

from jostle.lab.analysis.intervals import (
    differences_to_best,
    mean_interval,
    mean_p_value,
    paired_difference,
    standard_error,
)
from jostle.lab.spec.plan import REWARD
from lab.examples import comparison


def test_only_seeds_that_both_have_played_are_paired():
    made = comparison({"best": [10, 20, None, 30], "other": [11, 23, 99, 35]})
    found = paired_difference(made, "other", "best")
    assert (found.mean, found.seeds) == (pytest.approx(3), 3)  # of 1, 3, 5
    assert paired_difference(made, "best", "other").mean == pytest.approx(-3)
    few = comparison({"a": [1, 2, None], "b": [3, None, 4]})
    assert paired_difference(few, "a", "b") is None


def test_pairing_removes_what_seeds_have_in_common():
    hard = np.array([0, 1000, 5000, 200.0])
    steady, shaky = np.array([2, 3, 2, 3]), np.array([22, -10, 16, -14])  # of mean 2.5 and 3.5
    found = differences_to_best(
        comparison({"a": hard + 10, "b": hard + 10 + steady, "c": hard + 10 + shaky})
    )
    assert list(found) == ["b", "c"]
    assert found["b"].significant
    assert not found["c"].significant


def test_the_interval_is_that_of_the_paired_t_test():
    ours, theirs = [12.0, 30.0, 18.0, 41.0], [11.0, 28.0, 14.0, 32.0]
    found = paired_difference(comparison({"a": ours, "b": theirs}), "a", "b")
    expected = stats.ttest_rel(ours, theirs).confidence_interval(0.95)
    assert (found.low, found.high) == (pytest.approx(expected.low), pytest.approx(expected.high))


def test_equal_values_have_an_interval_of_no_width():
    assert mean_interval([2.0, 2.0, 2.0]) == (2.0, 2.0)
    assert standard_error([2.0]) is None
    with pytest.raises(ValueError, match="expected at least two, got 1"):
        mean_interval([2.0])


@pytest.mark.parametrize("count", [3, 5, 10])
def test_intervals_cover_the_mean_as_often_as_they_claim(count):
    samples = np.random.default_rng(count).normal(7, 3, (2000, count))
    covered = np.mean([low < 7 < high for low, high in map(mean_interval, samples)])
    assert covered == pytest.approx(0.95, abs=0.015)


def test_rewards_are_compared_the_other_way_round():
    made = comparison({"low": [50, 51, 52], "high": [80, 82, 81]}, measure=REWARD)
    (policy, found), *_ = differences_to_best(made).items()
    assert policy == "low"
    assert found.mean == pytest.approx(-0.6)  # 1.02 - 1.62 of what a random choice earns
    assert found.significant
    assert differences_to_best(comparison({"a": [None]})) == {}


@pytest.mark.parametrize("mean", [0.0, 0.5, -2.0])
def test_p_values_are_those_of_the_t_test_and_agree_with_the_interval(mean):
    rng = np.random.default_rng(3)
    for size in (2, 3, 5, 10):
        values = rng.normal(size=size)
        p_value = mean_p_value(values, mean)
        assert p_value == pytest.approx(stats.ttest_1samp(values, mean).pvalue)
        low, high = mean_interval(values)
        assert (p_value < 0.05) == (not low <= mean <= high)


def test_p_values_of_equal_values():
    assert mean_p_value([2.0, 2.0, 2.0], 2.0) == 1
    assert mean_p_value([2.0, 2.0, 2.0]) == 0
    with pytest.raises(ValueError, match="values: expected at least two, got 1"):
        mean_p_value([1.0])
