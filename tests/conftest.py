"""Settings that must be in place before JAX is imported, in this process and in those it starts.

Tests compile much and compute little, so programs are compiled without optimisation and by the
faster of XLA's two code generators, and compiled programs are kept in a cache that the workers of a
test run, the processes that tests start, and the next run share.
"""

import itertools
import os
import subprocess
import sys
from pathlib import Path

import pytest

import browsing
from requirements import real_data_folder

QUICK = "--xla_backend_optimization_level=0"
QUICKER = f"{QUICK} --xla_cpu_use_fusion_emitters=false --xla_cpu_parallel_codegen_split_count=1"
CHOSEN = "JOSTLE_TEST_XLA_FLAGS"


def _quickest() -> str:
    """``QUICKER`` if this version of XLA knows those flags: it exits on one that it does not."""
    environment = {**os.environ, "XLA_FLAGS": QUICKER}
    code = "import jax; jax.numpy.zeros(1)"
    known = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True)
    return QUICKER if known.returncode == 0 else QUICK


if CHOSEN not in os.environ:  # the first process; workers inherit what it chose
    os.environ[CHOSEN] = _quickest()
    os.environ["XLA_FLAGS"] = f"{os.environ.get('XLA_FLAGS', '')} {os.environ[CHOSEN]}"
    cache = Path(__file__).parent.parent / ".pytest_cache" / "compiled"
    os.environ.setdefault("JAX_COMPILATION_CACHE_DIR", str(cache))
    os.environ.setdefault("JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS", "0")


_tests = itertools.count(1)


@pytest.fixture(autouse=True)
def room_for_programs():
    """Hundreds of tests in one process compile more than Linux lets it map; look now and then."""
    if next(_tests) % 20 == 0:
        from jostle.lab.running.programs import make_room  # after JAX's settings

        make_room(share=0.75)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """What needs the real data is a study."""
    for item in items:
        if "real_data" in getattr(item, "fixturenames", ()):
            item.add_marker(pytest.mark.study)


@pytest.fixture
def real_data(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of the real data sets, which are parsed and cached once per session."""
    folder = real_data_folder()
    monkeypatch.setenv("JOSTLE_DATA", str(folder))
    monkeypatch.setenv("JOSTLE_CACHE", str(tmp_path_factory.getbasetemp() / "parsed"))
    return folder


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    """Chromium, for the tests of one file."""
    with browsing.opened(tmp_path_factory.mktemp("profile")) as driver:
        yield driver
