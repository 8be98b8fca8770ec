import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from jostle.lab.results.model import Timed, Times, thinned
from jostle.lab.spec.plan import Plan
from lab.examples import comparison, gather


@given(st.integers(1, 100_000), st.integers(2, 500))
def test_a_thinned_axis_holds_the_first_and_the_last_round(rounds, most):
    axis = thinned(rounds, most)
    assert (axis[0], axis[-1]) == (1, rounds)
    assert len(axis) == min(rounds, most)
    assert np.all(np.diff(axis) > 0)


def test_trials_go_seed_by_seed():
    plan = Plan("h1", ("a", "b"), 10, (0, 1))
    assert [(t.policy, t.seed) for t in plan.trials()] == [("a", 0), ("b", 0), ("a", 1), ("b", 1)]


def test_policies_are_ranked_and_missing_trials_known():
    made = comparison({"slow": [30, 50], "good": [10, None], "never": [None, None]})
    assert made.policies() == ["good", "slow"]
    missing = [(trial.policy, trial.seed) for trial in made.missing()]
    assert missing == [("never", 0), ("good", 1), ("never", 1)]
    assert [run.regret for run in made.of("slow")] == [30, 50]


def test_gathering_events_gives_the_comparison():
    made = comparison({"a": [1, 2]})
    again = gather(made.plan, [*made.runs, Timed("h1", "a", Times(0.5, 1.0))])
    assert again.runs == made.runs
    assert again.times["a"].learning == pytest.approx(1.0)
