"""What only describes, reads and shows results runs without JAX."""

import json
import subprocess
import sys

import pytest

from jostle.lab.results.folder import Store
from lab.examples import comparison, outcome

CODE = """
import importlib, json, pathlib, sys
import jostle

root = pathlib.Path(jostle.__file__).parent
for room in {rooms!r}:
    for path in sorted((root / "lab" / room).rglob("*.py")):
        parts = path.relative_to(root).with_suffix("").parts
        name = ".".join(("jostle", *(part for part in parts if part != "__init__")))
        importlib.import_module(name)
        assert "jax" not in sys.modules, f"{{name}} imports JAX"
import jostle.lab.running.status
from jostle.cli import app
try:
    app({arguments!r}, standalone_mode=False)
finally:
    assert "jax" not in sys.modules, "the command imports JAX"
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    made = outcome(comparison({"npr": [10.0, 12.0, 11.0], "uniform": [30.0, 31.0, 33.0]}))
    where = tmp_path_factory.mktemp("results") / "made-up"
    with Store(where, made.manifest) as store:
        for run in made.runs():
            store.add(run._replace(behaviour=made.manifest.behaviour_of(run.trial)))
        store.compact()
    assert json.loads((where / "manifest.json").read_text())["version"] == 2
    return where


@pytest.mark.study
@pytest.mark.parametrize(
    ("rooms", "arguments"),
    [
        (["spec", "results"], ["status"]),
        (["analysis", "render"], ["report"]),
    ],
)
def test_reading_and_showing_results_needs_no_jax(folder, rooms, arguments):
    code = CODE.format(rooms=rooms, arguments=[*arguments, str(folder)])
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "6 of 6 trials are finished" in done.stdout or "lowest regret" in done.stdout
