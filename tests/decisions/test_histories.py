"""The decider against a plain reference, over random histories with every kind of disorder."""

import tempfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from jostle import Agent, Decider, Uniform
from jostle.decisions import decider as module
from jostle.decisions import policies
from jostle.features import Encoder
from jostle.types import Choice

from decisions.reference import AGGREGATIONS, Reference

ACTIONS = ["a", "b", {"id": "c", "price": 2.5}]
IDS = st.sampled_from([f"d{i}" for i in range(6)])
SIZE = 8


class Recorder(Agent):
    """An agent without a model: it chooses at random, and notes what it is told to learn."""

    def __init__(self, learned=(), state=None):
        self.policy, self.learned = Uniform(SIZE), list(learned)
        self.random = np.random.default_rng(0)
        if state is not None:
            self.random.bit_generator.state = state

    def decide(self, rows, arms=None):
        scores = self.random.random(len(rows))
        return Choice(int(scores.argmax()), scores, np.full(len(rows), 1 / len(rows)))

    def learn(self, vectors, rewards, arm=None):
        assert np.shape(vectors) == (len(rewards), SIZE)
        self.learned += rewards

    def as_data(self):
        return {"learned": self.learned, "random": self.random.bit_generator.state}, ()

    @classmethod
    def from_data(cls, header, leaves, policy=None):
        return cls(header["learned"], header["random"])


class Histories(RuleBasedStateMachine):
    """Random calls of a decider and of the reference."""

    @initialize(
        wait=st.sampled_from([None, 3.0, 10.0]),
        default=st.sampled_from([None, 0.0, -1.0]),
        aggregation=st.sampled_from(list(AGGREGATIONS)),
        at_once=st.booleans(),
        pending=st.sampled_from([1, 2, 3, 100]),
    )
    def start(self, wait, default, aggregation, at_once, pending):
        default = None if wait is None else default
        self.time, self.ended, self.answers = 0.0, [], {}
        self.reference = Reference(wait, default, aggregation, at_once, pending)
        self.decider = Decider(
            Recorder(), Encoder(SIZE), wait=wait, default_reward=default, pending=pending,
            aggregation=aggregation, learn_at_once=at_once, clock=self.clock, log=self.log,
        )  # fmt: skip

    def clock(self):
        return self.time

    def log(self, closed):
        self.ended.append((closed.id, closed.reward))

    @rule(id=IDS, variant=st.integers(0, 1))
    def decide(self, id, variant):
        request = ({"n": variant, "text": "x"}, ACTIONS)
        reordered = ({"text": "x", "n": variant}, ACTIONS)
        known = self.decider._ledger.find(id)
        before = None if known is None else known.decision
        try:
            answer = self.decider.decide(*request, id=id)
            assert self.decider.decide(*reordered, id=id) == answer
        except ValueError as error:
            assert "another request" in str(error)  # noqa: PT017
            answer = "refused"
        expected = self.reference.decide(id, variant, answer, self.time)
        assert answer == (answer if expected is None else expected)
        if expected not in (None, "refused"):
            assert answer == before

    @rule()
    def decide_without_an_id(self):
        answer = self.decider.decide({"n": 1.0}, ACTIONS)
        assert self.reference.decide(answer.id, None, answer, self.time) is None
        assert answer.action == answer.ranking[0] == ["a", "b", "c"][answer.index]
        assert sorted(answer.ranking) == ["a", "b", "c"]
        assert answer.probability == pytest.approx(1 / 3)

    @rule(id=IDS, value=st.integers(-3, 3), name=st.sampled_from([None, "r", "s"]))
    def reward(self, id, value, name):
        state = self.decider.reward(id, value / 4, name)
        assert state == self.reference.reward(id, value / 4, name, self.time)

    @rule(step=st.sampled_from([-5.0, 0.5, 1.0, 3.0, 20.0]))
    def let_time_pass(self, step):
        self.time += step

    @rule()
    def advance(self):
        self.decider.advance()
        self.reference.tick(self.time)

    @rule()
    def restart(self):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "decider.npz"
            self.decider.save(path)
            self.reference.tick(self.time)
            self.decider = Decider.load(path, clock=self.clock, log=self.log)

    @rule(bad=st.sampled_from([float("nan"), "x", None, 1e40]))
    def refuse_a_bad_reward(self, bad):
        with pytest.raises((TypeError, ValueError), match="value"):
            self.decider.reward("d0", bad)

    @rule()
    def refuse_a_bad_request(self):
        with pytest.raises(ValueError, match=r"context\.n"):
            self.decider.decide({"n": float("nan")}, ACTIONS)
        with pytest.raises(ValueError, match="'a' is there twice"):
            self.decider.decide({}, ["a", "b", "a"])
        self.reference.tick(self.time)

    @invariant()
    def the_same_has_happened(self):
        if not hasattr(self, "decider"):
            return
        reference, counts = self.reference, self.decider.counts
        assert self.ended == reference.ended
        learned = [reward for _, reward in reference.ended if reward is not None]
        assert self.decider.agent.learned == learned
        assert counts["open"] == len(reference.open) <= reference.pending
        assert counts["late"] == reference.late == len(self.decider.late)
        assert counts["duplicate"] == reference.duplicates
        assert counts["unmatched"] == reference.unmatched
        assert counts["evicted"] == reference.evicted


@pytest.fixture(autouse=True)
def recorders(monkeypatch):
    for place in (module, policies):
        monkeypatch.setattr(place, "Agent", Recorder)


def play(examples):
    from hypothesis.stateful import run_state_machine_as_test

    chosen = settings(
        max_examples=examples, stateful_step_count=30, deadline=None,
        suppress_health_check=list(HealthCheck),
    )  # fmt: skip
    run_state_machine_as_test(Histories, settings=chosen)


def test_random_histories():
    play(40)


@pytest.mark.study
def test_many_more_random_histories():
    play(700)
