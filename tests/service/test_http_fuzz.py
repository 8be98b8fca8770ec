"""Whatever JSON is sent to the real service, it decides or refuses: never an internal error."""

import json

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from real_site import RealSite

APP = "/v1/apps/shop"
KEYS = st.text(max_size=4) | st.sampled_from(["id", "x", "hour", "a.b", "", "\x00", "é", "$"])
LEAVES = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.sampled_from([0, -1, 2**53, 2**63, 2**64, -(10**40), 10**400])
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.sampled_from([0.0, -0.0, 5e-324, 1e-300, 3.5e38, 1e39, 1e300])
    | st.text(max_size=6)
)
VALUES = st.recursive(
    LEAVES,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=3),
    max_leaves=6,
)
RECORDS = st.dictionaries(KEYS, VALUES, max_size=4)
ACTIONS = st.fixed_dictionaries(
    {"id": st.sampled_from(["a", "b", "\x00", "é" * 200])}, optional={"features": RECORDS}
)
REQUESTS = st.fixed_dictionaries(
    {"actions": st.lists(ACTIONS, min_size=1, max_size=3, unique_by=lambda action: action["id"])},
    optional={
        "context": RECORDS | st.lists(LEAVES, max_size=3),
        "event_id": st.text(min_size=1, max_size=5),
        "exclude": st.lists(st.sampled_from(["a", "b", "c"]), max_size=2),
        "baseline": st.sampled_from(["a", "b"]),
        "baseline_probability": LEAVES,
        "defer": st.booleans(),
        "user": st.text(max_size=3),
        "explain": st.booleans(),
    },
)
REWARDS = st.fixed_dictionaries(
    {"value": LEAVES}, optional={"reward_id": st.text(max_size=3), "final": st.booleans()}
)


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    site = RealSite(tmp_path_factory.mktemp("site"))
    yield site
    site.close()


def play(site, strategy, path, wrap, examples):
    @given(strategy)
    @settings(
        max_examples=examples, deadline=None, derandomize=True, database=None,
        suppress_health_check=list(HealthCheck),
    )  # fmt: skip
    def check(content):
        body = json.dumps(wrap(content)).encode()
        answer = site.request("POST", f"{APP}{path}", body)
        assert answer.status_code in (200, 201, 202, 400, 422), answer.text
        if answer.status_code in (200, 201) and "batches" not in path:
            ranking = answer.json()["ranking"]
            assert sum(ranked["probability"] for ranked in ranking) == pytest.approx(1)

    check()


def fuzz(site, examples):
    play(site, REQUESTS, "/decisions", lambda request: request, examples)
    play(site, REQUESTS, "/batches/decisions", lambda one: {"decisions": [one, one]}, examples // 3)
    play(site, REWARDS, "/decisions/e/rewards", lambda reward: reward, examples // 3)


def test_any_json_is_decided_on_or_refused(site):
    fuzz(site, 90)


@pytest.mark.study
def test_much_json_is_decided_on_or_refused(site):
    fuzz(site, 1500)
