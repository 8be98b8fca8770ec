"""The service against a small model of its rules, with restarts, by Hypothesis."""

import shutil
import tempfile
from pathlib import Path

import msgspec
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule
from service_support import Bench

from jostle.service.log.records import Kind, decode
from jostle.service.log.sqlite import SqliteLog
from jostle.service.messages import Config
from jostle.service.problems import NotFound, Used

WAIT = 10.0
EVENTS = st.sampled_from(["a", "b", "c"])
CONFIG = Config(policy="uniform", dimensions=8, wait=WAIT, aggregation="sum", default_reward=-1.0)


class Model:
    """One event, by the rules of the documentation."""

    def __init__(self):
        self.body = self.answer = self.expires = None
        self.state = "unknown"  # then early, open, deferred, closed
        self.rewards, self.ids, self.final = [], set(), False
        self.closed = []

    def end(self, now):
        if self.state == "early" and now >= self.expires:
            self.__init__()
        elif self.state == "open" and now >= self.expires:
            self.close(sum(self.rewards) if self.rewards else -1.0)
        elif self.state == "deferred" and now >= self.expires:
            self.close(None)

    def close(self, reward):
        self.state = "closed"
        self.closed.append(reward)

    def settle(self):
        if self.state == "open" and self.final:
            self.close(sum(self.rewards))


class ServiceMachine(RuleBasedStateMachine):
    """Random calls of the service, and the same of the model."""

    @initialize()
    def start(self):
        self.folder = Path(tempfile.mkdtemp())
        self.bench = Bench(self.folder / "data").create(CONFIG)
        self.events = {}

    def teardown(self):
        if hasattr(self, "bench"):
            self.check_the_log()
            self.bench.close()
            shutil.rmtree(self.folder)

    def event(self, name):
        event = self.events.setdefault(name, Model())
        event.end(self.bench.clock.now)
        return event

    @rule(name=EVENTS, body=st.integers(0, 1), defer=st.booleans())
    def decide(self, name, body, defer):
        event = self.event(name)
        try:
            found = self.bench.decide(name, context={"body": body}, defer=defer)
        except Used:
            assert event.body not in (None, (body, defer))
            return
        assert found.created == (event.body is None)
        if event.body is None:
            event.body, event.answer = (body, defer), found.body
            event.state = "deferred" if defer else "open"
            event.expires = self.bench.clock.now + WAIT
            event.settle()
        assert event.body == (body, defer)
        assert event.answer == found.body

    @rule(
        name=EVENTS,
        value=st.integers(0, 9),
        reward_id=st.sampled_from([None, "r", "s"]),
        final=st.booleans(),
    )
    def reward(self, name, value, reward_id, final):
        event = self.event(name)
        state = self.bench.reward(name, float(value), reward_id=reward_id, final=final)
        if event.state == "unknown":
            event.state, event.expires = "early", self.bench.clock.now + WAIT
        if reward_id is not None and reward_id in event.ids:
            assert state == "duplicate"
            return
        event.ids |= {reward_id} - {None}
        if event.state == "closed" or event.final:
            assert state == "late"
            return
        assert state == ("pending" if event.state == "early" else "joined")
        event.rewards.append(value)
        event.final = final
        event.settle()

    @rule(name=EVENTS)
    def activate(self, name):
        event = self.event(name)
        try:
            state = self.bench.run(self.bench.service.activate("a", name))
        except NotFound:
            assert event.body is None
            return
        expected = {"deferred": "activated", "open": "active", "closed": "late"}
        assert state == expected[event.state]
        if event.state == "deferred":
            event.state = "open"
            event.settle()

    @rule(seconds=st.sampled_from([1.0, 5.0, WAIT]), look=st.booleans())
    def pass_time(self, seconds, look):
        self.bench.clock.now += seconds
        if look:
            self.bench.pass_time(0)

    @rule()
    def restart(self):
        self.bench.restart()

    @invariant()
    def open_decisions_are_counted(self):
        if hasattr(self, "bench"):
            self.bench.pass_time(0)
            for name in self.events:
                self.event(name)
            expected = sum(
                event.state in ("early", "open", "deferred") for event in self.events.values()
            )
            assert self.bench.service.statistics("a").open == expected

    def check_the_log(self):
        """Every decision is closed at most once, with the reward of the model."""
        log = SqliteLog(self.folder / "data")
        found = {name: [] for name in self.events}
        for record in log.records():
            if record.kind == Kind.CLOSED:
                found[record.event].append(decode(record).reward)
        log.close()
        assert found == {name: event.closed for name, event in self.events.items()}
        totals = self.bench.service.statistics("a").totals
        assert totals.decisions == sum(event.body is not None for event in self.events.values())
        assert msgspec.json.encode(totals)


TestService = ServiceMachine.TestCase
TestService.settings = settings(
    max_examples=12,
    stateful_step_count=20,
    deadline=None,
    derandomize=True,
    suppress_health_check=list(HealthCheck),
)
