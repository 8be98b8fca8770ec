"""The benchmarks run and measure what they say; their figures are for people to read."""

import pytest

from jostle.benchmarks import baselines, deciding, learning, memory_use, sizes
from jostle.benchmarks.measure import Row, in_turns
from jostle.networks import MLP


def test_a_row_knows_whether_it_is_within_its_bound():
    assert Row("a", "", "", 1.0, 1.1).ok
    assert not Row("a", "", "", 1.2, 1.1).ok
    assert Row("a", "", "", 0.4, 1 / 3, at_least=True).ok
    assert not Row("a", "", "", 0.3, 1 / 3, at_least=True).ok
    assert Row("a", "", "", 0.3, 3).wanted == "at most 3"


def test_both_sides_take_their_turns():
    calls = []
    in_turns(lambda: calls.append("a"), lambda: calls.append("b"), turns=2)
    assert calls == ["a", "b"] * 3


@pytest.mark.parametrize(
    "benchmark",
    [
        lambda: learning.pooled_against_sgemm(turns=1),
        lambda: learning.late_against_early(turns=1),
        lambda: deciding.choose_against_numpy(turns=1),
        lambda: baselines.linucb_against_numpy(turns=1),
        memory_use.bounded_stays_bounded,
    ],
)
def test_each_gives_a_ratio(benchmark):
    assert benchmark().ratio > 0


def test_the_two_forms_of_the_covariance(monkeypatch):
    monkeypatch.setattr(baselines, "PARAMETERS", 400)
    assert baselines.dual_against_primal(256, turns=1).ratio > 0


def test_sizes_are_measured_for_choosing_and_learning():
    policies = {**sizes.NEURAL, **sizes.LINEAR}
    for name in ("NPR", "NeuralUCB full", "HLinUCB", "UCB1"):
        choosing, learning_time = sizes._cost(policies[name](MLP(8)), arms=20, turns=1)
        assert choosing > 0
        assert learning_time >= 0
