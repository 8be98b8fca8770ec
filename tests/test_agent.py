"""The agent: bad input, growth, bounds, files, threads."""

import json
import threading

import numpy as np
import pytest

from jostle import NPR, Agent, Training, Uniform
from jostle.models.networks import MLP

from support import assert_same, compilations

D = 3
CONTEXTS = np.random.default_rng(0).normal(size=(4, D))
SMALL = {"network": MLP(8, 2), "training": Training(steps=2, batch=8)}


class MyNetwork(MLP):
    """A network of the user's own."""


@pytest.fixture
def agent():
    agent = Agent(NPR(D, **SMALL), seed=1)
    agent.learn(CONTEXTS, [1.0, 0.0, 0.5, 1.0], arm=[0, 1, 2, 3])
    return agent


nan, inf = float("nan"), float("inf")
BAD_ROUNDS = [
    (
        {"contexts": [[1, 2, nan]]},
        ValueError,
        r"contexts must be finite, but holds nan at .*\(0, 2\)",
    ),
    ({"contexts": [[1, 2, inf]]}, ValueError, "contexts must be finite"),
    ({"contexts": [[1, 2]]}, ValueError, r"contexts must have shape \(arms, 3\), not \(1, 2\)"),
    ({"contexts": [1, 2, 3]}, ValueError, r"not \(3,\)"),
    ({"contexts": np.zeros((0, 3))}, ValueError, "at least one arm"),
    ({"contexts": [["a", "b", "c"]]}, TypeError, "contexts must be numeric"),
    ({"contexts": [[1, 2, 3], [1, 2]]}, ValueError, "contexts must be a rectangular"),
    ({"contexts": None}, TypeError, "contexts is missing"),
    ({"contexts": [[1, 2, 3j]]}, TypeError, "contexts must be numeric"),
    ({"contexts": [[1, 2, None]]}, TypeError, "contexts must be numeric"),
    ({"mask": [False] * 4}, ValueError, "mask leaves no arm"),
    ({"mask": [True] * 3}, ValueError, "mask must be 4 booleans"),
    ({"mask": [1, 1, 0, 1]}, ValueError, "mask must be 4 booleans"),
    ({"arms": [0, 1, 2]}, ValueError, "arms must be 4 ids"),
    ({"arms": [0, 1, 2, -3]}, ValueError, "arms must be ids from 0 .* holds -3"),
    ({"arms": [0, 1, 2, 10**9]}, ValueError, "arms must be ids from 0"),
    ({"arms": [0.5, 1, 2, 3]}, TypeError, "arms must be whole numbers"),
    ({"user": -2}, ValueError, "user must be ids from 0"),
    ({"user": "ann"}, TypeError, "user must be numeric"),
]
BAD_FEEDBACK = [
    ({"reward": nan}, ValueError, "reward must be finite"),
    ({"reward": [1, inf], "context": CONTEXTS[:2]}, ValueError, "reward must be finite.*index 1"),
    ({"reward": None}, TypeError, "reward is missing"),
    ({"reward": "much"}, TypeError, "reward must be numeric"),
    ({"reward": [1.0]}, ValueError, r"reward must be one number.*not of shape \(1,\)"),
    ({"reward": [1.0], "context": CONTEXTS}, ValueError, "reward must be 4 numbers"),
    ({"context": [1, nan, 2]}, ValueError, "context must be finite, but holds nan at index 1"),
    ({"context": [1, 2]}, ValueError, r"context must have shape \(3,\), or \(n, 3\)"),
    ({"context": np.zeros((1, 1, 3))}, ValueError, "context must have shape"),
    ({"arm": -4}, ValueError, "arm must be ids"),
    ({"arm": [1, 2]}, ValueError, "arm must be 1 ids"),
]


@pytest.mark.parametrize(("bad", "error", "message"), BAD_ROUNDS)
def test_bad_rounds_are_refused_and_change_nothing(agent, bad, error, message):
    before, decisions = agent.state, agent.decisions
    with pytest.raises(error, match=message):
        agent.choose(**{"contexts": CONTEXTS, **bad})
    assert_same(agent.state, before)
    assert agent.decisions == decisions


@pytest.mark.parametrize(("bad", "error", "message"), BAD_FEEDBACK)
def test_bad_feedback_is_refused_and_changes_nothing(agent, bad, error, message):
    before, observations = agent.state, agent.observations
    with pytest.raises(error, match=message):
        agent.learn(**{"context": CONTEXTS[0], "reward": 1.0, **bad})
    assert_same(agent.state, before)
    assert agent.observations == observations


def test_a_pooled_policy_needs_arm_ids_within_its_pool():
    agent = Agent(NPR(D, pool=4, **SMALL))
    with pytest.raises(ValueError, match="arms is missing"):
        agent.choose(CONTEXTS)
    with pytest.raises(ValueError, match="arm is missing"):
        agent.learn(CONTEXTS[0], 1.0)
    with pytest.raises(ValueError, match="arm must be ids from 0 to 3, but holds 4"):
        agent.learn(CONTEXTS[0], 1.0, arm=4)
    assert agent.choose(CONTEXTS, arms=range(4)) in range(4)


def test_it_wants_a_policy_and_a_seed():
    with pytest.raises(TypeError, match="policy must be a jostle policy"):
        Agent(NPR)
    with pytest.raises(ValueError, match="seed must be at least 0"):
        Agent(Uniform(D), seed=-1)


def test_it_takes_any_real_dtype_and_lists():
    agent = Agent(NPR(D, **SMALL))
    for dtype in (np.float64, np.float16, np.int64, np.uint8, bool):
        contexts = np.ones((2, D), dtype)
        agent.learn(contexts[agent.choose(contexts)], np.int8(1))
    agent.learn([1, 2, 3], 0)
    assert isinstance(agent.choose([[1, 2, 3]]), int)


def test_memory_grows_by_doubling_and_compiles_log_times():
    agent = Agent(NPR(D, **SMALL))
    for _ in range(2):
        agent.learn(np.ones((128, D)), np.zeros(128))
    assert agent.state.history.capacity == 256
    before = compilations()
    for _ in range(14):
        agent.learn(np.ones((128, D)), np.zeros(128))
    assert agent.state.history.capacity == 2048
    assert int(agent.state.history.seen) == 2048
    # 512, 1024, 2048: the learning program each time, and the padding of its arrays.
    assert compilations() - before <= 3 * 8


def test_growing_keeps_what_was_learnt():
    grown, roomy = Agent(NPR(D, **SMALL), seed=4), Agent(NPR(D, **SMALL), seed=4)
    contexts = np.random.default_rng(2).normal(size=(700, D))
    grown.learn(contexts[:100], contexts[:100, 0])
    grown.learn(contexts[100:], contexts[100:, 0])
    roomy.learn(contexts, contexts[:, 0])
    assert_same(grown.state, roomy.state)


def test_a_policy_of_the_users_own_parts_is_saved_and_loaded_with_it(tmp_path):
    policy = NPR(D, network=MyNetwork(8, 2), training=Training(steps=2))
    agent = Agent(policy)
    agent.learn(CONTEXTS[0], 1.0)
    path = tmp_path / "agent.npz"
    agent.save(path)
    with pytest.raises(ValueError, match=r"policy.network was of the user's own.*policy=\.\.\."):
        Agent.load(path)
    loaded = Agent.load(path, policy=policy)
    assert_same(loaded.state, agent.state)
    with pytest.raises(ValueError, match="policy does not fit the saved state"):
        Agent.load(path, policy=NPR(D, network=MLP(9, 2)))


def test_damaged_and_foreign_files_are_refused(agent, tmp_path):
    path = tmp_path / "agent.npz"
    agent.save(path)
    whole = path.read_bytes()
    for cut in (0, 1, len(whole) // 3, len(whole) - 30, len(whole) - 1):
        path.write_bytes(whole[:cut])
        with pytest.raises(ValueError, match="not a whole file of a saved agent"):
            Agent.load(path)
    for place in (len(whole) // 4, len(whole) // 2):
        path.write_bytes(whole[:place] + bytes(8) + b"\xff" * 8 + whole[place + 16 :])
        with pytest.raises(ValueError, match="not a whole file of a saved agent"):
            Agent.load(path)
    path.write_text("hello")
    with pytest.raises(ValueError, match="not a whole file"):
        Agent.load(path)
    np.savez(path, header=np.frombuffer(json.dumps({"format": "other"}).encode(), np.uint8))
    with pytest.raises(ValueError, match="its header is not one of ours"):
        Agent.load(path)
    header = {"format": "jostle-agent", "version": 99}
    np.savez(path, header=np.frombuffer(json.dumps(header).encode(), np.uint8))
    with pytest.raises(ValueError, match="version 99"):
        Agent.load(path)
    np.savez(path, header=np.asarray([{"a": 1}], dtype=object), allow_pickle=True)
    with pytest.raises(ValueError, match="not a whole file"):
        Agent.load(path)
    with pytest.raises(FileNotFoundError):
        Agent.load(tmp_path / "nowhere.npz")


def test_a_failed_save_leaves_the_old_file_and_no_rubbish(agent, tmp_path, monkeypatch):
    path = tmp_path / "agent.npz"
    agent.save(path)
    before = path.read_bytes()

    def fail(*args, **kwargs):
        args[0].write(b"half")
        raise OSError("disk full")

    monkeypatch.setattr(np, "savez", fail)
    with pytest.raises(OSError, match="disk full"):
        agent.save(path)
    assert path.read_bytes() == before
    assert [p.name for p in tmp_path.iterdir()] == ["agent.npz"]


def test_files_hold_no_pickle(agent, tmp_path):
    path = tmp_path / "agent.npz"
    agent.save(path)
    with np.load(path, allow_pickle=False) as file:
        assert all(file[name].dtype != object for name in file.files)
        assert json.loads(bytes(file["header"]))["format"] == "jostle-agent"


def test_threads_may_choose_while_others_learn(agent):
    failures = []

    def work(act):
        try:
            for _ in range(40):
                act()
        except Exception as error:
            failures.append(error)

    acts = [lambda: agent.choose(CONTEXTS), lambda: agent.learn(CONTEXTS[1], 0.5)] * 2
    threads = [threading.Thread(target=work, args=(act,)) for act in acts]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures
    assert agent.observations == 4 + 80


def test_ties_are_broken_without_bias():
    agent = Agent(NPR(D, **SMALL))  # before any observation all estimates are 0
    picks = np.bincount([agent.choose(CONTEXTS) for _ in range(2000)], minlength=4) / 2000
    np.testing.assert_allclose(picks, 0.25, atol=0.05)
