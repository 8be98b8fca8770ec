"""Statistics of the service, against the same from single decisions."""

from collections import Counter

import msgspec
import numpy as np
import pytest
from service_support import SMALL

from jostle.service.buckets import Level
from jostle.service.dashboard.estimates import estimate, merged
from jostle.service.log.records import Closed, Rewarded
from jostle.service.messages import DELAY_EDGES, LATENCY_EDGES
from jostle.service.statistics import AppStatistics, Stored


def closed(reward, probability=0.5, **fields):
    return Closed(1, "waited", reward, action="x", probability=probability, **fields)


def test_what_others_would_have_earned_is_that_of_an_evaluation():
    rng = np.random.default_rng(0)
    found, k, n = AppStatistics(), 4, 4000
    chances = rng.dirichlet(np.ones(k), size=n) * 0.8 + 0.2 / k
    chosen = np.array([rng.choice(k, p=p) for p in chances])
    rule = rng.integers(k, size=n)
    rewards = (rng.random(n) < np.take([0.1, 0.2, 0.3, 0.6], chosen)).astype(float)
    p = chances[np.arange(n), chosen]
    for i in range(n):
        found.add(
            10.0 * i,
            closed(float(rewards[i]), float(p[i]), choices=k, baseline=bool(rule[i] == chosen[i])),
        )
    buckets = found.buckets(0.0, 10.0 * n, 60)
    assert sum(bucket.uniform.count for bucket in buckets) == n
    for name, weights in (("uniform", 1 / (k * p)), ("baseline", (rule == chosen) / p)):
        moments = merged(getattr(bucket, name) for bucket in buckets)
        value = estimate(moments)
        assert value.value == pytest.approx((weights * rewards).sum() / weights.sum())
        assert value.low < 0.3 < value.high  # what both earn: they choose evenly
    assert found.totals.uniform.weight == pytest.approx((1 / (k * p)).sum())


def test_an_apprentice_is_weighed_against_its_baseline():
    found = AppStatistics()
    found.add(0.0, closed(1.0, 0.8, agreement=0.2, choices=2, baseline=True))
    found.add(0.0, closed(3.0, None, agreement=0.5, choices=2, baseline=True))
    (bucket,) = found.buckets(0.0, 10.0, 1)
    assert (bucket.baseline.count, bucket.baseline.reward) == (2, 4.0)
    assert bucket.policy.reward == pytest.approx(0.25 * 1.0 + 0.5 * 3.0)
    assert (bucket.uniform.count, bucket.uniform.weight) == (1, pytest.approx(1 / 1.6))


def test_decisions_without_a_probability_tell_nothing_about_others():
    found = AppStatistics()
    found.add(0.0, closed(1.0, None, choices=2, baseline=True))
    found.add(0.0, closed(1.0, 0.5))  # written before the number of actions was
    (bucket,) = found.buckets(0.0, 10.0, 1)
    assert (bucket.closed, bucket.uniform.count, bucket.baseline.count) == (2, 0, 0)


def test_latencies_and_delays_are_counted_between_edges():
    found = AppStatistics()
    for seconds in (0.0005, 0.0006, 99.0):
        found.add_latency(5.0, seconds)
    for at, delay in ((5.0, 0.5), (15.0, 2.0), (15.0, 1e9)):
        found.add(at, Rewarded(1.0, "joined", delay=delay))
    found.add(5.0, Rewarded(1.0, "late"))
    (bucket,) = found.buckets(0.0, 20.0, 1)
    assert bucket.latencies == [1, 1, *[0] * (len(LATENCY_EDGES) - 2), 1]
    assert bucket.delays == [1, 1, *[0] * (len(DELAY_EDGES) - 2), 1]
    assert (bucket.rewards, bucket.late) == (3, 1)


def test_a_service_fills_them_and_a_restart_keeps_them(bench):
    bench.create(SMALL)
    for number in range(40):
        bench.decide(f"e{number}", baseline="x")
    bench.pass_time(2.0)
    for number in range(20):
        bench.reward(f"e{number}")
    bench.pass_time(20.0)
    for _ in range(2):
        found = bench.service.statistics("a", since=bench.clock.now - 60, buckets=6)
        assert (found.mode, found.policy, found.pinned) == ("online", "lin-ts", None)
        whole = merged(bucket.uniform for bucket in found.buckets)
        assert whole.count == 40
        assert whole.weight == pytest.approx(40, rel=0.2)  # all probabilities are about a half
        ruled = merged(bucket.baseline for bucket in found.buckets)
        assert ruled.count == 40
        delays = np.sum([bucket.delays for bucket in found.buckets if bucket.delays], axis=0)
        assert delays.tolist() == [0, 20, *[0] * (len(DELAY_EDGES) - 1)]
        assert [each.feature for each in found.features] == ["context.hour"]
        bench.restart()
    assert sum(sum(bucket.latencies) for bucket in found.buckets) in (0, 40)


def test_buckets_count_the_same_packed_and_unpacked():
    """Those that are packed are counted in again if a moment of theirs comes late."""
    rng, found, expected = np.random.default_rng(3), AppStatistics(), Counter()
    moments = 10.0 * rng.permutation(40) + 3.0
    for moment in np.repeat(moments, 5).tolist():
        found.add(moment, closed(1.0))
        found.add_latency(moment, 0.01)
        expected[moment // 10] += 1
    for statistics in (found, AppStatistics.from_data(stored(found))):
        buckets = statistics.buckets(0.0, 400.0, 40)
        assert [bucket.closed for bucket in buckets] == [expected[place] for place in range(40)]
        assert all(sum(bucket.latencies) == bucket.closed for bucket in buckets)


def test_no_more_buckets_are_kept_than_a_level_has():
    level = Level(10.0, 5)
    for moment in range(0, 200, 10):
        level.at(float(moment)).decisions += 1
    kept = [place for place, _ in level.between(0, 100)]
    assert sorted(kept) == [15, 16, 17, 18, 19]


def stored(statistics):
    """What is written to the log's file, read again."""
    content = msgspec.msgpack.encode(statistics.as_data())
    return msgspec.msgpack.decode(content, type=Stored)
