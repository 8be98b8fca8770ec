"""Learning from logs: the same as learning row by row, from any kind of log."""

import numpy as np
import pandas as pd
import polars as pl
import pytest

import jostle
from jostle import Agent, Decider, LinUCB, Uniform
from jostle.decisions.importance import effective_number, importance_weights
from jostle.features import Encoder

N = 300


@pytest.fixture(scope="module")
def numbers():
    rng = np.random.default_rng(0)
    x = rng.normal(size=(N, 3)).astype(np.float32)
    rewards = (x @ [1.0, -1.0, 0.5]).astype(np.float32)
    return {"a": x[:, 0], "b": x[:, 1], "c": x[:, 2], "paid": rewards}


def records(rows=N):
    rng = np.random.default_rng(1)
    device = rng.choice(["phone", "desktop"], rows)
    offer = rng.choice(["x", "y"], rows)
    right = (device == "phone") == (offer == "x")
    return {
        "device": device,
        "hour": rng.integers(0, 24, rows),
        "offer": offer,
        "reward": right * 1.0,
    }


def logs(columns, folder):
    pl.DataFrame(columns).write_parquet(folder / "log.parquet")
    return [pd.DataFrame(columns), pl.DataFrame(columns), folder / "log.parquet"]


def test_an_agent_learns_what_it_would_have_learned_row_by_row(numbers, tmp_path):
    expected = Agent(LinUCB(3))
    x = np.stack([numbers[name] for name in "abc"], axis=1)
    expected.learn(x, numbers["paid"])
    for log in logs(numbers, tmp_path):
        agent, reports = Agent(LinUCB(3)), []
        done = jostle.warm_start(
            agent, log, reward="paid", features=list("abc"), chunk=128,
            progress=lambda *now, reports=reports: reports.append(now),
        )  # fmt: skip
        assert reports == [(128, N), (256, N), (300, N)]
        assert done.rows == N
        assert done.mean_reward == pytest.approx(numbers["paid"].mean(), abs=1e-5)
        np.testing.assert_array_equal(agent.state.theta, expected.state.theta)


def test_a_decider_learns_from_records(tmp_path):
    states = []
    for log in logs(records(), tmp_path):
        decider = Decider(LinUCB(32), Encoder(32))
        jostle.warm_start(decider, log, action="offer", chunk=100, progress=False)
        chosen = [decider.decide({"device": d, "hour": 3}, ["x", "y"]).action
                  for d in ("phone", "desktop")]  # fmt: skip
        assert chosen == ["x", "y"]
        states.append(decider.agent.state.theta)
    np.testing.assert_array_equal(states[0], states[1])
    np.testing.assert_array_equal(states[0], states[2])


def test_importance_weights_are_inverse_probabilities_with_a_mean_of_one_and_a_bound():
    p = np.array([0.5, 0.25, 0.1, 1.0])
    weights = importance_weights("p", p)
    np.testing.assert_allclose(weights, np.array([2, 4, 10, 1]) / 4.25)
    assert weights.mean() == pytest.approx(1)
    bounded = importance_weights("p", p, most=1.5)
    np.testing.assert_allclose(bounded, np.minimum(weights, 1.5))
    assert effective_number(np.ones(7)) == 7
    assert effective_number(weights) == pytest.approx(17**2 / 121)
    assert effective_number(np.array([1.0, 0.0, 0.0])) == 1


@pytest.mark.parametrize("bad", [0.0, -0.1, 1.5, float("nan")])
def test_what_is_no_probability_is_refused(bad, numbers):
    agent = Agent(LinUCB(3))
    frame = pd.DataFrame(numbers | {"p": [0.5] * 7 + [bad] + [0.5] * (N - 8)})
    with pytest.raises(ValueError, match=r"log: column 'p' must hold probabilities.*row 7 has"):
        jostle.warm_start(agent, frame, reward="paid", features=list("abc"), probability="p")
    assert agent.observations == 0


def test_a_log_with_probabilities_is_learned_by_importance(numbers, tmp_path):
    p = np.random.default_rng(4).uniform(0.05, 1, N)
    weights = np.minimum(1 / p / (1 / p).mean(), 3)
    x = np.stack([numbers[name] for name in "abc"], axis=1)
    expected = Agent(LinUCB(3))
    expected.learn(x, numbers["paid"], weight=weights)
    for log in logs(numbers | {"p": p}, tmp_path):
        agent = Agent(LinUCB(3))
        done = jostle.warm_start(
            agent, log, reward="paid", features=list("abc"), probability="p", most_weight=3,
            chunk=128, progress=False,
        )  # fmt: skip
        np.testing.assert_array_equal(agent.state.theta, expected.state.theta)
        assert done.effective_rows == pytest.approx(weights.sum() ** 2 / (weights**2).sum())
        assert done.effective_rows < done.rows == N


def test_a_decider_learns_by_importance_and_the_probability_is_no_feature():
    frame = pd.DataFrame(records(60)).assign(p=np.random.default_rng(4).uniform(0.2, 1, 60))
    decider = Decider(LinUCB(32), Encoder(32))
    jostle.warm_start(decider, frame, action="offer", probability="p", progress=False)
    other = Decider(LinUCB(32), Encoder(32))
    jostle.warm_start(other, frame.drop(columns="p"), action="offer", progress=False)
    one, two = decider.agent.state, other.agent.state
    assert not np.array_equal(one.theta, two.theta)
    np.testing.assert_array_equal(decider.encoder.names.as_data(), other.encoder.names.as_data())


def test_bad_names_and_bounds_of_weights_are_refused(numbers):
    frame = pd.DataFrame(numbers | {"p": 0.5})
    settings = {"reward": "paid", "features": list("abc")}
    with pytest.raises(ValueError, match="log: unknown column 'q'"):
        jostle.warm_start(Agent(LinUCB(3)), frame, probability="q", **settings)
    with pytest.raises(ValueError, match="most_weight must be at least 1"):
        jostle.warm_start(Agent(LinUCB(3)), frame, probability="p", most_weight=0.5, **settings)
    with pytest.raises(ValueError, match="weight must be left out"):
        jostle.warm_start(Agent(Uniform(3)), frame, probability="p", **settings)


def test_columns_of_the_context_can_be_named():
    one, two = (Decider(LinUCB(32), Encoder(32)) for _ in range(2))
    frame = pd.DataFrame(records(100))
    jostle.warm_start(one, frame, action="offer", context=["device"], progress=False)
    jostle.warm_start(two, frame.drop(columns="hour"), action="offer", progress=False)
    np.testing.assert_array_equal(one.agent.state.theta, two.agent.state.theta)


@pytest.mark.parametrize(
    ("make", "settings", "error", "message"),
    [
        (lambda: Agent(LinUCB(3)), {}, ValueError, "an Agent learns from numbers"),
        (lambda: Decider(LinUCB(8)), {}, ValueError, "a Decider learns from records"),
        (lambda: Agent(LinUCB(3)), {"features": ["a", "z"]}, ValueError, "unknown column 'z'"),
        (
            lambda: Agent(LinUCB(3)),
            {"features": ["a"], "log": 3},
            TypeError,
            "log must be a pandas",
        ),
        (lambda: Agent(LinUCB(3)), {"features": ["a"], "chunk": 0}, ValueError, "chunk must be"),
    ],
)
def test_bad_logs_are_refused(make, settings, error, message, numbers):
    log = settings.pop("log", pd.DataFrame(numbers))
    with pytest.raises(error, match=message):
        jostle.warm_start(make(), log, reward="paid", **settings)
