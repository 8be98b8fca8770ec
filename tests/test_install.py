"""The minimal install: a fresh environment gets the library for applications, and little else."""

import subprocess
import sys
import venv
from pathlib import Path

import pytest

import jostle

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


@pytest.mark.study
def test_an_application_needs_few_packages_and_is_told_what_the_rest_needs(tmp_path):
    venv.create(tmp_path / "venv", with_pip=True)
    python = str(tmp_path / "venv" / "bin" / "python")
    run(python, "-m", "pip", "install", "--quiet", str(ROOT), cwd=tmp_path)
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
