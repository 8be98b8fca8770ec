import pytest

from jostle.lab.analysis.speed import ratios, round_times, scalings
from lab.examples import comparison, growth, growth_with_rounds


def test_the_fastest_is_first():
    made = comparison({"a": [1], "b": [1], "c": [1]}, times={"a": (0.5, 1.5), "b": (0.1, 0.4)})
    assert [(each.policy, each.total) for each in round_times(made)] == [
        ("b", pytest.approx(0.5)),
        ("a", pytest.approx(2.0)),
    ]


def test_there_is_a_curve_for_each_policy_over_the_sizes():
    (scaling,) = scalings(growth())
    npr, linear = scaling.curves
    assert (npr.policy, linear.policy) == scaling.policies == ("npr:width={size}", "lin-ucb")
    assert npr.sizes == linear.sizes == [16, 64, 256]
    assert npr.learning == pytest.approx([0.256, 4.096, 65.536])
    assert npr.growth == pytest.approx((0.256 + 65.536) / (0.016 + 0.256))
    assert [(each.size, each.slowest) for each in ratios(scaling)] == [
        (size, "lin-ucb") for size in npr.sizes
    ]
    assert ratios(scaling)[0].ratio == pytest.approx((0.016 + 0.512) / (0.016 + 0.256))
    (untimed,) = scalings(growth(timed=False))
    assert untimed.curves == []
    (by_rounds,) = scalings(growth_with_rounds())
    assert [curve.sizes for curve in by_rounds.curves] == [[100, 1000]] * 2
    assert by_rounds.curves[1].choosing == [100, 1000]
