"""Folded NPR decides as NPR does, and many rounds at once as one after another."""

import numpy as np
import pytest

from jostle.agent import Agent
from jostle.factory import make_policy
from jostle.models.features import LONGEST
from jostle.policies import _folded
from jostle.policies.selection import vote_shares
from jostle.types import BanditSpec, plain_round

FEATURES, SMALL = 6, "random_features=5,members=4"


def learned(name, features=FEATURES, rounds=60):
    agent = Agent(make_policy(f"{name},{SMALL}", BanditSpec(features=features, arms=2048)), seed=3)
    rng = np.random.default_rng(0)
    contexts = rng.normal(size=(rounds, features))
    agent.learn(contexts, 3 + contexts[:, 0] + 0.3 * rng.normal(size=rounds))
    return agent


@pytest.mark.parametrize(
    ("name", "features"),
    [
        ("npr:network=none,prior=500", FEATURES),
        ("npr:width=4,depth=3,noise=50", FEATURES),
        ("npr.online:width=4,batch=8,memory=16,every=4,noise=50", FEATURES),
        ("npr:network=none,optimism=1000,prior=50", LONGEST + 3),
    ],
)
def test_folding_changes_scores_in_the_last_digits_only(name, features):
    agent = learned(name, features)
    view = agent.deciding_view()
    policy, state = view.policy, view._state
    explored = 0
    for seed in range(8):
        rows = np.random.default_rng(seed).normal(size=(5, features)).astype(np.float32)
        expected = policy.choose_with_probabilities(
            state, np.random.default_rng(seed), plain_round(rows)
        )
        found = view.decide(rows, np.random.default_rng(seed))
        np.testing.assert_allclose(found.scores, expected.scores, rtol=1e-4, atol=1e-5)
        # One draw in 64 may go to another arm if two are as good as equal.
        np.testing.assert_allclose(found.probabilities, expected.probabilities, atol=1.1 / 64)
        explored += expected.probabilities.max() < 0.9
    assert explored, "all of them were certain, which tests nothing"


@pytest.mark.parametrize("rounds", [0, 1, 60])
@pytest.mark.parametrize("most", [8192, 12])
def test_many_rounds_are_decided_as_one_by_one_bit_for_bit(rounds, most, monkeypatch):
    """Before the first observation, too, when all arms are equal and share the votes."""
    monkeypatch.setattr(_folded, "MOST_ROWS", most)
    view = learned("npr:network=none", rounds=rounds).deciding_view()
    rng = np.random.default_rng(1)
    shown = [rng.normal(size=(k, FEATURES)).astype(np.float32) for k in (5, 5, 1, 3, 5, 3)]
    many = view.decide_many(shown, np.random.default_rng)
    for place, (rows, found) in enumerate(zip(shown, many, strict=True)):
        expected = view.decide(rows, np.random.default_rng(place))
        assert found.index == expected.index
        for name in ("scores", "probabilities", "context"):
            np.testing.assert_array_equal(getattr(found, name), getattr(expected, name))


def test_policies_that_do_not_fold_decide_many_rounds_too():
    agent = Agent(make_policy("lin-ts", BanditSpec(features=3)), seed=1)
    view = agent.deciding_view()
    shown = [np.eye(3, dtype=np.float32), np.ones((2, 3), np.float32) * [[1], [2]]]
    many = view.decide_many(shown, np.random.default_rng)
    for place, found in enumerate(many):
        expected = view.decide(shown[place], np.random.default_rng(place))
        np.testing.assert_array_equal(found.scores, expected.scores)


@pytest.mark.parametrize(
    ("bad", "message"),
    [
        (np.ones((2, FEATURES)), "same row"),
        (np.full((2, FEATURES), np.nan), "must be finite"),
        (np.eye(2), r"must have shape \(arms, 6\)"),
    ],
)
def test_a_bad_round_among_many_is_named_as_it_would_be_alone(bad, message):
    view = learned("npr:network=none", rounds=1).deciding_view()
    good = np.eye(FEATURES, dtype=np.float32)[:2]
    with pytest.raises(ValueError, match=message):
        view.decide_many([good, bad, good], np.random.default_rng)


def test_votes_are_shared_as_one_by_one_bit_for_bit_with_ties_or_without():
    rng = np.random.default_rng(0)
    for values in (2, 5, 1000):
        draws = rng.integers(values, size=(7, 2, 64, 6)).astype(np.float32)
        draws[3, 1, 5, 2] = np.nan
        found = _folded._vote_shares(draws)
        expected = [[vote_shares(way, np.ones(6, bool)) for way in each] for each in draws]
        np.testing.assert_array_equal(found, expected)
