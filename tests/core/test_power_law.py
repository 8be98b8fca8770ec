"""Exponents of regret, against curves whose exponent is known."""

import numpy as np
import pytest

from jostle.core.power_law import power_law_exponent, regret_exponents


def test_a_power_law_has_its_exponent():
    x = np.array([1.0, 3, 10, 70])
    assert power_law_exponent(x, 5 * x**-0.7) == pytest.approx(-0.7)


@pytest.mark.parametrize("points", [10_000, 200])  # every round, or as many as results store
@pytest.mark.parametrize("swept", [0, 100])
def test_a_sweep_is_taken_out(points, swept):
    every = np.arange(1, 10_001)
    since = np.maximum(every - swept, 0)
    powers = np.array([0.4, 0.7, 1.0])
    curves = np.stack([40 * np.minimum(every, swept) / 100 + 3 * since**p for p in powers])
    kept = np.unique(np.linspace(1, 10_000, points).round().astype(int))
    found = regret_exponents(kept, curves[:, kept - 1], swept=swept, after=0.5)
    np.testing.assert_allclose(found, powers, atol=0.02)
    if swept:  # left in, it makes curves look flat
        flat = regret_exponents(kept, curves[:, kept - 1], after=0.5)
        assert flat[0] < powers[0] - 0.1


def test_a_run_without_regret_and_a_sweep_of_all_rounds():
    rounds = np.arange(1, 101)
    assert np.isfinite(regret_exponents(rounds, np.zeros((1, 100)), after=0.5)).all()
    with pytest.raises(ValueError, match="swept must be at most 98 here, not 100"):
        regret_exponents(rounds, np.ones((1, 100)), swept=100, after=0.5)
