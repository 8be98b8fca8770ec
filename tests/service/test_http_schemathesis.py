"""Schemathesis on every operation: whatever is sent, the answer is one that the document describes.

``JOSTLE_SCHEMATHESIS_CASES`` says how many requests each operation gets.
"""

import os

import pytest

from jostle.service.api import OPERATIONS

from http_support import served
from real_site import RealSite
from requirements import package

CASES = int(os.environ.get("JOSTLE_SCHEMATHESIS_CASES", "20"))
COSTLY = {"create_app": 4, "put_config": 4}
"""Operations whose good requests make new models: that many times fewer requests."""


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    site = RealSite(tmp_path_factory.mktemp("site"), stop_seconds=1.0)
    with served(site) as site.url:
        yield site
    site.close()


def document(site):
    """The document, about the app that exists, and without keys: each request has the admin's."""
    found = site.request("GET", "/v1/openapi.json").json()
    for path, entries in found["paths"].items():
        for entry in entries.values():
            entry.pop("security", None)
            for parameter in entry.get("parameters", ()):
                if parameter["name"] == "app" and path != "/v1/apps/{app}":
                    parameter["schema"] = {"enum": ["shop"]}
    return found


@pytest.mark.study
@pytest.mark.parametrize("operation", OPERATIONS, ids=lambda operation: operation.name)
def test_every_answer_is_described(site, operation):
    schemathesis = package("schemathesis")
    import requests
    from hypothesis import HealthCheck, Phase, given, settings
    from schemathesis import GenerationMode
    from schemathesis.checks import load_all_checks
    from schemathesis.specs.openapi import checks

    load_all_checks()
    wanted = [
        checks.status_code_conformance,
        checks.content_type_conformance,
        checks.response_headers_conformance,
        checks.response_schema_conformance,
        checks.negative_data_rejection,
        checks.unsupported_method,
    ]
    schema = schemathesis.openapi.from_dict(document(site))
    described = schema[operation.path][operation.method]
    session = requests.Session()
    headers = {"Authorization": f"Bearer {site.admin}"}
    count = max(5, CASES // COSTLY.get(operation.name, 1))
    modes = [GenerationMode.POSITIVE]
    if operation.body or operation.query or "{" in operation.path:  # something to get wrong
        modes.append(GenerationMode.NEGATIVE)
    for mode in modes:

        @given(case=described.as_strategy(generation_mode=mode))
        @settings(
            max_examples=count, deadline=None, derandomize=True, database=None,
            suppress_health_check=list(HealthCheck), phases=[Phase.generate],
        )  # fmt: skip
        def play(case):
            response = case.call(base_url=site.url, session=session, headers=headers, timeout=60)
            assert response.status_code < 500 or response.status_code == 503, response.text
            case.validate_response(response, checks=wanted, headers=headers)

        play()
