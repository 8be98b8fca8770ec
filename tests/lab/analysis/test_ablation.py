import pytest

from jostle.lab.analysis.ablation import BETTER, LEVEL, WORSE, effects
from jostle.lab.spec.plan import REWARD
from lab.examples import comparison


def test_effects_are_percents_of_the_first_policy():
    made = comparison(
        {
            "npr": [10, 11, 12],
            "npr:steps=1": [5, 5, 6],
            "npr:steps=2": [20, 22, 24],
            "npr:noise=0": [9, 12, 12],
            "ucb1": [8],
        }
    )
    found = effects(made)
    assert [effect.policy for effect in found] == ["npr:steps=1", "npr:steps=2", "npr:noise=0"]
    assert [effect.verdict for effect in found] == [BETTER, WORSE, LEVEL]
    assert found[1].percent.mean == pytest.approx(100)
    assert effects(comparison({"npr": [None], "ucb1": [8]})) == []
    assert effects(comparison({"npr": [0, 0, 0], "ucb1": [8, 9, 9]})) == []


def test_more_reward_is_better():
    made = comparison({"npr": [50, 51, 52], "npr:steps=1": [80, 82, 81]}, measure=REWARD)
    assert [effect.verdict for effect in effects(made)] == [BETTER]
