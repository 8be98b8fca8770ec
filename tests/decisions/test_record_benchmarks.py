"""The benchmarks of records measure what they say; their figures are for people to read."""

import numpy as np
import pytest

from jostle import Decider, Uniform
from jostle.benchmarks import records, warm_starts
from jostle.datasets.table import Table
from jostle.environments import Classification

from field_cases import STREAMS

TABLE = Table.from_arrays(
    np.array([[1.5, "red", True], [np.nan, None, False], [2.5, "blue", True]] * 10, object),
    np.array(["yes", "no", "no"] * 10),
    names=["size", "colour", "new"],
)


def test_rows_of_a_table_are_records():
    assert records.record_of(TABLE, 0) == {"size": 1.5, "colour": "red", "new": True}
    assert records.record_of(TABLE, 1) == {"size": None, "colour": None, "new": False}


def test_records_come_in_the_order_of_the_simulation():
    environment = Classification.from_arrays(np.arange(30.0)[:, None], np.arange(30) % 3)
    table = Table.from_arrays(np.arange(30.0)[:, None], np.arange(30) % 3)
    played = list(records._classifications(environment, table, seed=5))
    rows = [int(context["x0"]) for context, _, _ in played]
    assert sorted(rows) == list(range(30))
    for row, (_, actions, rewards) in zip(rows, played, strict=True):
        assert actions == ["0", "1", "2"]
        assert rewards.tolist() == [float(row % 3 == arm) for arm in range(3)]
    regret = records.play_records(Decider(Uniform(16), seed=1), iter(played))
    assert 10 < regret < 28  # 20 on average, with a standard deviation of 2.6


@pytest.mark.parametrize("kind", [0, 1, 2])
def test_encoding_gives_a_ratio(kind, monkeypatch):
    monkeypatch.setattr(records, "ACTIONS", 40)
    row = records._encoding(kind, 1)
    assert row.ratio > 0
    assert "/s" in row.ours


@pytest.mark.study
def test_deciding_gives_ratios(monkeypatch):
    monkeypatch.setattr(records, "DIMENSIONS", 16)
    decide, close = records.deciding_on_records(quick=True)
    assert decide.ratio > 0
    assert close.ratio > 0


@pytest.mark.study
def test_a_warm_start_saves_regret():
    warm, cold = warm_starts.regrets(STREAMS["arrivals"], logged=300, played=40, seed=0)
    assert 0 <= warm < cold


@pytest.mark.study
def test_the_log_of_a_rule_is_learned_with_and_without_weights():
    runs = [
        warm_starts.regrets(STREAMS["arrivals"], logged=1000, played=300, seed=seed, by_rule=True)
        for seed in range(6)
    ]
    plain, cold, weighted = np.mean(runs, axis=0)
    assert plain != weighted
    assert 0 <= plain < cold / 2
    assert 0 <= weighted < cold / 2


def test_a_rule_prefers_what_it_likes_and_leaves_nothing_out():
    chances = warm_starts.preferences(np.array([0.0, 1.0, 3.0]))
    assert chances.sum() == pytest.approx(1)
    assert 0.1 / 3 < chances[0] < chances[1] < chances[2]
    np.testing.assert_allclose(warm_starts.preferences(np.zeros(4)), 0.25)
