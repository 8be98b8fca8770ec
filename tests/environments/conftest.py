"""The real data, for the tests that need them."""

import os

import pytest


@pytest.fixture
def real_data(tmp_path_factory, monkeypatch):
    """The data folder of ``$JOSTLE_DATA``; what is parsed is cached for this session only."""
    if not os.environ.get("JOSTLE_DATA"):
        pytest.skip("the real data are needed: set JOSTLE_DATA to the folder that holds them")
    cache = tmp_path_factory.getbasetemp() / "parsed"
    monkeypatch.setenv("JOSTLE_CACHE", str(cache))
