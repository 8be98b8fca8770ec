"""The minimal install: a fresh environment gets the library for applications, and little else."""

import subprocess
import sys
import tarfile
import venv
import zipfile
from pathlib import Path

import pytest

import jostle

from requirements import package

ROOT = Path(__file__).parent.parent
ABSENT = (
    "matplotlib",
    "polars",
    "rich",
    "typer",
    "jinja2",
    "filelock",
    "ray",
    "sklearn",
    "pandas",
    "pyarrow",
)
PROGRAM = f"""
import importlib.util
import numpy as np
import jostle

assert not [name for name in {ABSENT!r} if importlib.util.find_spec(name)]
agent = jostle.Agent(jostle.NPR(features=3), seed=0)
decision = agent.decide(np.eye(3))
agent.learn(decision, 1.0)
agent.save("agent.npz")
assert jostle.Agent.load("agent.npz").observations == 1
bandit = jostle.environments.Synthetic("h1", features=4, pool=6, shown=3)
print(jostle.simulate(jostle.LinUCB(features=4), bandit, rounds=50, seed=0))
log = jostle.evaluation.Log.from_arrays([0, 1, 1], [1.0, 0.0, 1.0], [0.5, 0.5, 0.5])
print(jostle.evaluation.evaluate(log, 1)["ips"].value)
try:
    jostle.evaluation.write(log, "log.parquet")
except ImportError as error:
    print(error)
try:
    jostle.environments.Classification("mushroom")
except ImportError as error:
    print(error)
"""


def run(*command, cwd, check=True):
    return subprocess.run(
        command, cwd=cwd, capture_output=True, text=True, timeout=900, check=check
    )


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """The sdist, and the wheel that is built from it."""
    package("build")
    folder = tmp_path_factory.mktemp("dist")
    done = run(sys.executable, "-m", "build", "--outdir", folder, ROOT, cwd=folder, check=False)
    assert done.returncode == 0, done.stderr
    (sdist,), (wheel,) = folder.glob("*.tar.gz"), folder.glob("*.whl")
    return sdist, wheel


@pytest.mark.study
def test_wheel_and_sdist_hold_what_they_should(built):
    sdist, wheel = built
    with tarfile.open(sdist) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    assert names >= {"pyproject.toml", "LICENSE", "src/jostle/agent.py", "tests/test_agent.py"}
    assert not any(name.startswith("results/") for name in names)
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
    source = ROOT / "src"
    kept = {
        path.relative_to(source).as_posix()
        for path in (source / "jostle").rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    assert {name for name in names if name.startswith("jostle/")} == kept
    assert "jostle/py.typed" in names


@pytest.mark.study
def test_an_application_needs_few_packages_and_is_told_what_the_rest_needs(built, tmp_path):
    venv.create(tmp_path / "venv")
    python = str(tmp_path / "venv" / "bin" / "python")
    # Neither pip nor modules that are never imported have to be compiled there.
    pip = [sys.executable, "-m", "pip", "--python", python]
    run(*pip, "install", "--quiet", "--no-compile", str(built[1]), cwd=tmp_path)
    done = run(python, "-W", "error", "-c", PROGRAM, cwd=tmp_path, check=False)
    assert done.returncode == 0, done.stderr
    assert "Result(rounds=50" in done.stdout
    assert "jostle[data]" in done.stdout
    assert "jostle[evaluation]" in done.stdout
    command = run(str(Path(python).with_name("jostle")), "run", cwd=tmp_path, check=False)
    assert command.returncode == 1
    assert "pip install 'jostle[lab]'" in command.stderr


def test_the_module_is_the_command():
    done = run(sys.executable, "-m", "jostle", "--version", cwd=ROOT)
    assert done.stdout.strip() == jostle.__version__
