"""Observations that count for more or fewer than one, against weighted normal equations."""

import jax
import numpy as np
import pytest

from jostle import NPR, UCB1, Agent, LinFPL, LinTS, LinUCB
from jostle.models.early import FIRST
from jostle.models.networks import MLP, NoNetwork
from jostle.policies.lin_fpl import LinFPLState

from support import assert_same, no_compilation

D, RIDGE = 3, 0.1
KINDS = [LinUCB, LinTS, LinFPL, LinUCB.paper, LinTS.paper, LinFPL.paper]


def stream(rounds, seed=0):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(rounds, D)).astype(np.float32)
    rewards = (x @ [1.0, -2.0, 0.5] + 0.3 * rng.normal(size=rounds)).astype(np.float32)
    return x, rewards, rng.exponential(size=rounds).astype(np.float32)


def solved(x, targets, weights, regularisation):
    """V and V^-1 sum_s w_s targets_s x_s."""
    v = regularisation * np.eye(x.shape[1]) + (x.T * weights) @ x
    return v, np.linalg.solve(v, (x.T * weights) @ targets)


@pytest.mark.parametrize("kind", KINDS)
def test_the_regression_is_the_weighted_one(kind):
    x, rewards, weights = stream(50)
    agent = Agent(kind(D), seed=0)
    agent.learn(x, rewards, weight=weights)
    ridge = agent.state.ridge if isinstance(agent.state, LinFPLState) else agent.state
    level = float(ridge.level)
    v, theta = solved(x, rewards - level, weights, RIDGE)
    np.testing.assert_allclose(ridge.theta, theta, rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(ridge.root @ ridge.root.T, np.linalg.inv(v), rtol=1e-4, atol=1e-6)


@pytest.mark.parametrize("kind", [LinUCB, LinFPL])
def test_a_weight_of_one_is_none_and_a_weight_of_zero_teaches_nothing(kind):
    x, rewards, _ = stream(20)
    plain, weighted, zero = (Agent(kind(D), seed=0) for _ in range(3))
    plain.learn(x, rewards)
    weighted.learn(x, rewards, weight=np.ones(20))
    for ours, theirs in zip(*map(jax.tree.leaves, (weighted.state, plain.state)), strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=1e-5, atol=1e-6)
    zero.learn(x, rewards, weight=np.zeros(20))
    ridge = zero.state.ridge if isinstance(zero.state, LinFPLState) else zero.state
    np.testing.assert_array_equal(ridge.theta, 0)


def test_perturbations_are_those_of_the_weighted_regression():
    """B B' = V^-1 - lambda V^-2, with the weighted V, before and after the past is folded."""
    x, rewards, weights = stream(3 * D + 1)
    agent = Agent(LinFPL(D), seed=0)
    agent.learn(x, rewards, weight=weights)
    inverse = np.linalg.inv(solved(x, rewards, weights, RIDGE)[0])
    expected = inverse - RIDGE * inverse @ inverse
    response = np.asarray(agent.state.response)
    np.testing.assert_allclose(response @ response.T, expected, rtol=1e-3, atol=1e-5)


@pytest.mark.parametrize("rounds", [40, FIRST + 30])
def test_nprs_regressions_are_weighted_ones(rounds):
    """Those observations too that were learned again when the unit of contexts was corrected."""
    x, rewards, weights = stream(rounds)
    weights[rounds // 2 :] = 1  # learned without weights, after others with them
    half = rounds // 2
    agent = Agent(NPR(D, network=NoNetwork(), random_features=5, members=2), seed=0)
    agent.learn(x[:half], rewards[:half], weight=weights[:half])
    agent.learn(x[half:], rewards[half:])
    forecaster = agent.state.forecaster
    phi = np.asarray(forecaster.expand(x), np.float64)
    both = np.stack([rewards, np.ones(rounds)], axis=1)
    size = forecaster.linear.weights.shape[-1]
    for part, rows, ridge in (
        (forecaster.ridge, phi, 0.003),
        (forecaster.linear, phi[:, :size], RIDGE),
    ):
        _, expected = solved(rows, both, weights, ridge)
        found = np.asarray(part.weights[0, :2]).T
        _, unweighted = solved(rows, both, np.ones(rounds), ridge)
        error, difference = (np.abs(rows @ (w - expected)).max() for w in (found, unweighted))
        assert error < 0.05 * difference


def test_who_cannot_weigh_says_so():
    agent = Agent(UCB1(D), seed=0)
    with pytest.raises(ValueError, match="weight must be left out"):
        agent.learn(np.ones(D), 1.0, arm=0, weight=2.0)
    assert agent.observations == 0
    agent.learn(np.ones(D), 1.0, arm=0)


@pytest.mark.parametrize(
    ("weight", "error", "message"),
    [
        (-1.0, ValueError, "weight must not be negative, but holds -1"),
        (float("nan"), ValueError, "weight must be finite"),
        ([1.0, 2.0], ValueError, r"weight must be 1 numbers, one per observation"),
        ("much", TypeError, "weight must be numeric"),
    ],
)
def test_bad_weights_are_refused_and_change_nothing(weight, error, message):
    agent = Agent(LinUCB(D), seed=0)
    before = agent.state
    with pytest.raises(error, match=message):
        agent.learn(np.ones(D), 1.0, weight=weight)
    assert_same(agent.state, before)
    assert agent.observations == 0


def test_weighted_learning_is_compiled_once():
    x, rewards, weights = stream(6)
    agent = Agent(LinUCB(D), seed=0)
    agent.learn(x, rewards, weight=weights)
    with no_compilation():
        agent.learn(x[:4], rewards[:4], weight=weights[:4])


def test_the_network_counts_rows_alike():
    x, rewards, weights = stream(4)
    states = []
    for given in (weights, None):
        agent = Agent(NPR(D, network=MLP(4, 2), random_features=0, members=2), seed=0)
        agent.learn(x, rewards, weight=given)
        states.append(agent.state)
    np.testing.assert_array_equal(states[0].history.rewards, states[1].history.rewards)
    assert np.abs(states[0].forecaster.linear.weights - states[1].forecaster.linear.weights).max()
