import itertools

import numpy as np
import pytest

from jostle.lab.analysis.intervals import gap, gaps, interval
from jostle.lab.spec.plan import REWARD
from lab.examples import comparison


def test_only_seeds_that_both_have_played_are_paired():
    made = comparison({"best": [10, 20, None, 30], "other": [11, 23, 99, 35]})
    found = gap(made, "other", "best")
    assert (found.mean, found.seeds) == (pytest.approx(3), 3)  # of 1, 3, 5
    assert gap(made, "best", "other").mean == pytest.approx(-3)
    assert gap(comparison({"a": [1, 2, None], "b": [3, None, 4]}), "a", "b") is None


def test_pairing_takes_out_what_seeds_have_in_common():
    hard = np.array([0, 1000, 5000, 200.0])
    steady, shaky = np.array([2, 3, 2, 3]), np.array([22, -10, 16, -14])  # of mean 2.5 and 3.5
    found = gaps(comparison({"a": hard + 10, "b": hard + 10 + steady, "c": hard + 10 + shaky}))
    assert list(found) == ["b", "c"]
    assert found["b"].clear
    assert not found["c"].clear


def test_the_interval_is_a_stretched_bootstrap():
    """Against all 4^4 resamples at once, and Student's and the normal's quantiles for 4 values."""
    values = np.array([1.0, 2.0, 4.0, 9.0])
    means = np.array([np.mean(each) for each in itertools.product(values, repeat=4)])
    stretch = 3.182446 / 1.959964 * (4 / 3) ** 0.5
    low, high = 4 + stretch * (np.quantile(means, [0.025, 0.975]) - 4)
    assert interval(values) == (pytest.approx(low, abs=0.4), pytest.approx(high, abs=0.6))
    assert interval(values) == interval(values)


@pytest.mark.parametrize("count", [3, 5, 10, 20])
def test_intervals_hold_the_truth_about_as_often_as_they_say(count):
    samples = np.random.default_rng(count).normal(7, 3, (400, count))
    held = np.mean([low < 7 < high for low, high in map(interval, samples)])
    assert 0.9 < held < 0.99


def test_rewards_are_compared_the_other_way_round():
    made = comparison({"low": [50, 51, 52], "high": [80, 82, 81]}, measure=REWARD)
    (policy, found), *_ = gaps(made).items()
    assert policy == "low"
    assert found.mean == pytest.approx(-0.6)  # 1.02 - 1.62 of what chance brings
    assert found.clear
    assert gaps(comparison({"a": [None]})) == {}
