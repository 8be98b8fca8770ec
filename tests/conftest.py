"""Before JAX is imported: tests compile much and compute little, so compile without polish."""

import os

os.environ["XLA_FLAGS"] = f"{os.environ.get('XLA_FLAGS', '')} --xla_backend_optimization_level=0"

from pathlib import Path

import pytest

from jostle.lab.running.programs import make_room
from requirements import real_data_folder


@pytest.fixture(autouse=True)
def room_for_programs():
    """Hundreds of tests in one process compile more than Linux lets it map."""
    make_room()


@pytest.fixture
def real_data(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of the real data sets, which are parsed and cached once per session."""
    folder = real_data_folder()
    monkeypatch.setenv("JOSTLE_DATA", str(folder))
    monkeypatch.setenv("JOSTLE_CACHE", str(tmp_path_factory.getbasetemp() / "parsed"))
    return folder
