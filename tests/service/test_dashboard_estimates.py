"""Numbers of the dashboard, against the same from single decisions."""

import numpy as np
import pytest

from jostle.service.dashboard.estimates import estimate, groups, merged, quantile, spread_of
from jostle.service.dashboard.scales import nice_step, time_ticks, value_axis
from jostle.service.dashboard.text import duration, interval, milliseconds, number, percent, tick
from jostle.service.messages import Moments


def summed(weights, rewards):
    moments = Moments()
    for weight, reward in zip(weights, rewards, strict=True):
        moments.add(weight, reward)
    return moments


def test_an_estimate_is_that_of_single_decisions():
    rng = np.random.default_rng(0)
    w, r = rng.exponential(size=200), rng.normal(2, 1, size=200)
    found = estimate(merged([summed(w[:50], r[:50]), summed(w[50:], r[50:])]))
    value = np.average(r, weights=w)
    error = np.sqrt((w**2 * (r - value) ** 2).sum()) / w.sum()
    assert found.value == pytest.approx(value)
    assert found.high - found.value == pytest.approx(1.96 * error)
    assert found.value - found.low == pytest.approx(1.96 * error)


def test_intervals_hold_about_as_often_as_they_say():
    rng = np.random.default_rng(1)
    held = 0
    for _ in range(1000):
        w = rng.exponential(size=400)
        r = (rng.random(400) < 0.3).astype(float)
        sums = (w.sum(), (w**2).sum(), (w * r).sum(), (w**2 * r).sum(), (w**2 * r**2).sum())
        found = estimate(Moments(400, *sums))
        held += found.low <= 0.3 <= found.high
    assert held / 1000 == pytest.approx(0.95, abs=5 * np.sqrt(0.95 * 0.05 / 1000))


def test_too_few_decisions_are_no_estimate():
    assert estimate(Moments()) is None
    assert estimate(summed([1.0] * 19, [1.0] * 19)) is None
    assert estimate(summed([1.0] * 20, [1.0] * 20)).value == 1.0
    # One weight that outweighs all the others is one observation.
    assert estimate(summed([1000.0] + [1.0] * 50, [1.0] * 51)) is None


def test_equal_rewards_in_a_bucket_are_not_certainty():
    rare = summed([1.0] * 2000, [0.0] * 1900 + [1.0] * 100)
    quiet = summed([1.0] * 30, [0.0] * 30)
    assert estimate(quiet).high == 0
    found = estimate(quiet, spread_of(rare))
    assert 0.01 < found.high < 0.1
    # So are those that a policy would rarely have made, however many others there are.
    unlikely = summed([10.0] * 30 + [0.0] * 3000, [0.0] * 3030)
    assert estimate(unlikely, spread_of(rare)).high == pytest.approx(found.high)
    # Where there are many decisions, their own spread decides.
    assert estimate(rare, 1.0).high == pytest.approx(estimate(rare).high, abs=0.001)


def test_a_quantile_is_within_its_edges():
    rng = np.random.default_rng(2)
    edges = np.linspace(0.5, 10, 20)
    values = rng.gamma(2, 1, size=5000)
    counts = np.bincount(np.searchsorted(edges, values), minlength=21)
    for share in (0.01, 0.5, 0.9, 0.99):
        assert quantile(counts, edges, share) == pytest.approx(np.quantile(values, share), abs=0.5)
    assert quantile([0] * 21, edges, 0.5) is None
    assert quantile([0] * 20 + [7], edges, 0.5) == 10  # beyond the last edge


@pytest.mark.parametrize("length", [1, 19, 20, 21, 60, 61])
def test_groups_cover_everything_once_and_the_newest_is_complete(length):
    found = groups(length, 20)
    assert [at for each in found for at in range(length)[each]] == list(range(length))
    assert len(found) <= 20
    sizes = [each.stop - each.start for each in found]
    assert set(sizes[1:]) <= {max(sizes)}


@pytest.mark.parametrize(
    "values", [[], [0.0], [3.0], [-2.0, 5.0], [0.1, 0.12], [1e-7], [0.0, 31.0], [1e9, 2e9]]
)
def test_an_axis_holds_its_values_between_few_round_ticks(values):
    axis, ticks = value_axis(values)
    assert all(axis.low <= value <= axis.high for value in values)
    assert (ticks[0], ticks[-1]) == axis
    assert 2 <= len(ticks) <= 7
    assert np.allclose(np.diff(ticks), ticks[1] - ticks[0])


def test_ticks_are_told_apart():
    for length in np.geomspace(1e-5, 1e7, 200):
        step = nice_step(length, 4)
        texts = [tick(step * place, step) for place in range(5)]
        assert len(set(texts)) == 5
        assert [float(text.replace(",", "")) for text in texts] == pytest.approx(
            [step * place for place in range(5)]
        )


@pytest.mark.parametrize("hours", [0.01, 0.5, 1, 24, 7 * 24, 30 * 24])
def test_times_are_round_and_few(hours):
    start = 1_790_001_234.5
    found = time_ticks(start, start + 3600 * hours)
    assert 2 <= len(found) <= 6
    assert all(start <= time <= start + 3600 * hours for time, _ in found)
    assert len({label for _, label in found}) == len(found)


def test_texts():
    assert [number(x) for x in (0, 0.28412, 12.345, 123456.7, None, float("nan"))] == [
        *("0", "0.284", "12.3", "123,457"),
        *("\N{EN DASH}", "\N{EN DASH}"),
    ]
    assert [percent(x).replace("\N{NO-BREAK SPACE}", " ") for x in (0, 0.0004, 0.012, 0.5, 1)] == [
        *("0 %", "0.04 %", "1.2 %", "50 %", "100 %"),
    ]
    assert [milliseconds(x) for x in (0.512, 12.0, 1500.0)] == ["0.512 ms", "12.0 ms", "1.50 s"]
    assert [duration(x) for x in (1, 60, 300, 3600, 10800, 86400, 172800)] == [
        *("1 s", "1 min", "5 min", "1 h", "3 h", "1 day", "2 days"),
    ]
    assert (
        interval(estimate(summed([1.0] * 100, [0.0] * 50 + [1.0] * 50))) == "0.500 (0.402 to 0.598)"
    )
