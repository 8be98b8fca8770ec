"""The real service over HTTP answers as the reference does, whatever is asked in whatever order."""

import itertools
from urllib.parse import quote

import msgspec
import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, precondition, rule, run_state_machine_as_test

from http_support import Site
from real_site import RealSite

APP = "/v1/apps/shop"
EVENTS = st.sampled_from(["a", "b", "c/d", "é", "."])
ACTIONS = st.sampled_from([["x"], ["x", "y"], ["x", "y", "z"], ["x", "x"]])
VALUES = st.sampled_from([0.0, 0.5, 1.0, 7.0])
"""The last one is out of bounds."""
DECISIONS = st.fixed_dictionaries(
    {"actions": ACTIONS},
    optional={
        "context": st.sampled_from([{}, {"hour": 9}, {"hour": 10}]),
        "exclude": st.sampled_from([[], ["x"], ["q"]]),
        "baseline": st.sampled_from(["x", "y"]),
        "defer": st.booleans(),
        "user": st.sampled_from(["ann", "bob"]),
    },
)
REWARDS = st.fixed_dictionaries(
    {"value": VALUES},
    optional={"reward_id": st.sampled_from(["r", "s"]), "final": st.booleans()},
)


class Interface(RuleBasedStateMachine):
    """The same requests to the service and to the reference."""

    real: RealSite
    reference: Site
    numbers = itertools.count()

    def __init__(self):
        super().__init__()
        self.prefix = f"{next(self.numbers)}-"
        self.decided = {}

    def both(self, method, path, body=None, **options):
        """The answers to a request, of the same status and problem."""
        answers = [
            site.request(method, f"{APP}{path}", body, **options)
            for site in (self.real, self.reference)
        ]
        ours, expected = answers
        assert ours.status_code == expected.status_code, (ours.text, expected.text)
        if ours.status_code >= 400:
            assert ours.json()["type"] == expected.json()["type"]
            if ours.json()["type"].endswith(":invalid"):
                assert ours.json()["path"] == expected.json()["path"]
        return ours, expected

    def request(self, event, decision):
        actions = [{"id": id} for id in decision["actions"]]
        return {**decision, "actions": actions, "event_id": self.prefix + event}

    def path(self, event):
        return "/decisions/" + quote(self.prefix + event, safe="")

    @rule(event=EVENTS, decision=DECISIONS)
    def decide(self, event, decision):
        ours, _ = self.both("POST", "/decisions", self.request(event, decision))
        if ours.status_code == 201:
            self.decided[event] = decision, ours.content
        elif ours.status_code == 200:
            assert ours.content == self.decided[event][1]  # byte for byte

    @precondition(lambda self: self.decided)
    @rule(data=st.data())
    def decide_again(self, data):
        event = data.draw(st.sampled_from(sorted(self.decided)))
        decision, content = self.decided[event]
        ours, _ = self.both("POST", "/decisions", self.request(event, decision))
        assert (ours.status_code, ours.content) == (200, content)

    @rule(items=st.lists(st.tuples(EVENTS, DECISIONS), min_size=1, max_size=4))
    def decide_batch(self, items):
        requests = [self.request(event, decision) for event, decision in items]
        ours, expected = self.both("POST", "/batches/decisions", {"decisions": requests})
        for (event, decision), got, wanted in zip(
            items, ours.json()["decisions"], expected.json()["decisions"], strict=True
        ):
            assert got["status"] == wanted["status"]
            if got["status"] == 201:
                content = self.real.request(
                    "POST", f"{APP}/decisions", self.request(event, decision)
                )
                assert content.json() == got["decision"]
                self.decided[event] = decision, content.content

    @rule(event=EVENTS, reward=REWARDS)
    def reward(self, event, reward):
        ours, expected = self.both("POST", f"{self.path(event)}/rewards", reward)
        assert ours.json().get("state") == expected.json().get("state")

    @rule(items=st.lists(st.tuples(EVENTS, REWARDS), min_size=1, max_size=4))
    def reward_batch(self, items):
        rewards = [{**reward, "event_id": self.prefix + event} for event, reward in items]
        ours, expected = self.both("POST", "/batches/rewards", {"rewards": rewards})
        for got, wanted in zip(ours.json()["rewards"], expected.json()["rewards"], strict=True):
            assert (got["status"], got.get("state")) == (wanted["status"], wanted.get("state"))

    @rule(event=EVENTS)
    def activate(self, event):
        ours, expected = self.both("POST", f"{self.path(event)}/activate")
        assert ours.json().get("state") == expected.json().get("state")

    @rule(event=EVENTS)
    def look(self, event):
        ours, expected = self.both("GET", self.path(event))
        if ours.status_code == 200:
            got, wanted = ours.json(), expected.json()
            assert got["state"] == wanted["state"]
            values = [[reward["value"] for reward in each["rewards"]] for each in (got, wanted)]
            assert values[0] == values[1]
            if wanted["closed"]:
                assert {name: got["closed"][name] for name in wanted["closed"]} == wanted["closed"]
            if event in self.decided:
                assert got["answer"] == msgspec.json.decode(self.decided[event][1])

    @rule(stale=st.booleans(), wait=st.sampled_from([3600.0, 7200.0]))
    def configure(self, stale, wait):
        tags = [site.request("GET", f"{APP}/config").headers["etag"] for site in self.sites]
        config = {"policy": "uniform", "bounds": [0.0, 1.0], "wait": wait}
        answers = [
            site.request(
                "PUT", f"{APP}/config", config, headers={"if-match": '"stale"' if stale else tag}
            )
            for site, tag in zip(self.sites, tags, strict=True)
        ]
        assert [answer.status_code for answer in answers] == [412 if stale else 200] * 2
        assert self.real.request("GET", f"{APP}/config").json()["wait"] in (3600.0, 7200.0)

    @property
    def sites(self):
        return (self.real, self.reference)

    @rule()
    def restart(self):
        self.real.restart()


def play(tmp_path, examples, steps):
    config = {"policy": "uniform", "bounds": [0.0, 1.0]}
    Interface.real, Interface.reference = RealSite(tmp_path / "real"), Site(tmp_path / "reference")
    try:
        for site in (Interface.real, Interface.reference):
            answer = site.request("PUT", f"{APP}/config", config, headers={"if-match": "*"})
            assert answer.status_code == 200
        run_state_machine_as_test(
            Interface,
            settings=settings(
                max_examples=examples,
                stateful_step_count=steps,
                deadline=None,
                derandomize=True,
                database=None,
                suppress_health_check=list(HealthCheck),
            ),
        )
    finally:
        Interface.real.close()
        Interface.reference.close()


def test_the_service_answers_as_the_reference(tmp_path):
    for name in ("real", "reference"):
        (tmp_path / name).mkdir()
    play(tmp_path, 5, 20)


@pytest.mark.study
def test_the_service_answers_as_the_reference_for_long(tmp_path):
    for name in ("real", "reference"):
        (tmp_path / name).mkdir()
    play(tmp_path, 40, 40)
