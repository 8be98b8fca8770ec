"""The benchmarks run and measure what they say; their figures are for people to read.

Sizes are small here, so that hardly anything but compilation takes time.
"""

import inspect
import os
import sys
from functools import partial
from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from typer.testing import CliRunner

from jostle import NPR, Agent, Training
from jostle.benchmarks import (
    agent_latency,
    choosing,
    covariance_forms,
    learning,
    lin_ucb,
    memory_use,
    policy_scaling,
    pytorch_reference,
)
from jostle.benchmarks.comparison import Row, in_turns, on_one_core
from jostle.benchmarks.suite import SUITE, description
from jostle.cli import app
from jostle.models.networks import MLP
from jostle.types import NOBODY, Feedback

from requirements import package


def test_a_row_compares_its_ratio_with_the_bound():
    assert Row("a", "", "", 1.0, 1.1).ok
    assert not Row("a", "", "", 1.2, 1.1).ok
    assert Row("a", "", "", 0.4, 1 / 3, at_least=True).ok
    assert not Row("a", "", "", 0.3, 1 / 3, at_least=True).ok
    assert Row("a", "", "", 0.3, 3).expected == "at most 3"
    assert Row("a", "", "", 99.0).ok
    assert Row("a", "", "", 99.0).expected == "-"


def test_two_calls_alternate():
    calls = []
    in_turns(lambda: calls.append("a"), lambda: calls.append("b"), turns=2)
    assert calls == ["a", "b"] * 3


def a_row_of_its_process():
    return Row("threads", os.environ["NPROC"], str(os.getpid()), 1.0, 2.0)


@pytest.mark.study
def test_one_core_is_a_new_process_with_one_thread(monkeypatch):
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(Path(__file__).parent), *sys.path]))
    row = on_one_core(a_row_of_its_process)
    assert row == Row("threads, on one core", "1", row.reference, 1.0, 2.0)
    assert row.reference != str(os.getpid())


@pytest.fixture
def small(monkeypatch):
    """Small sizes, and where possible equal ones, so that programs are compiled once."""
    monkeypatch.setattr(memory_use, "FEATURES", 5)
    monkeypatch.setattr(memory_use, "BOUND", 64)
    bounded = partial(NPR, training=Training(memory=64, every=1_000))
    for name, value in {"FEATURES": 5, "ARMS": 64, "CALLS": 10, "NPR": bounded}.items():
        monkeypatch.setattr(choosing, name, value)
    for name, value in {"FEATURES": 5, "POOL": 24, "ROUNDS": 2, "EARLY": 20, "LATE": 20}.items():
        monkeypatch.setattr(learning, name, value)
    monkeypatch.setattr(covariance_forms, "PARAMETERS", 400)
    monkeypatch.setattr(covariance_forms, "LAYERS", ((10, 16), (16, 16), (16, 1)))


@pytest.mark.parametrize(
    "benchmark",
    [
        learning.pooled_update,
        learning.late_round,
        choosing.choose_against_numpy,
        lin_ucb.lin_ucb_against_numpy,
        memory_use.bounded_memory,
        covariance_forms.covariance_forms,
    ],
)
def test_each_gives_a_ratio(benchmark, small):
    rows = benchmark(quick=True)
    for row in [rows] if isinstance(rows, Row) else rows:
        assert row.ratio > 0
        assert row.ours
        assert row.reference


def test_latencies_leave_out_only_the_first_call():
    times = np.full(2001, 1_000_000)  # one millisecond
    times[0], times[700] = 5_000_000_000, 80_000_000
    times[[10, 20, 30]] = 40_000_000
    found = agent_latency.latencies(times)
    assert found.first == 5000
    assert (found.p50, found.p99) == (1, 1)
    assert (found.maximum, found.slowest) == (80, 700)
    assert found.p999 == pytest.approx(np.percentile(times[1:] / 1e6, 99.9))
    assert found.tail == found.p999
    assert "maximum 80.000 ms (call 700)" in str(found)
    assert "first call (compiles) 5000 ms" in str(found)


class Recording(Agent):
    """An agent that notes its calls instead of learning: nothing is compiled."""

    def __init__(self, policy):
        self.policy, self.calls = policy, []
        self._state = ()

    def learn(self, context, reward, **_):
        assert np.shape(context) == (agent_latency.FEATURES,)
        assert np.ndim(reward) == 0
        self.calls.append("learn")

    def choose(self, contexts, **_):
        assert np.shape(contexts) == (agent_latency.ARMS, agent_latency.FEATURES)
        self.calls.append("choose")
        return 3

    @property
    def state(self):
        return self._state


def test_agents_are_timed_by_single_calls(monkeypatch):
    made = []
    monkeypatch.setattr(
        agent_latency, "Agent", lambda policy: made.append(Recording(policy)) or made[-1]
    )
    monkeypatch.setattr(agent_latency, "QUICK_OBSERVATIONS", 30)
    monkeypatch.setattr(agent_latency, "QUICK_DECISIONS", 7)
    result = CliRunner().invoke(app, ["bench", "agent", "--quick"], env={"COLUMNS": "200"})
    assert result.exit_code == 0, result.output
    assert isinstance(made[0].policy, NPR)
    assert made[0].policy.features == 20
    assert made[0].calls == ["learn"] * 30 + ["choose", "learn"] * 7
    for words in (
        "p50",
        "p99",
        "p99.9",
        "maximum",
        "at most 20",
        "machine",
        "first call (compiles)",
    ):
        assert words in result.output
    assert "Agent.learn, 30 single observations" in result.output


def test_every_benchmark_is_described_and_in_the_help():
    runner = CliRunner()
    help_text = runner.invoke(app, ["bench", "--help"], env={"COLUMNS": "100"}).output
    listed = runner.invoke(app, ["bench", "--list"], env={"COLUMNS": "200"}).output
    for name, benchmark in SUITE.items():
        assert name in help_text
        assert name in listed
        assert description(name) in listed
        assert list(inspect.signature(benchmark).parameters) == ["quick"]


def test_an_unknown_benchmark_is_refused_with_a_hint():
    result = CliRunner().invoke(app, ["bench", "agnet"])
    assert result.exit_code == 2
    assert "unknown benchmark 'agnet'; did you mean 'agent'" in result.output


@pytest.mark.study
def test_the_pytorch_descent_is_ours():
    torch = package("torch")
    policy = NPR.paper(4, pool=3, width=8, steps=20, noise=0.0)
    rng = np.random.default_rng(0)
    pool, arms = rng.normal(size=(3, 4)).astype(np.float32), np.array([0, 2, 0, 1])
    rewards = rng.normal(size=4).astype(np.float32)
    state = policy.reserve(policy.init(jax.random.key(0)), observations=4, arms=3)
    initial = [torch.tensor(np.array(weight)) for weight in state.fit.initial]
    learn, score = pytorch_reference._eager_network(initial, policy)
    for n, arm in enumerate(arms, start=1):
        row = Feedback(pool[arm], rewards[n - 1], np.int32(arm), np.int32(NOBODY))
        state = policy.learn(state, jax.random.key(1), row)
        learn(torch.tensor(pool[arms[:n]]), torch.tensor(rewards[:n]))
    ours = policy.estimates(state, jnp.asarray(pool))
    np.testing.assert_allclose(score(torch.tensor(pool)), ours, rtol=1e-3, atol=1e-5)
    assert np.abs(ours).max() > 0.05  # something has been learnt


def test_scaling_is_measured_for_choosing_and_learning(monkeypatch):
    monkeypatch.setattr(policy_scaling, "ROUNDS", 2)
    choose, learn = policy_scaling._cost(policy_scaling.LINEAR["UCB1"](MLP(8)), arms=20, turns=1)
    assert choose > 0
    assert learn >= 0


def test_scaling_is_measured_late_in_a_run():
    """Neural policies keep their counters inside: all of them say SEEN, and learning goes on."""
    policy = policy_scaling.NEURAL["NPR"](MLP(8))

    def late():
        state = policy.init(jax.random.key(0))
        return policy_scaling._aged(policy.reserve(state, observations=600, arms=0))

    def learnt():
        context = jnp.zeros(policy_scaling.FEATURES)
        row = Feedback(context, jnp.float32(0), jnp.int32(NOBODY), jnp.int32(NOBODY))
        return policy.learn(late(), jax.random.key(1), row)

    assert int(jax.jit(lambda: late().history.seen)()) == policy_scaling.SEEN
    assert jax.eval_shape(late) == jax.eval_shape(learnt)
