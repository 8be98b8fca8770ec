"""Clients: their methods against a real server, and their retries against one that fails."""

import asyncio
import inspect
import json
import math
from types import SimpleNamespace

import httpx
import numpy as np
import pytest

import jostle
from jostle.client import asynchronous, synchronous
from jostle.client.errors import ServiceError, Unreachable
from jostle.client.local import LocalClient
from jostle.client.methods import BlockingClient
from jostle.client.retrying import Retries

from http_support import Site, served


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    site = Site(tmp_path_factory.mktemp("site"), stop_seconds=1.0)
    with served(site) as site.url:
        yield site
    site.close()


@pytest.fixture
def client(site):
    with jostle.Client(site.url, site.admin, "shop") as client:
        yield client


def test_a_decision_and_its_reward(client):
    decision = client.decide({"hour": 9}, ["a", {"id": "b", "features": {"price": 3}}])
    assert decision.action in "ab"
    assert [ranked.id for ranked in decision.ranking] == ["a", "b"]
    assert client.reward(decision.event_id, 1.0, reward_id="r") == "joined"
    assert client.reward(decision.event_id, 1.0, reward_id="r") == "duplicate"
    assert client.decision(decision.event_id)["rewards"][0]["value"] == 1.0
    again = client.decide({"hour": 9}, ["a"], event_id="mine", user="ann", defer=True)
    assert again.event_id == "mine"
    assert client.decide({"hour": 9}, ["a"], event_id="mine", user="ann", defer=True) == again
    assert client.activate("mine") == "activated"
    assert client.erase("ann") == 1


def test_batches_return_errors_in_their_places(client):
    found = client.decide_many(
        [{"actions": ["a", "b"], "context": {}}, {"actions": ["a", "a"]}, {"actions": ["c"]}]
    )
    assert [getattr(one, "action", None) for one in found] == ["a", None, "c"]
    assert isinstance(found[1], ServiceError)
    assert found[1].path == "actions[1].id"
    states = client.reward_many([{"event_id": found[0].event_id, "value": 1.0}])
    assert states == ["joined"]


def test_errors_carry_the_problem(client, site):
    with pytest.raises(ServiceError, match=r"422 .*\(actions\)") as caught:
        client.decide({}, [])
    assert (caught.value.status, caught.value.path) == (422, "actions")
    assert caught.value.type == "urn:jostle:problem:invalid"
    with (
        jostle.Client(site.url, "wrong", "shop") as stranger,
        pytest.raises(ServiceError) as caught,
    ):
        stranger.apps()
    assert caught.value.status == 401


def test_configurations_are_changed_by_etag(client):
    config, tag = client.config()
    changed, new = client.put_config({"wait": 60.0}, tag)
    assert (config.wait, changed.wait) == (3600.0, 60.0)
    with pytest.raises(ServiceError) as caught:
        client.put_config(config, tag)
    assert caught.value.status == 412
    assert client.put_config(config, new)[0] == config


def test_everything_else(client, tmp_path):
    assert client.create_app("fresh", policy="lin-ts").policy == "lin-ts"
    assert "fresh" in [app.app for app in client.apps()]
    assert client.statistics(buckets=2).buckets
    client.export_model(1, tmp_path / "model")
    assert client.import_model(tmp_path / "model").version == 1
    assert client.pin(1)[0].pinned
    assert client.roll_back(1) == client.models()
    job = client.evaluate(["uniform"], level=0.9)
    assert client.evaluation(job.job) == job == client.evaluations()[0]
    assert job.request.level == 0.9
    client.export_log(tmp_path / "log.parquet")
    assert (tmp_path / "log.parquet").read_bytes() == b"PAR1"
    with pytest.raises(ServiceError):
        client.export_model(7, tmp_path / "none")
    assert not (tmp_path / "none").exists()
    key = client.create_key({"shop": ["read"]}, "note")
    known = client.keys()
    assert key.id in [each.id for each in known]
    client.revoke_key(key.id)
    assert client.health().ready
    assert client.decisions(limit=1)


def test_health_of_an_ill_service_is_an_answer(client, site):
    site.service.full = True
    try:
        assert not client.health().ready
    finally:
        site.service.full = False


def test_arrays_are_sent_and_nan_is_not(client):
    context = {"x": np.float32(1.5), "y": np.arange(3), "z": {"deep": np.int64(3)}}
    sent = client.decide(context, ["a"], event_id="arrays")
    request = client.decision(sent.event_id)["request"]
    assert request["context"] == {"x": 1.5, "y": [0, 1, 2], "z": {"deep": 3}}
    with pytest.raises(ValueError, match="not JSON compliant"):
        client.decide({"x": math.nan}, ["a"])
    with pytest.raises(TypeError, match="cannot be sent as JSON"):
        client.decide({"x": object()}, ["a"])


@pytest.mark.parametrize("id", ["a/b", "..", ".", "é ☃?#%2F", "a\nb"])
def test_ids_of_any_characters_go_through_a_real_server(client, id):
    client.decide({}, ["a"], event_id=id)
    assert client.reward(id, 1.0) == "joined"
    assert client.decision(id)["event_id"] == id


def test_the_asynchronous_client_does_the_same(site):
    async def use():
        async with jostle.AsyncClient(site.url, site.admin, "shop") as client:
            decisions = await asyncio.gather(
                *(client.decide({"hour": hour}, ["a", "b"]) for hour in range(20))
            )
            assert len({decision.event_id for decision in decisions}) == 20
            assert await client.reward(decisions[0].event_id, 1.0) == "joined"
            config, tag = await client.config()
            assert (await client.put_config(config, tag))[0] == config
            with pytest.raises(ServiceError):
                await client.decide({}, [])

    asyncio.run(use())


def test_all_clients_have_the_same_methods():
    def methods(kind):
        return {
            name: [
                (p.name, p.kind, p.default) for p in inspect.signature(method).parameters.values()
            ]
            for name, method in inspect.getmembers(kind, inspect.isfunction)
            if not name.startswith("_") and name != "close"
        }

    assert methods(jostle.Client) == methods(BlockingClient) == methods(LocalClient)
    assert methods(jostle.AsyncClient) == methods(jostle.Client)


class Flaky(httpx.BaseTransport):
    """A server that does what it is told, then fails to say so, in turn."""

    def __init__(self, outcomes):
        self.outcomes = list(outcomes)
        self.bodies = []
        self.done = {}

    def handle_request(self, request):
        self.bodies.append(request.read())
        outcome = self.outcomes.pop(0)
        if outcome == "connect":
            raise httpx.ConnectError("refused")
        body = json.loads(self.bodies[-1] or b"null")
        if outcome in ("lost", 201) and "event_id" in body:  # it is done in both cases
            self.done.setdefault(body["event_id"], len(self.done))
        if outcome == "lost":
            raise httpx.ReadError("reset")
        if outcome == 201:
            answer = {
                "event_id": body["event_id"], "action": "a", "probability": 1.0, "ranking": [],
                "model": {"version": 0, "position": 0}, "mode": "online", "expires_at": 1.0,
            }  # fmt: skip
            return httpx.Response(201, json=answer)
        return httpx.Response(outcome, text="<html>busy</html>", headers={"retry-after": "2"})


@pytest.fixture
def slept(monkeypatch):
    found = []
    monkeypatch.setattr(synchronous, "time", SimpleNamespace(sleep=found.append))
    return found


def test_retries_send_the_same_bytes_and_decide_once(slept):
    server = Flaky(["connect", "lost", 503, 429, 502, 201])
    client = jostle.Client("http://server", transport=server)
    decision = client.decide({"hour": 9}, ["a"])
    assert len(set(server.bodies)) == 1
    assert len(server.bodies) == 6
    assert list(server.done) == [decision.event_id]
    assert len(slept) == 5
    assert all(seconds >= 2.0 for seconds in slept[2:])  # Retry-After is kept
    assert slept[0] <= 0.1
    assert slept[1] <= 0.2


def test_the_asynchronous_client_retries_too(monkeypatch):
    class AsyncFlaky(Flaky, httpx.AsyncBaseTransport):
        async def handle_async_request(self, request):
            await request.aread()
            return self.handle_request(request)

    pauses = []

    async def sleep(seconds):
        pauses.append(seconds)

    # Not asyncio.sleep itself: the server of the other tests uses it.
    monkeypatch.setattr(asynchronous, "asyncio", SimpleNamespace(sleep=sleep))
    server = AsyncFlaky(["connect", "lost", 503, 201])

    async def use():
        async with jostle.AsyncClient("http://server", transport=server) as client:
            return await client.decide({"hour": 9}, ["a"])

    decision = asyncio.run(use())
    assert len(set(server.bodies)) == 1
    assert list(server.done) == [decision.event_id]
    assert len(pauses) == 3
    assert pauses[2] >= 2.0


def test_retries_end(slept):
    with pytest.raises(Unreachable, match="reset"):
        jostle.Client("http://server", transport=Flaky(["lost"] * 3), retries=2).decide({}, ["a"])
    with pytest.raises(ServiceError, match="503 Not answered by the service: <html>"):
        jostle.Client("http://server", transport=Flaky([503] * 3), retries=2).decide({}, ["a"])
    assert len(slept) == 4
    client = jostle.Client("http://server", transport=Flaky([400]))
    with pytest.raises(ServiceError):
        client.decide({}, ["a"])
    assert len(slept) == 4  # what is wrong stays wrong


def test_what_may_have_been_done_is_not_repeated_if_that_would_do_it_twice(slept):
    for outcome in ("lost", 502):
        server = Flaky([outcome])
        client = jostle.Client("http://server", transport=server)
        with pytest.raises((Unreachable, ServiceError)):
            client.roll_back(1)
        assert len(server.bodies) == 1
    assert not slept


def test_pauses_grow_to_a_limit():
    retries = Retries(most=9, first=0.1, longest=1.0)
    for attempt in range(9):
        drawn = [retries.wait(attempt) for _ in range(200)]
        most = min(1.0, 0.1 * 2**attempt)
        assert 0.8 * most < max(drawn) <= most
    assert retries.wait(0, 3.0) >= 3.0


@pytest.mark.parametrize("url", ["", "server", "ftp://server"])
def test_bad_addresses(url):
    with pytest.raises(ValueError, match="url must start with"):
        jostle.Client(url)
    with pytest.raises(ValueError, match="url must start with"):
        jostle.AsyncClient(url)
