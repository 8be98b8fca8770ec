"""The simulator: seeds, streams, pieces, errors."""

import jax
import numpy as np
import pytest

from jostle import NPR, Training, Uniform, simulate
from jostle.environments import Synthetic

from support import EASY, FEATURES, First, no_compilation


@pytest.mark.study
def test_every_policy_meets_the_same_arms_and_noise():
    """The reward of one arm of one round is the same, whoever pulls it."""
    one = Synthetic("h1", features=FEATURES, pool=20, shown=1)
    rewards = [simulate(p, one, rounds=50, seed=4).rewards for p in (First(5), Uniform(5), NPR(5))]
    np.testing.assert_array_equal(rewards[0], rewards[1])
    np.testing.assert_array_equal(rewards[0], rewards[2])

    many = Synthetic("h1", features=FEATURES, pool=20, shown=6)
    first, other = (simulate(p, many, rounds=200, seed=4) for p in (First(5), Uniform(5)))
    same = other.actions == 0
    assert same.sum() > 10
    np.testing.assert_array_equal(first.rewards[same], other.rewards[same])


def test_seeds_are_independent():
    rewards = [simulate(First(5), EASY, rounds=400, seed=s).rewards for s in range(6)]
    correlations = np.corrcoef(rewards)[np.triu_indices(6, 1)]
    assert np.abs(correlations).max() < 0.25  # five standard errors of 400 rounds


def test_regret_is_cumulative_and_uniform_is_its_own_mean():
    result = simulate(Uniform(5), EASY, rounds=300, seed=0)
    assert np.all(np.diff(result.regret) >= 0)
    assert result.regret.shape == result.actions.shape == result.rewards.shape == (300,)
    assert result.scores is None
    np.testing.assert_allclose(np.bincount(result.actions) / 300, 0.25, atol=0.12)


def test_scores_when_asked():
    result = simulate(First(5), EASY, rounds=10, seed=0, scores=True)
    assert result.scores.shape == (10, 4)
    assert np.ptp(result.scores) > 0


@pytest.mark.study
def test_progress_is_reported_and_changes_nothing():
    seen = []
    policy = NPR(5, training=Training(steps=2))
    watched = simulate(policy, EASY, rounds=250, seed=1, report=seen.append)
    assert seen == sorted(seen)
    assert seen[-1] == 250
    assert len(seen) == 100
    np.testing.assert_array_equal(
        watched.rewards, simulate(policy, EASY, rounds=250, seed=1).rewards
    )


def test_another_seed_compiles_nothing():
    simulate(First(5), EASY, rounds=30, seed=0)
    with no_compilation():
        simulate(First(5), EASY, rounds=30, seed=1)


def test_no_python_in_the_loop():
    """Choosing is traced a fixed number of times, not once a round."""
    calls = []

    class Counting(First):
        def choose(self, state, key, round):
            calls.append(1)
            return super().choose(state, key, round)

    simulate(Counting(5), EASY, rounds=500, seed=0)
    assert len(calls) < 5


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"policy": Uniform(6)}, "features of the policy is 6.*have 5 features"),
        ({"policy": NPR(5, pool=99)}, "pool of the policy is 99, but 12 in this environment"),
        ({"rounds": None}, "rounds is missing"),
        ({"rounds": 0}, "rounds must be at least 1"),
        ({"seed": -1}, "seed must be at least 0"),
    ],
)
def test_bad_arguments_are_named(arguments, message):
    call = {"policy": Uniform(5), "environment": EASY, "rounds": 5, "seed": 0, **arguments}
    with pytest.raises(ValueError, match=message):
        simulate(**call)


def test_state_at_the_end_is_given():
    result = simulate(NPR(5), EASY, rounds=30, seed=0)
    assert int(result.state.history.seen) == 30
    assert all(np.all(np.isfinite(leaf)) for leaf in jax.tree.leaves(result.state.fit.params))
    assert "rounds=30" in repr(result)
