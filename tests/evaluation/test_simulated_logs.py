"""``simulate(log=)``: logs that say what was shown, chosen, and with which probability."""

import numpy as np
import pytest

from jostle import LinUCB, Uniform, simulate
from jostle.environments import Arrivals, Clicks, Synthetic
from jostle.evaluation import evaluate, read

from support import First

CLICKS = Clicks(arms=4, user_features=2, low=0.2, high=0.6)
FLOOR = 0.3


def test_the_log_is_what_happened():
    policy = LinUCB.for_environment(CLICKS, floor=FLOOR)
    result = simulate(policy, CLICKS, rounds=60, seed=3, log=True)
    log = result.log
    np.testing.assert_array_equal(log.actions, result.actions)
    np.testing.assert_array_equal(log.rewards, result.rewards)
    assert log.adaptive
    assert log.contexts.shape == (60, 3)  # a constant and two features, shared by the arms
    assert log.spec.features == CLICKS.features
    assert log.all_probabilities.min() == pytest.approx(FLOOR / 4)
    np.testing.assert_allclose(log.all_probabilities.sum(axis=1), 1, rtol=1e-6)


def test_contexts_and_ids_of_each_arm():
    bandit = Synthetic("h1", features=3, pool=9, shown=4)
    log = simulate(Uniform(3), bandit, rounds=40, log=True).log
    assert log.contexts.shape == (40, 4, 3)
    assert log.arms.shape == (40, 4)
    assert log.arm_count == 9
    # An arm has the same context whenever it comes back.
    first = {}
    for ids, contexts in zip(log.arms, log.contexts, strict=True):
        for i, x in zip(ids, contexts, strict=True):
            np.testing.assert_array_equal(first.setdefault(int(i), x), x)


def test_arms_that_come_and_go():
    arrivals = Arrivals(arms=6, shown=3, first=2, every=10, user_features=2)
    log = simulate(Uniform.for_environment(arrivals), arrivals, rounds=50, log=True).log
    assert log.arm_count == 6
    assert evaluate(log, "uniform")["ips"].value == pytest.approx(log.rewards.mean(), rel=1e-5)
    assert np.all(log.all_probabilities[~log.present()] == 0)


@pytest.mark.parametrize("suffix", [".parquet", ".jsonl"])
def test_written_while_playing(tmp_path, suffix):
    kept = simulate(Uniform.for_environment(CLICKS), CLICKS, rounds=50, seed=1, log=True).log
    path, seen = tmp_path / f"log{suffix}", []
    result = simulate(
        Uniform.for_environment(CLICKS), CLICKS, rounds=50, seed=1, log=path, report=seen.append
    )
    assert result.log is None
    assert seen[-1] == 50
    found = read(path)
    assert found.adaptive is False
    for name, array in kept.as_columns().items():
        np.testing.assert_allclose(found.as_columns()[name], array, rtol=1e-6)


def test_a_policy_without_a_floor_is_warned_about():
    with pytest.warns(UserWarning, match=r"gives some arms no chance.*floor=0\.05"):
        simulate(LinUCB.for_environment(CLICKS), CLICKS, rounds=20, log=True)


def test_a_policy_that_does_not_state_its_probabilities_cannot_be_logged():
    with pytest.raises(ValueError, match="states its probabilities, and First does not"):
        simulate(First.for_environment(CLICKS), CLICKS, rounds=20, log=True)
