"""The decider with real policies: learning, modes, files, bounds and refusals."""

import threading

import jax
import numpy as np
import pytest

from jostle import NPR, UCB1, Agent, Decider, HLinUCB, LinUCB, Uniform
from jostle.features import Encoder

RIGHT = {"phone": "a", "desktop": "b", "tv": "c"}
SIZE = 32


class Clock:
    """A clock that tests set."""

    def __init__(self):
        self.now = 0.0

    def __call__(self):
        return self.now


def play(decider, clock, rounds, seed):
    """Rounds in which one action suits each device; only successes are reported, 3 later."""
    rng, earned, later = np.random.default_rng(seed), [], []
    for _ in range(rounds):
        clock.now += 1
        while later and later[0][0] <= clock.now:
            decider.reward(*later.pop(0)[1:])
        device = str(rng.choice(list(RIGHT)))
        decision = decider.decide({"device": device, "hour": int(rng.integers(24))}, list("abc"))
        earned.append(float(decision.action == RIGHT[device]))
        if earned[-1]:
            later.append((clock.now + 3, decision.id, 1.0))
    return earned


def lin_ucb(clock, **settings):
    return Decider(LinUCB(SIZE), wait=10, default_reward=0.0, clock=clock, **settings)


def test_it_learns_from_rewards_that_come_late_or_never():
    clock = Clock()
    decider = lin_ucb(clock)
    earned = play(decider, clock, 250, seed=0)
    assert np.mean(earned[-50:]) > 0.9
    counts = decider.counts
    assert counts["learned"] == counts["closed"] == 240
    assert counts["open"] == 10
    assert counts["rewards"] + counts["defaulted"] in range(240, 251)


def test_nothing_is_learned_before_a_decision_is_closed():
    clock = Clock()
    decider = lin_ucb(clock)
    decision = decider.decide({"device": "phone"}, ["a", "b"])
    decider.reward(decision.id, 1.0)
    clock.now = 9.9
    decider.advance()
    assert decider.agent.observations == 0
    clock.now = 10.0
    decider.advance()
    assert decider.agent.observations == 1


def test_learning_at_once_is_for_those_who_ask():
    decider = Decider(LinUCB(SIZE), wait=10, clock=Clock(), learn_at_once=True)
    decision = decider.decide({"device": "phone"}, ["a", "b"])
    assert decider.reward(decision.id, 1.0) == "closed"
    assert decider.agent.observations == 1
    assert decider.reward(decision.id, 1.0) == "late"


def test_the_vector_that_was_decided_on_is_learned():
    clock, ended = Clock(), []
    decider = lin_ucb(clock, log=ended.append)
    context = {"x": 5.0}
    expected = decider.encoder.encode(context, ["a", "b"])
    decision = decider.decide(context, ["a", "b"])
    for i in range(20):  # the encoder learns moments, and would encode the context otherwise now
        decider.encoder.observe({"x": 100.0 + i}, ["a"])
    assert not np.array_equal(decider.encoder.encode(context, ["a", "b"]), expected)
    clock.now = 10.0
    decider.advance()
    np.testing.assert_array_equal(ended[0].vector, expected[decision.index])
    assert (ended[0].id, ended[0].reward, ended[0].rewards) == (decision.id, 0.0, 0)
    assert (ended[0].opened, ended[0].closed) == (0.0, 10.0)


def test_a_restart_in_the_middle_changes_nothing(tmp_path):
    """Bit for bit: decisions, ids, moments and weights, with decisions open when it is saved."""
    runs = []
    for stops in ((), (7, 40)):
        clock = Clock()
        decider, answers = lin_ucb(clock, seed=3), []
        rng = np.random.default_rng(5)
        for i in range(80):
            clock.now += 1
            answers.append(decider.decide({"x": rng.normal(), "y": str(i % 3)}, list("abc")))
            if i % 2:
                decider.reward(answers[i // 2].id, float(rng.normal()), reward_id=str(i))
            if i in stops:
                path = tmp_path / "decider.npz"
                decider.save(path)
                decider = Decider.load(path, clock=clock)
        runs.append((answers, decider))
    (one, first), (two, second) = runs
    assert one == two
    assert first.counts == second.counts
    assert first.encoder.as_data() == second.encoder.as_data()
    for a, b in zip(*(jax.tree.leaves(d.agent.state) for d in (first, second)), strict=True):
        np.testing.assert_array_equal(a, b)
    assert first.late == second.late


def test_files_are_checked(tmp_path):
    path = tmp_path / "agent.npz"
    Agent(Uniform(3)).save(path)
    with pytest.raises(ValueError, match="not a jostle decider file"):
        Decider.load(path)
    decider = Decider(Uniform(8))
    decider.save(path)
    with pytest.raises(ValueError, match="not a jostle agent file"):
        Agent.load(path)


def test_an_apprentice_returns_the_baseline_and_tells_how_it_would_have_done(tmp_path):
    clock = Clock()
    decider = lin_ucb(clock, mode="apprentice")
    rng = np.random.default_rng(0)
    for _ in range(400):
        clock.now += 1
        device = str(rng.choice(list(RIGHT)))
        baseline = str(rng.choice(list("abc")))
        decision = decider.decide(
            {"device": device}, list("abc"), baseline=baseline, baseline_probability=1 / 3
        )
        assert (decision.action, decision.probability) == (baseline, 1 / 3)
        decider.reward(decision.id, float(baseline == RIGHT[device]))
    report = decider.apprenticeship
    assert report.decisions == 390
    # By chance: standard errors of 0.024.
    assert report.baseline_value == pytest.approx(1 / 3, abs=0.12)
    assert report.agreement == pytest.approx(1 / 3, abs=0.12)
    assert report.policy_value > 0.8  # it has learned from the baseline what is right
    decider.save(tmp_path / "decider.npz")
    assert Decider.load(tmp_path / "decider.npz").apprenticeship == report
    with pytest.raises(ValueError, match="baseline is missing"):
        decider.decide({}, ["a"])
    with pytest.raises(ValueError, match="baseline must be the id of an action, not 'z'"):
        decider.decide({}, ["a"], baseline="z")


def test_log_only_learns_nothing():
    clock, ended = Clock(), []
    decider = lin_ucb(clock, mode="log_only", log=ended.append)
    assert decider.decide({}, ["a", "b"], baseline="b").action == "b"
    chosen = decider.decide({}, ["a", "b"])
    decider.reward(chosen.id, 2.0)
    clock.now = 20.0
    decider.advance()
    assert [closed.reward for closed in ended] == [0.0, 2.0]
    assert decider.agent.observations == 0
    assert decider.counts["learned"] == 0


@pytest.mark.parametrize("policy", [UCB1(SIZE), HLinUCB(SIZE), Uniform(SIZE)])
def test_any_policy_does(policy):
    decider = Decider(policy, clock=Clock())
    for _ in range(3):
        decision = decider.decide({"x": 1.0}, ["a", {"id": "b", "price": 2}])
        assert decider.reward(decision.id, 1.0) == "closed"
    assert decider.agent.observations == 3


def test_policies_by_name_and_agents_that_have_learned():
    named = Decider("lin-ucb:exploration=0.5")
    assert named.agent.policy.exploration == 0.5
    assert named.agent.policy.features == named.encoder.features == 256
    assert isinstance(Decider().agent.policy, NPR)
    agent = Agent(LinUCB(16))
    assert Decider(agent).agent is agent
    assert Decider(agent).encoder.features == 16


def test_probabilities_are_those_of_the_policy():
    decision = Decider(Uniform(8), Encoder(8)).decide({}, list("abcd"))
    assert decision.probability == 0.25


def test_actions_without_ids_are_named_by_their_place():
    decision = Decider(Uniform(8)).decide({}, [{"price": 1}, {"price": 2}])
    assert decision.action == decision.index
    assert sorted(decision.ranking) == [0, 1]


def test_threads_may_call_at_once():
    decider = Decider(Uniform(8), wait=1e9, clock=Clock())

    def work(name):
        for i in range(50):
            decider.reward(decider.decide({}, ["a", "b"], id=f"{name}-{i}").id, 1.0)

    threads = [threading.Thread(target=work, args=(name,)) for name in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert decider.counts["decisions"] == decider.counts["rewards"] == 200


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"policy": "lin-ucbb"}, ValueError, "did you mean 'lin-ucb'"),
        ({"policy": LinUCB(8), "encoder": Encoder(16)}, ValueError, "features=16, as many as the"),
        ({"policy": NPR(8, pool=4)}, ValueError, "without pool= and blocks="),
        ({"policy": 3}, TypeError, "policy must be a jostle policy"),
        ({"encoder": 3}, TypeError, "encoder must be a jostle.features.Encoder"),
        ({"wait": -1}, ValueError, "wait must be at least 0"),
        ({"default_reward": 0}, ValueError, "default_reward needs wait="),
        ({"aggregation": "median"}, ValueError, "unknown aggregation 'median'"),
        ({"mode": "apprentise"}, ValueError, "did you mean 'apprentice'"),
        ({"pending": 0}, ValueError, "pending must be at least 1"),
    ],
)
def test_bad_arguments_are_refused(arguments, error, message):
    with pytest.raises(error, match=message):
        Decider(**arguments)


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda d: d.decide({}, ["a"], id=3), TypeError, "id must be a string, not 3"),
        (lambda d: d.decide({}, ["a"], id=""), ValueError, "id must have 1 to 256 characters"),
        (lambda d: d.decide({}, ["a"], id="\ud800"), ValueError, "id must be Unicode text"),
        (lambda d: d.reward("\udfff", 1.0), ValueError, "id must be Unicode text"),
        (lambda d: d.decide({"new": "x"}, ["a", "a"]), ValueError, "'a' is there twice"),
        (lambda d: d.decide({"new": "x"}, [1, "1"]), ValueError, "'1' is there twice"),
        (lambda d: d.decide({"new": "x"}, ["a"], baseline="b"), ValueError, "baseline must be"),
        (lambda d: d.reward("x", [1.0, 2.0]), TypeError, "value must be one number"),
        (lambda d: d.reward("x", 1.0, reward_id=7), TypeError, "reward_id must be a string"),
        (
            lambda d: d.decide({}, ["a"], baseline="a", baseline_probability=0),
            ValueError,
            "baseline_probability must be between",
        ),
    ],
)
def test_bad_calls_are_refused_and_change_nothing(call, error, message):
    decider = Decider(Uniform(8), clock=Clock())
    encoder = decider.encoder.as_data()
    with pytest.raises(error, match=message):
        call(decider)
    assert decider.encoder.as_data() == encoder
    assert decider.counts["decisions"] == decider.counts["early"] == 0
