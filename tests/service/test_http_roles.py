"""Who may do what: every role, operation and app; and keys that come and go."""

import itertools

import pytest

from jostle.service.api import OPERATIONS
from jostle.service.roles import ROLES

from http_support import DECISION, Site

BODIES = {
    "decide": DECISION,
    "decide_batch": {"decisions": [DECISION]},
    "reward": {"value": 1},
    "reward_batch": {"rewards": [{"event_id": "e", "value": 1}]},
    "create_app": {},
    "put_config": {},
    "import_model": b"model",
    "pin_model": {"version": 1},
    "roll_back": {"version": 1},
    "evaluate": {"policies": ["uniform"]},
    "create_key": {"grants": {"shop": ["read"]}},
}
IN_APP = [operation for operation in OPERATIONS if operation.in_app]
EXPECTED = {
    "decide": {"decide", "decide_batch", "activate"},
    "reward": {"reward", "reward_batch", "activate"},
    "read": {
        "list_decisions", "get_decision", "get_config", "get_statistics", "list_models",
        "export_model", "evaluate", "list_evaluations", "get_evaluation", "export_log",
    },
    "admin": {operation.name for operation in IN_APP},
}  # fmt: skip
"""What each role may do with its app: written out here once more, on purpose."""


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    site = Site(tmp_path_factory.mktemp("site"))
    site.create("other")
    site.single = {role: site.key(shop=[role]) for role in ROLES}
    yield site
    site.close()


def call(site, operation, app, key):
    path = operation.path.format(
        app=app, event_id="e", version=1, job="job0", user="ann", id="none"
    )
    headers = {"if-match": "*"}
    if operation.name == "import_model":
        headers["content-type"] = "application/octet-stream"
    body = BODIES.get(operation.name)
    return site.request(operation.method, path, body, key=key, headers=headers)


@pytest.mark.parametrize("operation", IN_APP, ids=lambda operation: operation.name)
def test_every_role_may_do_its_part_in_its_app_and_nothing_elsewhere(site, operation):
    for role, app in itertools.product(ROLES, ("shop", "other", "none")):
        answer = call(site, operation, app, site.single[role])
        allowed = app == "shop" and operation.name in EXPECTED[role]
        assert (answer.status_code == 403) is not allowed, (role, app, answer.text)
        if not allowed:
            # An app that exists cannot be told from one that does not.
            same = call(site, operation, "never-was", site.single[role]).text
            assert answer.text.replace(f"'{app}'", "'never-was'") == same


@pytest.mark.parametrize("operation", OPERATIONS, ids=lambda operation: operation.name)
def test_without_a_key_nothing_but_health_is_told(site, operation):
    open_to_all = {"alive", "ready"}
    for header in (
        None,
        "Bearer ",
        "Bearer jostle_00000000_x",
        "Basic YTpi",
        site.admin,
        "Bearer é",
    ):
        headers = {} if header is None else {"authorization": header.encode()}
        path = operation.path.format(
            app="shop", event_id="e", version=1, job="job0", user="ann", id="none"
        )
        answer = site.request(operation.method, path, b"{", key="", headers=headers)
        assert (answer.status_code == 401) is (operation.name not in open_to_all)
        if answer.status_code == 401:
            assert answer.headers["www-authenticate"].startswith("Bearer")
            assert answer.json()["type"] == "urn:jostle:problem:unauthorised"


def test_refusal_comes_before_the_body_is_read(site):
    refused = site.request("POST", "/v1/apps/shop/decisions", b"{", key=site.single["read"])
    assert refused.status_code == 403


def test_metrics_need_the_role_read_on_all_apps(site):
    assert site.request("GET", "/metrics", key=site.single["admin"]).status_code == 403
    reader = site.key(**{"*": ["read"]})
    assert site.request("GET", "/metrics", key=reader).status_code == 200
    assert site.request("GET", "/v1/apps/other/config", key=reader).status_code == 200


def test_apps_are_listed_to_those_who_have_a_role_there(site):
    def listed(key):
        return [app["app"] for app in site.request("GET", "/v1/apps", key=key).json()["apps"]]

    assert listed(site.single["decide"]) == ["shop"]
    assert {"shop", "other"} <= set(listed(site.admin))
    both = site.key(shop=["read"], other=["decide"])
    apps = site.request("GET", "/v1/apps", key=both).json()["apps"]
    assert apps == [{"app": "other", "roles": ["decide"]}, {"app": "shop", "roles": ["read"]}]


def test_keys_are_rotated_without_a_restart(site):
    request = {"grants": {"shop": ["read", "decide"]}, "name": "front end"}
    made = site.request("POST", "/v1/keys", request)
    assert made.status_code == 201
    new = made.json()
    assert new["grants"] == {"shop": ["decide", "read"]}
    assert site.request("POST", "/v1/apps/shop/decisions", DECISION, key=new["key"]).is_success
    listed = site.request("GET", "/v1/keys")
    assert new["key"] not in listed.text
    assert new["key"].rpartition("_")[2] not in (site.folder / "keys.json").read_text()
    assert new["id"] in [key["id"] for key in listed.json()["keys"]]
    assert site.request("DELETE", f"/v1/keys/{new['id']}").status_code == 204
    refused = site.request("POST", "/v1/apps/shop/decisions", DECISION, key=new["key"])
    assert refused.status_code == 401
    assert site.request("DELETE", f"/v1/keys/{new['id']}").status_code == 404


def test_admins_of_an_app_make_and_see_keys_of_that_app_only(site):
    admin = site.single["admin"]
    made = site.request("POST", "/v1/keys", {"grants": {"shop": ["read"]}}, key=admin)
    assert made.status_code == 201
    for grants in ({"other": ["read"]}, {"*": ["read"]}, {"shop": ["read"], "other": ["read"]}):
        refused = site.request("POST", "/v1/keys", {"grants": grants}, key=admin)
        assert refused.status_code == 403
    listed = site.request("GET", "/v1/keys", key=admin).json()["keys"]
    assert made.json()["id"] in [key["id"] for key in listed]
    assert all(set(key["grants"]) == {"shop"} for key in listed)
    everywhere = next(key for key in site.keys.all() if "*" in key.grants)
    refused = site.request("DELETE", f"/v1/keys/{everywhere.id}", key=admin)
    assert refused.status_code == 404
    for role in ("decide", "reward", "read"):
        key = site.single[role]
        assert site.request("GET", "/v1/keys", key=key).json() == {"keys": []}
        request = {"grants": {"shop": [role]}}
        assert site.request("POST", "/v1/keys", request, key=key).status_code == 403


@pytest.mark.parametrize(
    "request_",
    [
        {"grants": {}}, {"grants": {"shop": []}}, {"grants": {"shop": ["owner"]}}, {},
        {"grants": {"never-was": ["read"]}}, {"grants": {"shop": ["read"]}, "name": "a\nb"},
    ],
)  # fmt: skip
def test_bad_requests_for_keys(site, request_):
    answer = site.request("POST", "/v1/keys", request_)
    assert answer.status_code == 422
    assert answer.json()["path"].startswith(("grants", "name"))
