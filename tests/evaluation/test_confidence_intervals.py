"""Intervals against their definitions, exact expectations, and simulated adaptive logs."""

import itertools
import math

import numpy as np
import pytest

from jostle.evaluation import Log, compare, evaluate, sequences
from jostle.evaluation.estimators import Columns
from jostle.evaluation.intervals import bootstrap, normal
from jostle.evaluation.sequences import BETS, PRIOR, Increments, Weighted

LOGGED, TARGET = np.array([0.6, 0.3, 0.1]), np.array([0.2, 0.3, 0.5])
MEANS = np.array([0.3, 0.5, 0.2])


def drawn(rows, seed=0, adaptive=False):
    """Weights and rewards; adaptive logs shift probability to arms that paid, with a floor."""
    generator = np.random.default_rng(seed)
    wins = np.ones(3)
    actions, rewards, matrix = [], [], []
    for _ in range(rows):
        p = 0.9 * np.eye(3)[np.argmax(wins)] + 0.1 / 3 if adaptive else LOGGED
        a = generator.choice(3, p=p)
        r = float(generator.random() < MEANS[a])
        wins[a] = 0.95 * wins[a] + 0.2 * r
        actions.append(a)
        rewards.append(r)
        matrix.append(p)
    return Log.from_arrays(actions, rewards, np.array(matrix), adaptive=adaptive)


def test_normal_intervals_of_a_mean():
    rows = np.random.default_rng(0).normal(size=50)
    low, high = normal(rows, 0.95)
    half = 1.959964 * rows.std(ddof=1) / math.sqrt(50)
    assert (low, high) == pytest.approx((rows.mean() - half, rows.mean() + half))


def test_the_error_of_a_ratio_is_that_of_the_jackknife():
    generator = np.random.default_rng(0)
    w, r = generator.exponential(size=400), generator.random(400)
    columns = Columns(None, w * r, w)
    delta = columns.influences().std(ddof=1) / 20
    left_out = np.array([((w * r).sum() - w[i] * r[i]) / (w.sum() - w[i]) for i in range(400)])
    jackknife = math.sqrt(399 / 400 * np.sum((left_out - left_out.mean()) ** 2))
    assert delta == pytest.approx(jackknife, rel=0.02)
    assert columns.influences().mean() == pytest.approx(columns.value)


def test_the_bootstrap_is_close_to_normal_where_both_hold():
    generator = np.random.default_rng(1)
    rows = generator.random(2000)
    for columns in (Columns(None, rows), Columns(None, rows, np.ones(2000)), Columns(rows, None)):
        low, high = bootstrap(columns, None, 0.95, resamples=2000)
        assert (low, high) == pytest.approx(normal(rows, 0.95), abs=2e-3)
    long = generator.random(25_000)  # more rows than groups
    assert bootstrap(Columns(None, long), None, 0.95) == pytest.approx(normal(long, 0.95), abs=1e-3)


def outcomes(logged, target, means, chance=1.0):
    """(weight, largest weight, reward, probability) of all that can happen in a row."""
    weights = target / logged
    return [
        (weights[a], weights.max(), r, chance * logged[a] * (means[a] if r else 1 - means[a]))
        for a in range(len(logged))
        for r in (0.0, 1.0)
    ]


def expected_wealth(rows, value, known=None):
    """Of three rows, each one of ``rows``; ``known`` is a bound on weights known beforehand."""
    total = 0.0
    for three in itertools.product(rows, repeat=3):
        w, bounds, r, chance = map(np.array, zip(*three, strict=True))
        kinds = sequences.increments(Weighted(w, bounds if known is None else known), r)
        assert len(kinds) == 2
        total += chance.prod() * math.exp(sequences.log_wealth(kinds, value)[-1])
    return total


def test_wealth_against_the_truth_is_a_martingale():
    """Its expectation, over all outcomes of three rows, is exactly one."""
    rows, value = outcomes(LOGGED, TARGET, MEANS), float(TARGET @ MEANS)
    assert expected_wealth(rows, value, known=5.0) == pytest.approx(1, rel=1e-12)
    # Nothing is won in a row whose bound was not known before it.
    assert 0.9 < expected_wealth(rows, value) < 1


def test_nothing_is_won_by_contexts_that_allow_larger_weights():
    """A bet must not shrink just where the context makes large weights, and no reward, likely."""
    even, ones = np.full(2, 0.5), np.ones(2)
    rows = outcomes(even, even, ones, chance=0.6)
    rows += outcomes(np.array([0.9, 0.1]), np.array([0.0, 1.0]), np.array([1.0, 0.0]), chance=0.4)
    assert sum(chance for *_, chance in rows) == pytest.approx(1)
    assert expected_wealth(rows, 0.6) <= 1 + 1e-12
    # Nor by contexts in which the target has an arm that the log does not support.
    unsupported = (0.0, np.inf, 0.0, 0.4)
    assert expected_wealth([*rows[:4], unsupported], 0.6) <= 1 + 1e-12


def test_difference_increments_have_the_right_mean_and_limits():
    other = np.array([0.5, 0.4, 0.1])
    bound, other_bound = (TARGET / LOGGED).max(), (other / LOGGED).max()
    difference = (1 + (TARGET - other) @ MEANS) / 2
    w, v = TARGET / LOGGED, other / LOGGED
    for r in (0.0, 1.0):
        kinds = sequences.difference_increments(
            Weighted(w, bound), Weighted(v, other_bound), np.full(3, r)
        )
        assert len(kinds) == 3
        assert all(np.all(kind.x - 1 >= -kind.scale - 1e-12) for kind in kinds)
    means = np.zeros(3)
    for r, chance in ((0.0, 1 - MEANS), (1.0, MEANS)):
        kinds = sequences.difference_increments(
            Weighted(w, bound), Weighted(v, other_bound), np.full(3, r)
        )
        means += [float(np.sum(LOGGED * chance * kind.x)) for kind in kinds]
    np.testing.assert_allclose(means, difference)


def test_the_bound_by_betting_is_that_of_a_grid_search():
    log = drawn(300)
    w = (TARGET / LOGGED)[log.actions]
    kinds = sequences.increments(Weighted(w, 5.0), log.rewards)
    bound = sequences.betting_bound(kinds, 0.025)
    grid = np.linspace(0.15, 0.35, 101)
    beaten = [sequences.log_wealth(kinds, m)[-1] >= math.log(40) for m in grid]
    searched = grid[np.flatnonzero(beaten)].max()
    assert searched - 0.003 < bound <= searched + 0.002  # leaving bets out only widens it


def test_the_running_bound_solves_its_equation():
    x = np.random.default_rng(0).exponential(0.4, size=200)
    bound = sequences.running_bound([Increments(x, np.ones(1))], 0.05, np.array([200]))[0]
    forecast = np.clip((0.5 + np.r_[0, np.cumsum(x)[:-1]]) / np.arange(1, 201), 0, 1)
    squares = np.sum((x - forecast) ** 2)
    wealth = sum(
        prior * math.exp(bet * (x.sum() - 200 * bound) - (-math.log1p(-bet) - bet) * squares)
        for bet, prior in zip(BETS, PRIOR, strict=True)
    )
    assert wealth == pytest.approx(20, rel=1e-4)


def test_empirical_bernstein_is_its_formula():
    generator = np.random.default_rng(0)
    x = generator.exponential(0.3, size=100)
    alpha, sums, squares, gain, spent = 0.025, 0.5, 0.25, 0.0, 0.0
    for t, value in enumerate(x, start=1):
        centre = min(max(sums / t, 0), 1)
        bet = min(math.sqrt(2 * math.log(1 / alpha) / (squares / t * len(x))), 0.75)
        gain += bet * value - (-math.log1p(-bet) - bet) * (value - centre) ** 2
        spent += bet
        sums, squares = sums + value, squares + (value - centre) ** 2
    expected = (gain - math.log(1 / alpha)) / spent
    found = sequences.bernstein_bound([Increments(x, np.ones(1))], alpha)
    assert found == pytest.approx(max(expected, 0), rel=1e-9)


@pytest.mark.study
def test_sequences_hold_at_all_times_on_adaptive_logs():
    value, failures = float(TARGET @ MEANS), {"value": 0, "difference": 0}
    other = np.array([0.5, 0.4, 0.1])
    gap = (1 + (TARGET - other) @ MEANS) / 2
    for seed in range(100):
        log = drawn(300, seed, adaptive=True)
        rows = np.arange(300)
        bounds = (TARGET / log.all_probabilities).max(axis=1)
        weighted = Weighted((TARGET / log.all_probabilities)[rows, log.actions], bounds)
        limit = (other / log.all_probabilities).max(axis=1)
        second = Weighted((other / log.all_probabilities)[rows, log.actions], limit)
        wealth = sequences.log_wealth(sequences.increments(weighted, log.rewards), value)
        failures["value"] += wealth.max() >= math.log(20)
        kinds = sequences.difference_increments(weighted, second, log.rewards)
        failures["difference"] += sequences.log_wealth(kinds, gap).max() >= math.log(20)
    assert max(failures.values()) <= 100 * 0.05 + 5 * math.sqrt(100 * 0.05 * 0.95)


def test_intervals_are_in_the_unit_of_the_rewards():
    log = drawn(400)
    scaled = Log.from_arrays(log.actions, 10 + 5 * log.rewards, log.all_probabilities)
    target = np.tile(TARGET, (400, 1))
    for interval in ("bernstein", "sequence", "running"):
        plain = evaluate(log, target, "ips", interval)["ips"]
        moved = evaluate(scaled, target, "ips", interval, reward_range=(10, 15))["ips"]
        assert moved.low == pytest.approx(10 + 5 * plain.low)
        assert moved.high == pytest.approx(10 + 5 * plain.high)
        assert plain.low < float(TARGET @ MEANS) < plain.high


def test_a_difference_is_narrower_than_two_intervals_and_has_its_sign():
    log = drawn(2000, seed=1)
    better = np.tile([0.1, 0.85, 0.05], (2000, 1))
    for interval in ("normal", "bootstrap", "bernstein", "sequence"):
        found = compare(
            log, {"better": better}, "logged", ("ips", "snips"), interval, reward_range=(0, 1)
        )
        alone, base = (found.results[name].estimates["snips"] for name in ("better", "logged"))
        difference = found.results["better"].differences["snips"]
        assert difference.value == pytest.approx(alone.value - base.value)
        assert difference.low < 0.465 - MEANS @ LOGGED < difference.high
        width = difference.high - difference.low
        assert width < (alone.high - alone.low) + (base.high - base.low)
    same = compare(log, {"again": "logged"}, "logged", "ips").results["again"].differences["ips"]
    assert (same.value, same.low, same.high) == (0, 0, 0)
    assert not same.decided


def test_unsupported_arms_leave_intervals_valid_but_wide():
    """Weights then miss part of the target; only the kind of bets that errs safely is used."""
    n = 2000
    generator = np.random.default_rng(0)
    actions = generator.integers(2, size=n)
    rewards = (generator.random(n) < 0.9).astype(float)
    log = Log.from_arrays(actions, rewards, np.tile([0.5, 0.5, 0.0], (n, 1)))
    found = evaluate(log, np.tile([0.25, 0.25, 0.5], (n, 1)), "ips", "sequence")["ips"]
    # The unsupported half may bring anything between 0 and 1.
    assert found.low < 0.45
    assert found.high > 0.95
