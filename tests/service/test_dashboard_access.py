"""Who sees and who acts: keys, sessions, forms of other sites."""

import pytest

from jostle.service.auth import Keys
from jostle.service.dashboard.sessions import LIFETIME, MOST, Sessions

from dashboard_support import Browser, FakeService, statistics

ROLL_BACK = "/apps/shop/models/2/roll-back"


@pytest.fixture
def keys(tmp_path):
    return Keys(tmp_path / "keys.json")


@pytest.fixture
def service():
    return FakeService(shop=statistics(), mail=statistics(decisions=0))


def signed_in(service, keys, **grants):
    _, key = keys.create(grants)
    browser = Browser(service, keys)
    assert browser.sign_in(key).status_code == 303
    return browser


def test_without_a_session_there_is_only_the_sign_in(service, keys):
    browser = Browser(service, keys)
    for path in ("/", "/apps/shop", ROLL_BACK, "/apps/other", "/anything"):
        answer = browser.get(path)
        assert answer.status_code == 303
        assert answer.headers["location"].startswith("/dashboard/sign-in?next=%2F")
    for path in (ROLL_BACK, "/apps/shop/unpin", "/sign-out"):
        assert browser.post(path, {"csrf": ""}).headers["location"].endswith("next=%2F")
    assert service.done == []
    assert browser.get("/sign-in").status_code == 200
    assert browser.get("/static/style.css").headers["content-type"].startswith("text/css")


def test_a_wrong_key_is_refused_and_a_right_one_leads_on(service, keys):
    browser = Browser(service, keys)
    for wrong in ("", "jostle_00000000_x", "x" * 5000, "é\x00"):
        answer = browser.sign_in(wrong)
        assert answer.status_code == 403
        assert "There is no such key." in answer.text
        assert "set-cookie" not in answer.headers
    _, key = keys.create({"*": ["read"]})
    answer = browser.sign_in(key, next="/apps/shop?span=week")
    assert answer.headers["location"] == "/dashboard/apps/shop?span=week"
    cookie = answer.headers["set-cookie"].lower()
    assert "httponly" in cookie
    assert "samesite=strict" in cookie
    assert "path=/dashboard" in cookie
    assert key not in cookie
    assert browser.get("/apps/shop").status_code == 200


@pytest.mark.parametrize("target", ["//evil.test/", "https://evil.test/", "/\\evil.test", "x"])
def test_the_sign_in_never_leads_to_another_site(service, keys, target):
    _, key = keys.create({"*": ["read"]})
    browser = Browser(service, keys)
    assert browser.sign_in(key, next=target).headers["location"] == "/dashboard/"
    assert browser.get("/sign-in", params={"next": target}).headers["location"] == "/dashboard/"


def test_cookies_are_secure_over_tls(service, keys):
    _, key = keys.create({"*": ["read"]})
    answer = Browser(service, keys, "https://example.test").sign_in(key)
    assert "secure" in answer.headers["set-cookie"].lower()


@pytest.mark.parametrize(
    ("grants", "sees", "acts"),
    [
        ({"*": ["admin"]}, {"shop", "mail"}, {"shop", "mail"}),
        ({"*": ["read"]}, {"shop", "mail"}, set()),
        ({"shop": ["admin"]}, {"shop"}, {"shop"}),
        ({"shop": ["read"], "mail": ["admin"]}, {"shop", "mail"}, {"mail"}),
        ({"shop": ["decide", "reward"]}, set(), set()),
        ({"mail": ["read"]}, {"mail"}, set()),
    ],
)
def test_roles_are_per_app(service, keys, grants, sees, acts):
    service.found["mail"] = statistics(seed=1)
    browser = signed_in(service, keys, **grants)
    listed = browser.get("/").text
    for app in ("shop", "mail"):
        page = browser.get(f"/apps/{app}")
        assert page.status_code == (200 if app in sees else 404)
        assert (f"/apps/{app}" in listed) == (app in sees and len(sees) > 1)
        assert ("Roll back" in page.text) == (app in acts)
        looked_up = browser.get(f"/apps/{app}/decisions?event=order-17")
        assert looked_up.status_code == (200 if app in sees else 404)
        for path in (f"/apps/{app}/models/2/pin", f"/apps/{app}/models/2/roll-back"):
            expected = 200 if app in acts else 403 if app in sees else 404
            assert browser.get(path).status_code == expected
            assert browser.post(path, {"csrf": "x"}).status_code == (403 if app in sees else 404)
    assert service.done == []


def test_an_admin_rolls_back_pins_and_unpins(service, keys):
    browser = signed_in(service, keys, shop=["admin"])
    for path, notice in (
        (ROLL_BACK, "Rolled back."),
        ("/apps/shop/models/3/pin", "Pinned."),
        ("/apps/shop/unpin", "Unpinned."),
    ):
        answer = browser.post(path, {"csrf": browser.csrf(path)})
        assert answer.status_code == 303
        followed = browser.get(answer.headers["location"].removeprefix("/dashboard"))
        assert notice in followed.text
    assert service.done == [("roll_back", "shop", 2), ("pin", "shop", 3), ("pin", "shop", None)]
    assert browser.get("/apps/shop/models/9/roll-back").status_code == 404


def test_forms_of_other_sites_and_other_sessions_are_refused(service, keys):
    browser, other = (signed_in(service, keys, shop=["admin"]) for _ in range(2))
    token, foreign = browser.csrf(ROLL_BACK), other.csrf(ROLL_BACK)
    assert token != foreign
    for data, headers in (
        ({}, {}),
        ({"csrf": foreign}, {}),
        ({"csrf": token[:-1]}, {}),
        ({"csrf": "é"}, {}),
        ({"csrf": token}, {"sec-fetch-site": "cross-site"}),
        ({"csrf": token}, {"sec-fetch-site": "same-site"}),
        ({"csrf": token}, {"origin": "https://evil.test"}),
        ({"csrf": token}, {"origin": "null"}),
    ):
        assert browser.post(ROLL_BACK, data, headers=headers).status_code == 403
    assert browser.post(ROLL_BACK, {"csrf": token, "pad": "x" * 9000}).status_code == 413
    assert service.done == []
    headers = {"origin": "http://localhost", "sec-fetch-site": "same-origin"}
    assert browser.post(ROLL_BACK, {"csrf": token}, headers=headers).status_code == 303
    _, key = keys.create({"*": ["read"]})
    crossed = Browser(service, keys).post(
        "/sign-in", {"key": key}, headers={"origin": "https://evil.test"}
    )
    assert crossed.status_code == 403


def test_signing_out_and_revoking_end_a_session(service, keys):
    id, key = keys.create({"*": ["read"]})
    browser = Browser(service, keys)
    browser.sign_in(key)
    cookie = browser.client.cookies["jostle_session"]
    assert browser.post("/sign-out", {"csrf": "guess"}).status_code == 403
    assert browser.post("/sign-out", {"csrf": browser.csrf("/apps/shop")}).status_code == 303
    browser.client.cookies.set("jostle_session", cookie)
    assert browser.get("/apps/shop").status_code == 303
    browser.client.cookies.clear()
    browser.sign_in(key)
    assert browser.get("/apps/shop").status_code == 200
    keys.revoke(id)
    assert browser.get("/apps/shop").status_code == 303


def test_sessions_end_and_are_bounded(keys):
    now = [0.0]
    _, key = keys.create({"*": ["read"]})
    sessions = Sessions(keys, lambda: now[0])
    first = sessions.sign_in(key)
    now[0] = LIFETIME - 1
    assert sessions.visitor(first) is not None
    now[0] = LIFETIME
    assert sessions.visitor(first) is None
    tokens = [sessions.sign_in(key) for _ in range(MOST + 1)]
    assert sessions.visitor(tokens[0]) is None
    assert all(sessions.visitor(token) for token in (tokens[1], tokens[-1]))
    assert sessions.visitor(None) is None
    assert sessions.visitor("") is None


def test_without_keys_this_machine_may_do_everything_and_no_other_name(service):
    browser = Browser(service, None)
    assert browser.get("/apps/shop").status_code == 200  # a session begins on the way
    assert browser.post(ROLL_BACK, {"csrf": browser.csrf(ROLL_BACK)}).status_code == 303
    assert Browser(service, None).post(ROLL_BACK, {"csrf": ""}).status_code == 403
    # A name of somebody else's that leads to this machine would make their page ours.
    rebound = Browser(service, None, "http://evil.test")
    assert rebound.get("/apps/shop").status_code == 403
    assert rebound.get("/sign-in").status_code == 403
    assert service.done == [("roll_back", "shop", 2)]


def test_static_files_are_renewed_when_they_change(service):
    browser = Browser(service)
    for name in ("style.css", "dashboard.js"):
        answer = browser.get(f"/static/{name}")
        again = browser.get(f"/static/{name}", headers={"if-none-match": answer.headers["etag"]})
        assert (answer.status_code, again.status_code) == (200, 304)
    for name in ("..%2froutes.py", "routes.py", "../routes.py"):
        assert browser.get(f"/static/{name}").status_code in (303, 404)
