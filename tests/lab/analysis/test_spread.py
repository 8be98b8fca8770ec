"""The test of equal variances of paired values, against its definition and by simulation."""

import numpy as np
import pytest
from scipy import stats

from jostle.lab.analysis.spread import spread_p_value, spread_ratio

RNG = np.random.default_rng(1)
FIRST, SECOND = RNG.normal(size=6), 0.4 * RNG.normal(size=6)


def test_it_is_the_correlation_of_sums_and_differences():
    for factor in (0.5, 1.0, 1.5):
        scaled = factor * SECOND
        wanted = stats.pearsonr(FIRST + scaled, FIRST - scaled).pvalue
        assert spread_p_value(FIRST, SECOND, factor) == pytest.approx(wanted)


@pytest.mark.parametrize("size", [3, 5, 10])
def test_the_interval_holds_the_factors_that_are_not_rejected(size):
    rng = np.random.default_rng(size)
    first, second = rng.normal(size=size), rng.normal(size=size)
    found = spread_ratio(first, second)
    assert found.ratio == pytest.approx(np.std(first) / np.std(second))
    for end in (found.low, found.high):
        assert spread_p_value(first, second, end) == pytest.approx(0.05)


def test_values_that_do_not_vary():
    assert spread_ratio([1, 2, 3], [2, 2, 2]) == (np.inf, np.inf, np.inf)
    assert spread_ratio([2, 2, 2], [1, 2, 3]) == (0, 0, 0)
    assert spread_ratio([2, 2, 2], [1, 1, 1]) == (1, 1, 1)
    assert spread_p_value([1, 2, 3], [2, 2, 2]) == 0
    assert spread_p_value([1, 2, 3], [4, 5, 6]) == 1
    assert spread_p_value([1, 2, 3], [3, 2, 1]) == 1


def test_equal_variances_are_rejected_once_in_twenty_times():
    """Also where the pairs are correlated, which a test for two samples would not account for."""
    rng, families = np.random.default_rng(2), 2000
    shared = rng.normal(size=(families, 5))
    pairs = shared + 0.5 * rng.normal(size=(2, families, 5))
    rejected = [spread_p_value(*pair) < 0.05 for pair in zip(*pairs, strict=True)]
    assert abs(np.mean(rejected) - 0.05) < 5 * np.sqrt(0.05 * 0.95 / families)
