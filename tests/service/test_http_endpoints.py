"""Each operation of the HTTP interface, against the reference."""

from urllib.parse import quote

import msgspec
import pytest

from jostle.service.messages import Config, Health, Statistics

from http_support import DECISION, Site

APP = "/v1/apps/shop"


@pytest.fixture(scope="module")
def shared(tmp_path_factory):
    site = Site(tmp_path_factory.mktemp("site"))
    yield site
    site.close()


@pytest.fixture
def site(shared):
    shared.service.found.clear()
    shared.service.full = False
    shared.create("shop")
    return shared


def test_a_decision_is_created_and_then_repeated_byte_for_byte(site):
    body = {**DECISION, "event_id": "e1"}
    first = site.request("POST", f"{APP}/decisions", body)
    again = site.request("POST", f"{APP}/decisions", body)
    assert (first.status_code, again.status_code) == (201, 200)
    assert first.content == again.content
    assert first.headers["content-type"] == "application/json"
    answer = first.json()
    assert set(answer) == {
        "event_id", "action", "probability", "ranking", "model", "mode", "expires_at",
    }  # fmt: skip
    assert answer["event_id"] == "e1"
    other = site.request("POST", f"{APP}/decisions", {**body, "context": {"hour": 10}})
    assert other.status_code == 422
    assert other.json()["type"] == "urn:jostle:problem:used"


def test_a_decision_without_an_id_gets_one(site):
    ids = {site.request("POST", f"{APP}/decisions", DECISION).json()["event_id"] for _ in range(3)}
    assert len(ids) == 3


def test_a_batch_answers_each_request_as_it_would_be_alone(site):
    single = site.request("POST", f"{APP}/decisions", {**DECISION, "event_id": "e1"})
    bad = {"actions": [{"id": "a"}, {"id": "a"}]}
    requests = [{**DECISION, "event_id": "e1"}, {**DECISION, "event_id": "e2"}, bad]
    answer = site.request("POST", f"{APP}/batches/decisions", {"decisions": requests})
    assert answer.status_code == 200
    results = answer.json()["decisions"]
    assert [result["status"] for result in results] == [200, 201, 422]
    assert single.content in answer.content  # the very bytes
    assert results[2]["problem"]["path"] == "actions[1].id"


@pytest.mark.parametrize("count", [0, 257])
def test_a_batch_has_1_to_256_requests(site, count):
    answer = site.request("POST", f"{APP}/batches/decisions", {"decisions": [DECISION] * count})
    assert (answer.status_code, answer.json()["path"]) == (422, "decisions")
    rewards = [{"event_id": "e", "value": 1}] * count
    answer = site.request("POST", f"{APP}/batches/rewards", {"rewards": rewards})
    assert (answer.status_code, answer.json()["path"]) == (422, "rewards")


def test_a_wrongly_shaped_request_refuses_its_batch_and_says_where(site):
    body = {"decisions": [DECISION, {"actions": [{"id": "a"}, {"id": 3}]}]}
    answer = site.request("POST", f"{APP}/batches/decisions", body)
    assert answer.status_code == 422
    assert answer.json()["path"] == "decisions[1].actions[1].id"
    assert not site.service.found["shop"].events


def test_rewards_join_wait_repeat_and_come_late(site):
    site.request("POST", f"{APP}/decisions", {**DECISION, "event_id": "e1"})

    def reward(event, **body):
        answer = site.request("POST", f"{APP}/decisions/{event}/rewards", body)
        assert answer.status_code == 202
        return answer.json()["state"]

    assert reward("e1", value=1, reward_id="r") == "joined"
    assert reward("e1", value=1, reward_id="r") == "duplicate"
    assert reward("e1", value=0.5, final=True) == "joined"
    assert reward("e1", value=0.5) == "late"
    assert reward("to-come", value=1) == "pending"
    assert site.service.found["shop"].events["e1"].counted == [1, 0.5]


def test_a_batch_of_rewards(site):
    site.create("bounded", bounds=[0.0, 1.0])
    rewards = [{"event_id": "e1", "value": 1}, {"event_id": "e2", "value": 7}]
    answer = site.request("POST", "/v1/apps/bounded/batches/rewards", {"rewards": rewards})
    results = answer.json()["rewards"]
    assert [result["status"] for result in results] == [202, 422]
    assert results[0]["state"] == "pending"
    assert results[1]["problem"]["path"] == "value"


@pytest.mark.parametrize("id", ["a/b", "a b?c#d%", "é☃", "..", "a%2Fb", "decisions", "x" * 256])
def test_ids_may_hold_any_character(site, id):
    site.request("POST", f"{APP}/decisions", {**DECISION, "event_id": id})
    encoded = quote(id, safe="").replace(".", "%2E")
    answer = site.request("POST", f"{APP}/decisions/{encoded}/rewards", {"value": 1})
    assert answer.json() == {"state": "joined"}
    found = site.request("GET", f"{APP}/decisions/{encoded}").json()
    assert found["event_id"] == id
    assert [reward["value"] for reward in found["rewards"]] == [1]


def test_deferred_decisions_are_activated(site):
    site.request("POST", f"{APP}/decisions", {**DECISION, "event_id": "e1", "defer": True})
    states = [
        site.request("POST", f"{APP}/decisions/e1/activate").json()["state"] for _ in range(2)
    ]
    assert states == ["activated", "active"]
    assert site.request("POST", f"{APP}/decisions/none/activate").status_code == 404


def test_decisions_are_listed_newest_first(site):
    for id in "abc":
        site.request("POST", f"{APP}/decisions", {**DECISION, "event_id": id})
    listed = site.request("GET", f"{APP}/decisions?limit=2").json()["decisions"]
    assert [decision["event_id"] for decision in listed] == ["c", "b"]


def test_apps_are_made_once(site):
    made = site.request("PUT", "/v1/apps/new", {"policy": "lin-ts"})
    assert made.status_code == 201
    assert msgspec.json.decode(made.content, type=Config).policy == "lin-ts"
    assert made.headers["etag"].startswith('"')
    assert site.request("PUT", "/v1/apps/new", {}).status_code == 412
    assert site.request("PUT", "/v1/apps/plain").status_code == 201  # a body is not needed
    listed = site.request("GET", "/v1/apps").json()["apps"]
    assert [app["app"] for app in listed] == ["new", "plain", "shop"]
    assert listed[0]["roles"] == ["decide", "reward", "read", "admin"]


def test_configurations_are_replaced_by_those_who_have_seen_them(site):
    read = site.request("GET", f"{APP}/config")
    config, tag = read.json(), read.headers["etag"]
    assert site.request("PUT", f"{APP}/config", config).status_code == 428
    changed = site.request(
        "PUT", f"{APP}/config", {**config, "wait": 60}, headers={"if-match": tag}
    )
    assert changed.status_code == 200
    assert changed.json()["wait"] == 60
    assert changed.headers["etag"] != tag
    stale = site.request("PUT", f"{APP}/config", config, headers={"if-match": tag})
    assert stale.status_code == 412
    assert site.request("GET", f"{APP}/config").json()["wait"] == 60
    for condition in (f'"other", {changed.headers["etag"]}', "*"):
        again = site.request("PUT", f"{APP}/config", config, headers={"if-match": condition})
        assert again.status_code == 200
    weak = site.request("GET", f"{APP}/config").headers["etag"]
    answer = site.request("PUT", f"{APP}/config", config, headers={"if-match": f"W/{weak}"})
    assert answer.status_code == 412  # RFC 9110: a weak tag never matches


def test_policies_are_names_of_the_catalogue(site):
    headers = {"if-match": "*"}
    for policy in ("os:system", "mine:Policy", "__import__"):
        answer = site.request("PUT", f"{APP}/config", {"policy": policy}, headers=headers)
        assert (answer.status_code, answer.json()["path"]) == (422, "policy")


def test_statistics(site):
    site.request("POST", f"{APP}/decisions", DECISION)
    answer = site.request("GET", f"{APP}/statistics?buckets=3&since=1.5")
    found = msgspec.json.decode(answer.content, type=Statistics)
    assert (len(found.buckets), found.since, found.totals.decisions) == (3, 1.5, 1)


@pytest.mark.parametrize(
    ("query", "path"),
    [
        ("buckets=0", "query.buckets"),
        ("buckets=many", "query.buckets"),
        ("bucket=3", "query.bucket"),
        ("since=nan", "query.since"),
        ("buckets=1&buckets=2", "query"),
        ("%ff=1", "query"),
        ("a", "query"),
    ],
)
def test_bad_queries_are_refused(site, query, path):
    answer = site.request("GET", f"{APP}/statistics?{query}")
    assert (answer.status_code, answer.json()["path"]) == (422, path)


def test_users_are_erased(site):
    for id, user in (("a", "ann"), ("b", "bob"), ("c", "ann")):
        site.request("POST", f"{APP}/decisions", {**DECISION, "event_id": id, "user": user})
    assert site.request("DELETE", f"{APP}/users/ann").json() == {"decisions": 2}
    assert site.request("GET", f"{APP}/decisions/a").status_code == 404
    assert site.request("GET", f"{APP}/decisions/b").status_code == 200


def test_models_are_listed_exported_imported_pinned_and_rolled_back(site):
    assert [
        model["version"] for model in site.request("GET", f"{APP}/models").json()["models"]
    ] == [1]
    file = site.request("GET", f"{APP}/models/1/file")
    assert file.content == b"model"
    assert file.headers["content-type"] == "application/octet-stream"
    assert "shop-1.npz" in file.headers["content-disposition"]
    binary = {"content-type": "application/octet-stream"}
    assert site.request("POST", f"{APP}/models", b"model", headers=binary).status_code == 201
    assert site.request("POST", f"{APP}/models", b"else", headers=binary).status_code == 422
    pinned = site.request("PUT", f"{APP}/pin", {"version": 1}).json()["models"]
    assert pinned[0]["pinned"]
    assert not site.request("PUT", f"{APP}/pin", {"version": None}).json()["models"][0]["pinned"]
    assert site.request("POST", f"{APP}/rollback", {"version": 1}).status_code == 200
    for version in ("2", "0", "-1", "x", "1.0", "9" * 30, "²"):
        assert site.request("GET", f"{APP}/models/{version}/file").status_code == 404
    assert site.request("POST", f"{APP}/rollback", {"version": 2}).status_code == 404


def test_evaluations_are_jobs(site):
    started = site.request("POST", f"{APP}/evaluations", {"policies": ["uniform"]})
    assert started.status_code == 202
    assert started.json()["state"] == "queued"
    found = site.request("GET", started.headers["location"])
    assert found.json() == started.json()
    assert len(site.request("GET", f"{APP}/evaluations").json()["evaluations"]) == 1
    assert site.request("GET", f"{APP}/evaluations/none").status_code == 404


def test_the_log_is_exported_and_nothing_is_left_behind(site):
    answer = site.request("GET", f"{APP}/exports")
    assert answer.content == b"PAR1"
    assert answer.headers["content-type"] == "application/vnd.apache.parquet"
    assert site.request("GET", "/v1/apps/none/exports").status_code == 404
    assert not list(site.folder.glob(".export*"))


def test_health_is_told_without_a_key(site):
    assert site.request("GET", "/healthz", key="").text == "ok\n"
    ready = site.request("GET", "/readyz", key="")
    assert ready.status_code == 200
    assert msgspec.json.decode(ready.content, type=Health).ready
    site.service.full = True
    ready = site.request("GET", "/readyz", key="")
    assert ready.status_code == 503
    assert ready.json()["problems"] == ["the disk is full"]
    assert site.request("HEAD", "/healthz", key="").status_code == 200


def test_metrics_count_requests_and_tell_about_the_service(site):
    site.request("POST", f"{APP}/decisions", {**DECISION, "event_id": "e1"})
    site.request("POST", "/v1/apps/made-up/decisions", DECISION)
    text = site.request("GET", "/metrics").text
    assert 'jostle_requests_total{app="shop",operation="decide",status="201"}' in text
    assert 'jostle_request_seconds_bucket{le="0.05",operation="decide"}' in text
    assert 'jostle_decisions_total{app="shop"} 1.0' in text
    assert "jostle_ready 1.0" in text
    assert "made-up" not in text  # labels cannot be made up


def test_the_interface_describes_itself(site):
    found = site.request("GET", "/v1/openapi.json", key="").json()
    assert found["openapi"] == "3.1.0"
    described = {
        (method.upper(), path) for path, methods in found["paths"].items() for method in methods
    }
    assert described == {(entry.method, entry.path) for entry in site.api.operations}
    assert found["components"]["schemas"]["DecisionRequest"]["additionalProperties"] is False
