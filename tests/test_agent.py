"""The agent: bad input, fixed memory, decisions, files, threads, processes."""

import copy
import io
import json
import pickle
import subprocess
import sys
import threading

import numpy as np
import pytest

from jostle import (
    NPR,
    UCB1,
    Agent,
    EpsilonGreedy,
    HLinUCB,
    LinUCB,
    NeuralTS,
    Training,
    Uniform,
    serialization,
)
from jostle.models.networks import MLP
from jostle.types import Choice

from support import assert_same, no_compilation

D = 3
CONTEXTS = np.random.default_rng(0).normal(size=(4, D))
SMALL = {"network": MLP(8, 2), "training": Training(steps=2, batch=8, memory=10_000)}


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
    ({"mask": [False] * 4}, ValueError, "mask must leave at least one arm"),
    ({"mask": [True] * 3}, ValueError, "mask must be 4 booleans"),
    ({"mask": [1, 1, 0, 1]}, ValueError, "mask must be 4 booleans"),
    ({"arms": [0, 1, 2]}, ValueError, "arms must be 4 ids"),
    ({"arms": [0, 1, 2, -3]}, ValueError, "arms must be ids from 0 .* holds -3"),
    ({"arms": np.array([0, 1, 2, 2**63], np.uint64)}, ValueError, "arms must be ids from 0"),
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
        contexts = np.eye(2, D, dtype=dtype)
        agent.learn(contexts[agent.choose(contexts)], np.int8(1))
    agent.learn([1, 2, 3], 0)
    assert isinstance(agent.choose([[1, 2, 3]]), int)


@pytest.mark.parametrize("policy", [NPR(D, **SMALL), LinUCB(D)])
def test_the_same_row_for_every_arm_is_refused(policy):
    """The model could not tell arms apart, and used to learn nothing without a word."""
    agent, user = Agent(policy), np.arange(D, dtype=float)
    for arms in (None, [0, 1, 2]):
        with pytest.raises(ValueError, match="same row for each of the 3 arms"):
            agent.decide(np.tile(user, (3, 1)), arms=arms)
    assert agent.decisions == 0
    agent.decide([user])  # a single arm
    agent.decide([user, user, -user])  # two that do not differ, and one that does
    Agent(UCB1(D)).decide(np.tile(user, (3, 1)), arms=[0, 1, 2])  # it knows arms by their ids


def test_after_the_first_call_nothing_is_compiled_again():
    agent = Agent(NPR(D, **SMALL))
    contexts = np.random.default_rng(2).normal(size=(5000, D))
    agent.learn(contexts[0], 1.0, arm=3)
    agent.choose(CONTEXTS)
    with no_compilation():
        for size in (1, 2, 63, 64, 65, 4000):  # across every power of two up to 4,096
            agent.learn(contexts[:size], contexts[:size, 0])
        for arms in ([0, 1, 2, 3], [0, 511, 512, 5000]):
            agent.choose(CONTEXTS, arms=arms)
            agent.learn(CONTEXTS, np.ones(4), arm=arms)
    assert int(agent.state.history.seen) == agent.observations == 1 + 4195 + 8


@pytest.mark.study
def test_the_memory_is_bounded_by_a_rule_and_by_the_policys_own_bound():
    assert Agent(NPR(7)).state.history.capacity == 2**20
    assert Agent(NPR(255)).state.history.capacity == 2**23 // 256
    bounded = Agent(NPR(D, network=MLP(8, 2), training=Training(steps=2, batch=8, memory=40)))
    bounded.learn(np.ones((100, D)), np.arange(100.0))
    assert sorted(bounded.state.history.rewards) == list(range(60, 100))


def test_one_by_one_is_the_same_as_one_batch():
    single, batch = Agent(NPR(D, **SMALL), seed=4), Agent(NPR(D, **SMALL), seed=4)
    contexts = np.random.default_rng(2).normal(size=(300, D))
    for context in contexts:
        single.learn(context, context[0])
    batch.learn(contexts, contexts[:, 0])
    assert_same(single.state, batch.state)


def test_choosing_does_not_wait_while_another_thread_compiles(monkeypatch):
    agent = Agent(NPR(D, **SMALL))
    agent.choose(CONTEXTS)
    compiling, chosen = threading.Event(), threading.Event()

    def slow(program, name, *arguments):
        compiling.set()
        assert chosen.wait(60), "choose waited for learn to compile"

    monkeypatch.setattr(agent, "_compile", slow)
    learner = threading.Thread(target=agent.learn, args=(CONTEXTS[0], 1.0))
    learner.start()
    assert compiling.wait(60)
    agent.choose(CONTEXTS)
    chosen.set()
    learner.join()
    assert agent.observations == 1


@pytest.mark.parametrize(
    "policy", [NeuralTS.descent(D, **SMALL), EpsilonGreedy(D, epsilon=1.0, **SMALL)]
)
def test_every_decision_has_random_numbers_of_its_own_under_threads(policy):
    """Four threads, let loose together: each decision's draw is one of a single thread's."""
    alone, shared = Agent(policy), Agent(policy)
    count = 160
    wide = np.ones((32, D)) * np.arange(1, 33)[:, None]

    def draw(agent):
        decision = agent.decide(wide)
        return (decision.index, *np.asarray(decision.scores).tolist())

    expected = sorted(draw(alone) for _ in range(count))
    barrier, drawn = threading.Barrier(4), []

    def work():
        barrier.wait()
        drawn.extend([draw(shared) for _ in range(count // 4)])

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert shared.decisions == count
    if not policy.on_host:  # a key per decision: the same draws in whatever order
        assert sorted(drawn) == expected
        assert len(set(drawn)) == count
    else:  # one generator for all: no draw is used twice, so arms are spread as evenly
        counts = np.bincount([index for index, *_ in drawn], minlength=32)
        assert counts.max() < 20


def test_a_decision_is_all_that_learning_needs():
    by_decision, by_hand = Agent(UCB1(D), seed=2), Agent(UCB1(D), seed=2)
    for reward in (1.0, 0.0, 0.5):
        decision = by_decision.decide(CONTEXTS, arms=[70, 5, 8, 10**12], user=3)
        assert decision.arm == [70, 5, 8, 10**12][decision.index]
        json.dumps({"index": decision.index, "arm": decision.arm, "user": decision.user})
        by_decision.learn(decision, reward)
        by_hand.learn(CONTEXTS[decision.index], reward, arm=decision.arm, user=3)
    assert_same(by_decision.state, by_hand.state)
    decisions = [by_decision.decide(CONTEXTS, arms=range(4)) for _ in range(3)]
    by_decision.learn(decisions, [1, 2, 3])
    by_hand.learn([d.context for d in decisions], [1, 2, 3], arm=[d.arm for d in decisions])
    assert_same(by_decision.state, by_hand.state)
    with pytest.raises(TypeError, match="arm and user must be left out"):
        by_decision.learn(decisions[0], 1.0, arm=3)
    with pytest.raises(ValueError, match="context is missing from the decision"):
        by_decision.learn(Choice(0, None), 1.0)
    with pytest.raises(ValueError, match="decisions must all have arm, or none of them; 1 have"):
        by_decision.learn([decisions[0], decisions[1]._replace(arm=None)], [1, 2])


@pytest.mark.parametrize("policy", [UCB1(D), HLinUCB(D), NPR(D, **SMALL)])
def test_sparse_ids_cost_what_they_hold(policy, tmp_path):
    agent = Agent(policy)
    ids = [2**24 - 1, 10**15, 3, 2**62]
    agent.learn(CONTEXTS, [1.0, 0.2, 0.1, 0.0], arm=ids)
    path = tmp_path / "agent.npz"
    agent.save(path)
    assert path.stat().st_size < 2**20
    loaded = Agent.load(path)
    assert_same(loaded.state, agent.state)
    shown = [10**15, 2**24 - 1, 5, 77]
    np.testing.assert_array_equal(
        loaded.decide(CONTEXTS, arms=shown).scores, agent.decide(CONTEXTS, arms=shown).scores
    )


def test_many_sparse_ids_are_told_apart_as_many_dense_ones_are():
    sparse, dense = Agent(UCB1(D), seed=3), Agent(UCB1(D), seed=3)
    rng = np.random.default_rng(0)
    arms, rewards = rng.integers(1000, size=3000), rng.random(3000)
    spread = 10**6 + 10**9 * arms
    sparse.learn(np.zeros((3000, D)), rewards, arm=spread)
    dense.learn(np.zeros((3000, D)), rewards, arm=arms)
    several = rng.permutation(1010)[:200]  # some were never seen
    contexts = np.zeros((200, D))
    np.testing.assert_array_equal(
        sparse.decide(contexts, arms=10**6 + 10**9 * several).scores,
        dense.decide(contexts, arms=several).scores,
    )
    sparse.learn(np.zeros((3000, D)), rewards, arm=spread + 1)  # more than there was room for
    assert sparse.decide(contexts, arms=10**6 + 1 + 10**9 * several).index < 200


def test_pickles_and_copies_continue_as_the_agent_does():
    agent = Agent(NPR(D, **SMALL), seed=5)
    agent.learn(CONTEXTS, [1.0, 0.0, 0.5, 1.0], arm=[0, 1, 2, 3])
    agent.choose(CONTEXTS)
    for other in (pickle.loads(pickle.dumps(agent)), copy.deepcopy(agent)):
        assert_same(other.state, agent.state)
        other.learn(CONTEXTS[0], 0.0)
        assert other.observations == agent.observations + 1
        assert other.decisions == agent.decisions
    own = Agent(NPR(D, network=MyNetwork(8, 2)))
    assert_same(copy.deepcopy(own).state, own.state)
    with pytest.raises(ValueError, match=r"policy.network is not a part of jostle.*Agent.load"):
        pickle.dumps(own)


@pytest.mark.study
def test_a_forked_process_is_told_what_to_do():
    code = """if True:
        import os, warnings
        import numpy as np
        import jostle
        warnings.simplefilter("ignore")  # JAX's own, about os.fork
        agent = jostle.Agent(jostle.NPR(3))
        agent.choose(np.eye(3))
        if os.fork() == 0:
            for act in (lambda: agent.choose(np.eye(3)), lambda: agent.learn(np.ones(3), 1),
                        lambda: jostle.Agent(jostle.NPR(3))):
                try:
                    act()
                except RuntimeError as error:
                    print(error, flush=True)
            os._exit(0)
        os.wait()
    """
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("without --preload") == 3


def test_a_state_of_objects_is_not_saved():
    with pytest.raises(ValueError, match="the state must hold numbers to be saved"):
        serialization.write_file(io.BytesIO(), {}, {"a": np.array([None])})


def test_a_policy_of_the_users_own_parts_is_saved_and_loaded_with_it(tmp_path):
    policy = NPR(D, network=MyNetwork(8, 2), training=Training(steps=2))
    agent = Agent(policy)
    agent.learn(CONTEXTS[0], 1.0)
    path = tmp_path / "agent.npz"
    agent.save(path)
    with pytest.raises(ValueError, match=r"policy.network is not a part of jostle.*policy=\.\.\."):
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
        with pytest.raises(ValueError, match="not a complete agent file"):
            Agent.load(path)
    for place in (len(whole) // 4, len(whole) // 2):
        path.write_bytes(whole[:place] + bytes(8) + b"\xff" * 8 + whole[place + 16 :])
        with pytest.raises(ValueError, match="not a complete agent file"):
            Agent.load(path)
    path.write_text("hello")
    with pytest.raises(ValueError, match="not a complete agent file"):
        Agent.load(path)
    np.savez(path, header=np.frombuffer(json.dumps({"format": "other"}).encode(), np.uint8))
    with pytest.raises(ValueError, match="unknown header"):
        Agent.load(path)
    header = {"format": "jostle-agent", "version": 99}
    np.savez(path, header=np.frombuffer(json.dumps(header).encode(), np.uint8))
    with pytest.raises(ValueError, match="version 99"):
        Agent.load(path)
    np.savez(path, header=np.asarray([{"a": 1}], dtype=object))
    with pytest.raises(ValueError, match="not a complete agent file"):
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
