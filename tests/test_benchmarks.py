"""The benchmarks run and measure what they say; their figures are for people to read."""

import os
import sys
from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from jostle import NPR
from jostle.benchmarks import authors, baselines, deciding, learning, memory_use, sizes
from jostle.benchmarks.measure import Row, in_turns, on_one_core
from jostle.models.networks import MLP
from jostle.types import NOBODY, Feedback


def test_a_row_knows_whether_it_is_within_its_bound():
    assert Row("a", "", "", 1.0, 1.1).ok
    assert not Row("a", "", "", 1.2, 1.1).ok
    assert Row("a", "", "", 0.4, 1 / 3, at_least=True).ok
    assert not Row("a", "", "", 0.3, 1 / 3, at_least=True).ok
    assert Row("a", "", "", 0.3, 3).wanted == "at most 3"


def test_both_sides_take_their_turns():
    calls = []
    in_turns(lambda: calls.append("a"), lambda: calls.append("b"), turns=2)
    assert calls == ["a", "b"] * 3


def a_row_of_its_process():
    return Row("threads", os.environ["NPROC"], str(os.getpid()), 1.0, 2.0)


def test_one_core_is_a_process_of_its_own_with_one_thread(monkeypatch):
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(Path(__file__).parent), *sys.path]))
    row = on_one_core(a_row_of_its_process)
    assert row == Row("threads, on one core", "1", row.yardstick, 1.0, 2.0)
    assert row.yardstick != str(os.getpid())


@pytest.mark.parametrize(
    "benchmark",
    [
        lambda: learning.pooled_against_sgemm(turns=1),
        lambda: learning.late_against_early(turns=1),
        lambda: deciding.choose_against_numpy(turns=1),
        lambda: baselines.linucb_against_numpy(turns=1),
        memory_use.bounded_stays_bounded,
    ],
)
def test_each_gives_a_ratio(benchmark):
    assert benchmark().ratio > 0


def test_the_two_forms_of_the_covariance(monkeypatch):
    monkeypatch.setattr(baselines, "PARAMETERS", 400)
    assert baselines.dual_against_primal(256, turns=1).ratio > 0


def test_the_eager_descent_of_the_authors_is_ours():
    torch = pytest.importorskip("torch")
    policy = NPR.paper(4, pool=3, width=8, steps=20, noise=0.0)
    rng = np.random.default_rng(0)
    pool, arms = rng.normal(size=(3, 4)).astype(np.float32), np.array([0, 2, 0, 1])
    rewards = rng.normal(size=4).astype(np.float32)
    state = policy.reserve(policy.init(jax.random.key(0)), observations=4, arms=3)
    initial = [torch.tensor(np.array(weight)) for weight in state.fit.initial]
    learn, score = authors._eager_network(initial, policy)
    for n, arm in enumerate(arms, start=1):
        row = Feedback(pool[arm], rewards[n - 1], np.int32(arm), np.int32(NOBODY))
        state = policy.learn(state, jax.random.key(1), row)
        learn(torch.tensor(pool[arms[:n]]), torch.tensor(rewards[:n]))
    ours = policy.estimates(state, jnp.asarray(pool))
    np.testing.assert_allclose(score(torch.tensor(pool)), ours, rtol=1e-3, atol=1e-5)
    assert np.abs(ours).max() > 0.05  # something has been learnt


def test_sizes_are_measured_for_choosing_and_learning():
    policies = {**sizes.NEURAL, **sizes.LINEAR}
    for name in ("NPR", "UCB1"):
        choosing, learning_time = sizes._cost(policies[name](MLP(8)), arms=20, turns=1)
        assert choosing > 0
        assert learning_time >= 0
