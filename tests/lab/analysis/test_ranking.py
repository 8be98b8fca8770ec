import pytest

from jostle.lab.analysis.ranking import rows
from jostle.lab.spec.plan import REWARD
from lab.examples import comparison


def test_rows_against_numbers_by_hand():
    finals = {"slow:noise=1": [10, 20, 60], "good": [1, 2, 3], "once": [5, None, None]}
    made = comparison(finals, times={"good": (0.0125, 1.5), "slow:noise=1": (0.000001, 0.0)})
    good, once, slow = rows(made)
    # Of 1, 2, 3: mean 2, deviation 1. Of 10, 20, 60: mean 30, squares 400 + 100 + 900 over 2.
    assert good[:4] == ("good", 1, pytest.approx(2), pytest.approx(3**-0.5))
    assert good[4:] == (None, None, None, 0.25, 0.0125, 1.5, 2048, 3)
    assert slow[1:4] == (3, pytest.approx(30), pytest.approx((700 / 3) ** 0.5))
    assert slow.difference == pytest.approx(28)  # of 9, 18, 57
    assert slow.difference_low < 28 < slow.difference_high
    assert once[:5] == ("once", 2, pytest.approx(5), None, None)  # one shared seed tests nothing
    assert once[-1] == 1


def test_the_best_is_first_by_either_measure_and_equals_share_a_rank():
    finals = {"a": [40, 44], "b": [50, 54], "c": [54, 50]}
    assert [row.policy for row in rows(comparison(finals))] == ["a", "b", "c"]
    by_reward = rows(comparison(finals, measure=REWARD))
    assert [(row.policy, row.rank) for row in by_reward] == [("b", 1), ("c", 1), ("a", 3)]
    assert by_reward[2].mean == pytest.approx(0.84)
