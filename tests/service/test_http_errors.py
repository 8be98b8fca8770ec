"""What the HTTP interface refuses, and how it says so."""

import asyncio
import json

import pytest

from http_support import DECISION, Site

APP = "/v1/apps/shop"
PATH = f"{APP}/decisions"


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    site = Site(tmp_path_factory.mktemp("site"), largest_request=20_000, body_seconds=0.2)
    yield site
    site.close()


def check(answer, status, kind, path=None):
    """A problem of RFC 9457."""
    assert answer.status_code == status
    assert answer.headers["content-type"] == "application/problem+json"
    problem = answer.json()
    assert set(problem) <= {"type", "title", "status", "detail", "path"}
    assert problem["status"] == status
    assert problem["type"] == f"urn:jostle:problem:{kind}"
    assert problem["title"]
    assert problem["detail"]
    assert problem.get("path") == path
    return problem["detail"]


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{",
        b"nonsense",
        b'{"actions": [{"id": "a"}]} x',
        b'{"context": {"x": NaN}, "actions": [{"id": "a"}]}',
        b'{"context": {"x": Infinity}, "actions": [{"id": "a"}]}',
        b'{"context": {"x": "\\ud800"}, "actions": [{"id": "a"}]}',  # a lone surrogate
        b'{"context": {"\\udfff": 1}, "actions": [{"id": "a"}]}',
        b'{"context": {"x": "\xed\xa0\x80"}, "actions": [{"id": "a"}]}',  # one in bytes
        b'{"context": {"x": "\xff"}, "actions": [{"id": "a"}]}',
        b"\xef\xbb\xbf{}",
        '{"actions": [{"id": "a"}]}'.encode("utf-16"),
        b'{"context": {"x": ' + b"[" * 5000 + b"]" * 5000 + b'}, "actions": [{"id": "a"}]}',
        b'{"context": ' + b'{"x":' * 2000 + b"1" + b"}" * 2000 + b', "actions": [{"id": "a"}]}',
        b'{"context": {"x": ' + b"[" * 19_000,
    ],
)
def test_what_is_not_json_is_malformed(site, body):
    check(site.request("POST", PATH, body), 400, "malformed")


@pytest.mark.parametrize(
    ("body", "path"),
    [
        ([], "$"),
        ("text", "$"),
        ({}, "actions"),
        ({"actions": []}, "actions"),
        ({"actions": {}}, "actions"),
        ({"actions": [{"id": "a"}], "surprise": 1}, "surprise"),
        ({"actions": [{"id": "a", "surprise": 1}]}, "actions[0].surprise"),
        ({"actions": [{"id": "a"}, {"features": {}}]}, "actions[1].id"),
        ({"actions": [{"id": "a"}, {"id": ""}]}, "actions[1].id"),
        ({"actions": [{"id": "a" * 257}]}, "actions[0].id"),
        ({"actions": [{"id": "a"}, {"id": 7}]}, "actions[1].id"),
        ({"actions": [{"id": "a", "features": 3}]}, "actions[0].features"),
        ({"actions": [{"id": "a"}], "context": 3}, "context"),
        ({"actions": [{"id": "a"}], "defer": "yes"}, "defer"),
        ({"actions": [{"id": "a"}], "exclude": ["a", 1]}, "exclude[1]"),
        ({"actions": [{"id": "a"}], "baseline": "a", "baseline_probability": 0}, None),
        ({"actions": [{"id": str(i)} for i in range(1001)]}, "actions"),
    ],
)
def test_the_path_of_what_is_wrong_is_told(site, body, path):
    expected = path or "baseline_probability"
    check(site.request("POST", PATH, body), 422, "invalid", expected)


@pytest.mark.parametrize("value", ["1", None, [1], True, {}])
def test_rewards_are_numbers(site, value):
    answer = site.request("POST", f"{PATH}/e/rewards", {"value": value})
    check(answer, 422, "invalid", "value")


def test_numbers_that_overflow_are_refused(site):
    answer = site.request("POST", f"{PATH}/e/rewards", b'{"value": 1e999}')
    check(answer, 422, "invalid", "value")


@pytest.mark.parametrize(
    ("body", "path"),
    [
        ('{"actions": [{"id": "a"}, {"id": "b", "features": {"x": 1, "p": 1e400}}]}',
         "actions[1].features.p"),
        ('{"actions": [{"id": "a"}], "context": {"ä": {"list": [1, -1e999]}}}',
         "context.ä.list[1]"),
        ('{"actions": [{"id": "a"}], "context": {"\\ud800": {"x": 1e999}}}', None),
    ],
)  # fmt: skip
def test_the_path_of_a_number_that_overflows_has_the_names_of_a_record(site, body, path):
    answer = site.request("POST", PATH, body.encode())
    if path is None:
        assert answer.status_code in (400, 422)
    else:
        check(answer, 422, "invalid", path)


def test_large_bodies_are_refused_whether_they_say_so_or_not(site):
    body = json.dumps({**DECISION, "context": {"x": "y" * 20_000}}).encode()
    answer = site.request("POST", PATH, body)
    check(answer, 413, "too-large")
    assert answer.headers["connection"] == "close"

    async def pieces():
        for _ in range(30):
            yield b" " * 1000

    headers = {"authorization": f"Bearer {site.admin}", "content-type": "application/json"}
    sent = site.client.post(PATH, content=pieces(), headers=headers)
    check(site.loop.run(sent), 413, "too-large")


def test_a_body_in_pieces_is_put_together(site):
    async def pieces():
        for byte in json.dumps(DECISION).encode():
            yield bytes([byte])

    headers = {"authorization": f"Bearer {site.admin}", "content-type": "application/json"}
    assert site.loop.run(site.client.post(PATH, content=pieces(), headers=headers)).is_success


def test_a_body_that_does_not_come_is_not_waited_for(site):
    async def pieces():
        yield b"{"
        await asyncio.sleep(5)

    headers = {"authorization": f"Bearer {site.admin}", "content-type": "application/json"}
    check(site.loop.run(site.client.post(PATH, content=pieces(), headers=headers)), 408, "timeout")


@pytest.mark.parametrize(
    "headers",
    [
        {"content-type": "text/plain"},
        {"content-type": "application/x-www-form-urlencoded"},
        {"content-type": ""},
        {"content-type": "application/json-patch"},
        {"content-type": "application/json", "content-encoding": "gzip"},
    ],
)
def test_other_media_types_are_refused(site, headers):
    answer = site.request("POST", PATH, json.dumps(DECISION).encode(), headers=headers)
    check(answer, 415, "media-type")


@pytest.mark.parametrize("media", ["application/json; charset=utf-8", "APPLICATION/JSON"])
def test_a_media_type_may_have_parameters_and_capitals(site, media):
    body = json.dumps(DECISION).encode()
    assert site.request("POST", PATH, body, headers={"content-type": media}).status_code == 201


def test_models_are_binary(site):
    check(site.request("POST", f"{APP}/models", {"a": 1}), 415, "media-type")


@pytest.mark.parametrize(
    "path",
    [
        "/v1", "/v1/", "/v1/apps/", "/v1/apps/shop/nothing", "/v1/apps//decisions",
        "/v1/apps/shop/decisions/", "/v1/apps/%ff/config", "/v1/apps/shop/decisions/%ED%A0%80",
    ],
)  # fmt: skip
def test_unknown_paths(site, path):
    check(site.request("GET", path), 404, "not-found")


def test_users_have_ids_of_at_most_256_characters(site):
    check(site.request("DELETE", f"{APP}/users/{'x' * 257}"), 422, "invalid", "user")


def test_unknown_apps_decisions_and_jobs(site):
    for path in ("/v1/apps/none/config", f"{PATH}/none", f"{APP}/evaluations/none"):
        check(site.request("GET", path), 404, "not-found")
    check(site.request("POST", "/v1/apps/none/decisions", DECISION), 404, "not-found")


@pytest.mark.parametrize("method", ["PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "STRANGE"])
def test_other_methods_are_refused_and_the_possible_ones_named(site, method):
    answer = site.request(method, PATH)
    check(answer, 405, "method")
    assert answer.headers["allow"] == "GET, POST"


def test_quotas_are_kept_and_say_when_to_try_again(site):
    site.create("small", quotas={"decisions_per_second": 2.0, "rewards_per_second": 0.25})
    path = "/v1/apps/small"
    answers = [site.request("POST", f"{path}/decisions", DECISION) for _ in range(3)]
    assert [answer.status_code for answer in answers] == [201, 201, 429]
    check(answers[2], 429, "over-quota")
    assert answers[2].headers["retry-after"] == "1"
    rewards = {"rewards": [{"event_id": "e", "value": 1}] * 2}
    assert site.request("POST", f"{path}/batches/rewards", rewards).status_code == 200
    answer = site.request("POST", f"{path}/decisions/e/rewards", {"value": 1})
    check(answer, 429, "over-quota")
    assert int(answer.headers["retry-after"]) >= 7  # two rewards were taken, one comes in 4 s
    assert site.request("POST", PATH, DECISION).status_code == 201  # other apps go on
    counted = 'jostle_requests_total{app="small",operation="decide",status="429"} 1.0'
    assert counted in site.request("GET", "/metrics").text


def test_a_full_disk_is_busy(site):
    site.service.full = True
    try:
        answer = site.request("POST", PATH, DECISION)
    finally:
        site.service.full = False
    check(answer, 503, "busy")
    assert answer.headers["retry-after"] == "3"


def test_too_many_requests_at_once_are_busy(site):
    site.context.in_flight += site.settings.in_flight
    try:
        check(site.request("POST", PATH, DECISION), 503, "busy")
        assert site.request("GET", "/healthz").status_code == 200  # it is alive, though
    finally:
        site.context.in_flight -= site.settings.in_flight
    assert site.context.in_flight == 0


def test_errors_of_the_service_are_logged_and_not_told(site, monkeypatch, caplog):
    async def broken(*arguments):
        raise ZeroDivisionError("secret")

    monkeypatch.setattr(site.service, "decide", broken)
    answer = site.request("POST", PATH, DECISION)
    check(answer, 500, "internal")
    assert "secret" not in answer.text
    assert "ZeroDivisionError: secret" in caplog.text


def test_a_client_that_goes_away_is_no_error(site, caplog):
    async def gone():
        return {"type": "http.disconnect"}

    async def send(message):
        pytest.fail("nobody is there")

    headers = [
        (b"authorization", f"Bearer {site.admin}".encode()),
        (b"content-type", b"application/json"),
    ]
    scope = {
        "type": "http", "method": "POST", "path": PATH, "raw_path": PATH.encode(),
        "query_string": b"", "headers": headers,
    }  # fmt: skip
    site.loop.run(site.api(scope, gone, send))
    assert site.context.in_flight == 0
    assert not caplog.text


def test_without_keys_only_this_machine_is_served(tmp_path):
    site = Site(tmp_path, keys=False)
    try:
        assert site.request("POST", PATH, DECISION).status_code == 201
        assert site.request("GET", "/v1/keys").status_code == 404
        for host in ("evil.example", "evil.example:8080", "localhost.evil.example", "", "[::1"):
            refused = site.request("POST", PATH, DECISION, headers={"host": host})
            check(refused, 403, "forbidden")
        for host in ("127.0.0.1:8080", "[::1]:8080", "localhost"):
            assert site.request("GET", f"{APP}/config", headers={"host": host}).is_success
        page = {"origin": "http://evil.example"}
        check(site.request("POST", f"{PATH}/e/activate", headers=page), 403, "forbidden")
        same = {"origin": "http://localhost:8080"}
        assert site.request("POST", PATH, DECISION, headers=same).is_success
    finally:
        site.close()
