import numpy as np
import pytest

from jostle.lab.analysis.curves import curves, frame, limits
from jostle.lab.spec.plan import REWARD
from lab.examples import comparison


def framed(made):
    return frame(made, curves(made))


def test_curves_are_means_with_standard_errors():
    (curve,) = curves(comparison({"a": [10, 14]}, rounds=2))
    np.testing.assert_allclose(curve.mean, [6, 12])
    np.testing.assert_allclose(curve.error, [1, 2])
    assert curve.runs == 2


def test_up_to_a_third_of_the_curves_leave_the_frame_if_they_are_far_off():
    found = framed(comparison({"a": [10], "b": [12], "uniform": [1000]}))
    assert found.high == pytest.approx(1.15 * 12)
    assert [reach.leaves for reach in found.reaches] == [False, False, True]
    worse = {"ucb1": [900], "uniform": [1000]}
    third = framed(comparison({"a": [10], "b": [12], "c": [13], "d": [14], **worse}))
    assert third.high == pytest.approx(1.15 * 14)
    half = framed(comparison({"a": [10], "b": [12], **worse}))  # half of all are not left out
    assert half.high == pytest.approx(1.04 * 1000)
    two = framed(comparison({"a": [10], "uniform": [1000]}))  # then the distance is the news
    assert two.high > 1000


def test_limits_hold_the_curves_that_are_shown():
    best, _, far = framed(comparison({"a": [10], "b": [12], "uniform": [1000]})).reaches
    assert limits([best]) == (0, pytest.approx(1.15 * 10))
    assert limits([best, far]) == limits([best])
    assert limits([far])[1] > 1000  # nothing else is shown, so it need not leave


def test_curves_at_zero_have_a_frame_too():
    assert framed(comparison({"a": [0], "b": [0]}))[1:3] == (0, pytest.approx(1.04))
    assert framed(comparison({"a": [0], "b": [0.5], "c": [0.6]})).high == pytest.approx(1.04 * 0.6)


def test_the_frame_of_rewards_holds_the_random_choice_and_ignores_the_start():
    made = comparison({"good": [100, 90], "bad": [40, 40]}, measure=REWARD)
    wild = made.runs[0].rewards.copy()
    wild[:3] = 1e6
    made.runs[0] = made.runs[0]._replace(rewards=wild)
    found = framed(made)
    assert found.begin == 0  # of 100 rounds, the first hundredth is the first
    assert 0.7 < found.low < 0.8
    assert 2.0 < found.high < 2.2  # 1.9 and its error
    alone = framed(comparison({"a": [100]}, measure=REWARD))
    assert alone.low < 1 < 2 < alone.high
