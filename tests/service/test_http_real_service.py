"""The HTTP interface with the real service behind it."""

import json
import time

import msgspec
import pytest

from jostle.logs.files import read
from jostle.service.messages import DecisionAnswer

from http_support import DECISION
from real_site import RealSite

APP = "/v1/apps/shop"
PATH = f"{APP}/decisions"


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    site = RealSite(tmp_path_factory.mktemp("site"))
    site.create(
        "strict",
        policy="uniform",
        bounds=[0.0, 1.0],
        schema={"context": {"hour": {"type": "number"}}},
    )
    yield site
    site.close()


def test_answers_are_the_same_bytes_after_a_restart(site):
    body = {**DECISION, "event_id": "kept", "explain": True}
    first = site.request("POST", PATH, body)
    assert first.status_code == 201
    # The order of names is not part of a request.
    shuffled = json.dumps(dict(reversed(body.items()))).encode()
    again = site.request("POST", PATH, shuffled)
    batch = site.request("POST", f"{APP}/batches/decisions", {"decisions": [body]})
    site.restart()
    restarted = site.request("POST", PATH, body)
    assert (again.status_code, restarted.status_code) == (200, 200)
    assert first.content == again.content == restarted.content
    assert first.content in batch.content
    answer = msgspec.json.decode(first.content, type=DecisionAnswer)
    assert sum(ranked.probability for ranked in answer.ranking) == pytest.approx(1)
    other = site.request("POST", PATH, {**body, "explain": False})
    assert other.json()["type"] == "urn:jostle:problem:used"


def test_answers_stay_the_same_when_the_app_would_refuse_the_request_by_now(site):
    site.create("learned", policy="uniform")
    app, anyhow = "/v1/apps/learned", {"if-match": "*"}
    body = {**DECISION, "event_id": "before"}
    first = site.request("POST", f"{app}/decisions", body)
    config = {"policy": "uniform", "mode": "apprentice"}
    assert site.request("PUT", f"{app}/config", config, headers=anyhow).status_code == 200
    again = site.request("POST", f"{app}/decisions", body)
    assert (again.status_code, again.content) == (200, first.content)
    bad = {**DECISION, "event_id": "other"}
    large = {**DECISION, "event_id": "before", "context": {"x": 10**30}}
    batch = {"decisions": [body, bad, large, {**bad, "baseline": "a"}]}
    answer = site.request("POST", f"{app}/batches/decisions", batch)
    assert first.content in answer.content
    assert [each["status"] for each in answer.json()["decisions"]] == [200, 422, 422, 201]


def test_the_same_id_in_one_batch_is_decided_once(site):
    body = {**DECISION, "event_id": "twice"}
    answer = site.request("POST", f"{APP}/batches/decisions", {"decisions": [body, body]})
    first, second = answer.json()["decisions"]
    assert (first["status"], second["status"]) == (201, 200)
    assert first["decision"] == second["decision"]


def test_rewards_survive_a_restart(site):
    site.request("POST", PATH, {**DECISION, "event_id": "e1"})

    def reward(event, **body):
        return site.request("POST", f"{PATH}/{event}/rewards", body).json()["state"]

    assert reward("e1", value=1, reward_id="r") == "joined"
    assert reward("early", value=0.25, final=True) == "pending"
    site.restart()
    assert reward("e1", value=1, reward_id="r") == "duplicate"
    assert reward("e1", value=0.5, final=True) == "joined"
    assert reward("e1", value=0.5) == "late"
    site.request("POST", PATH, {**DECISION, "event_id": "early"})
    found = site.request("GET", f"{PATH}/early").json()
    assert (found["closed"]["reason"], found["closed"]["reward"]) == ("final", 0.25)


@pytest.mark.parametrize(
    ("change", "path"),
    [
        ({"actions": [{"id": "a"}, {"id": "a"}]}, "actions[1].id"),
        ({"exclude": ["c"]}, "exclude[0]"),
        ({"exclude": ["a", "b"]}, "exclude"),
        ({"baseline": "c"}, "baseline"),
        ({"event_id": "a\x00b"}, "event_id"),
        ({"context": {"x": [{"y": [1]}]}}, None),
        ({"context": {"x": {"y": [1, 10**30]}}}, "context.x.y[1]"),
        ({"actions": [{"id": "a", "features": {"x": -(10**30)}}]}, "actions[0].features.x"),
        ({"actions": [{"id": "a", "features": {"id": "b"}}]}, "actions[0].features.id"),
    ],
)
def test_what_the_service_refuses_is_told_with_its_path(site, change, path):
    answer = site.request("POST", PATH, {**DECISION, **change})
    assert answer.status_code == 422
    if path is not None:
        assert answer.json()["path"] == path


def test_the_schema_and_bounds_of_an_app_are_kept(site):
    strict = "/v1/apps/strict"
    answer = site.request("POST", f"{strict}/decisions", {**DECISION, "context": {"hour": "x"}})
    assert (answer.status_code, answer.json()["path"]) == (422, "context.hour")
    answer = site.request("POST", f"{strict}/decisions/e/rewards", {"value": 2})
    assert (answer.status_code, answer.json()["path"]) == (422, "value")


@pytest.mark.parametrize("depth", [10, 100, 300, 900])
def test_nesting_is_decided_on_or_refused(site, depth):
    nested = b'{"x":' * depth + b"1" + b"}" * depth
    body = b'{"context": ' + nested + b', "actions": [{"id": "a"}]}'
    answer = site.request("POST", PATH, body)
    assert answer.status_code in (201, 400, 422)


def test_configurations_and_their_tags_survive_a_restart(site):
    read = site.request("GET", f"{APP}/config")
    config, tag = read.json(), {"if-match": read.headers["etag"]}
    changed = site.request("PUT", f"{APP}/config", {**config, "wait": 60.0}, headers=tag)
    assert changed.status_code == 200
    assert site.request("PUT", f"{APP}/config", config, headers=tag).status_code == 412
    site.restart()
    again = site.request("GET", f"{APP}/config")
    assert again.json() == changed.json()
    assert again.headers["etag"] == changed.headers["etag"]
    bad = {"policy": "os:system"}
    refused = site.request("PUT", f"{APP}/config", bad, headers={"if-match": "*"})
    assert (refused.status_code, refused.json()["path"]) == (422, "policy")


def test_apps_models_statistics_and_metrics(site):
    assert site.request("PUT", "/v1/apps/shop", {}).status_code == 412
    refused = site.request("PUT", "/v1/apps/Not%20a%20name", {})
    assert (refused.status_code, refused.json()["path"]) == (422, "app")
    assert site.request("GET", f"{APP}/models").status_code == 200
    assert site.request("GET", f"{APP}/models/7/file").status_code == 404
    assert site.request("PUT", f"{APP}/pin", {"version": 7}).status_code == 404
    assert site.request("POST", f"{APP}/rollback", {"version": 7}).status_code == 404
    binary = {"content-type": "application/octet-stream"}
    for content in (b"", b"nonsense", b"PK\x03\x04", b"\x93NUMPY"):
        answer = site.request("POST", f"{APP}/models", content, headers=binary)
        assert answer.status_code == 422
    site.request("POST", PATH, DECISION)
    found = site.request("GET", f"{APP}/statistics").json()
    assert found["totals"]["decisions"] >= 1
    assert 'jostle_decisions_total{app="shop"}' in site.request("GET", "/metrics").text
    assert site.request("GET", "/readyz").status_code == 200


@pytest.mark.study
def test_the_log_is_exported_evaluated_and_erased(site, tmp_path):
    site.create("blog", policy="uniform", wait=0.05)
    blog = "/v1/apps/blog"
    requests = [{**DECISION, "event_id": f"e{i}", "user": "ann"} for i in range(20)]
    site.request("POST", f"{blog}/batches/decisions", {"decisions": requests})
    rewards = [{"event_id": f"e{i}", "value": i % 2} for i in range(20)]
    site.request("POST", f"{blog}/batches/rewards", {"rewards": rewards})
    for _ in range(200):
        if site.request("GET", f"{blog}/statistics").json()["totals"]["closed"] == 20:
            break
        time.sleep(0.02)
    file = site.request("GET", f"{blog}/exports")
    assert file.status_code == 200
    (tmp_path / "log.parquet").write_bytes(file.content)
    assert len(read(tmp_path / "log.parquet")) == 20
    assert not list(site.folder.glob(".export*"))
    for body, path in (
        ({"policies": [""]}, "policies[0]"),
        ({"policies": ["uniform", "os:system"]}, "policies[1]"),
        ({"policies": ["uniform"], "baseline": "x"}, "baseline"),
    ):
        refused = site.request("POST", f"{blog}/evaluations", body)
        assert (refused.status_code, refused.json()["path"]) == (422, path)
    assert site.request("DELETE", f"{blog}/users/ann").json() == {"decisions": 20}
    again = site.request("POST", f"{blog}/decisions", requests[0])
    assert again.json()["type"] == "urn:jostle:problem:used"
