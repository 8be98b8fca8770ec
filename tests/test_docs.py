"""What the documents show must run."""

import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from jostle import make_environment
from jostle.core.grammar import value
from jostle.lab.spec.experiment import Experiment

ROOT = Path(__file__).parent.parent


def snippets(name):
    text = (ROOT / name).read_text()
    return re.findall(r"```python\n(.*?)```", text, flags=re.DOTALL)


@pytest.mark.parametrize("index", range(len(snippets("README.md"))))
def test_snippets_of_the_readme_run_as_pasted(index, tmp_path):
    code = snippets("README.md")[index]
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", code],
        cwd=tmp_path, capture_output=True, text=True, timeout=300, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    if "mean reward" in code:
        first, last = map(float, re.findall(r"-?\d\.\d\d", done.stdout))
        assert last > first + 0.1
        assert (tmp_path / "agent.npz").exists()


@pytest.mark.study
@pytest.mark.parametrize("page", ["records", "decisions", "warm-start"])
def test_the_python_of_the_guides_for_applications_runs_as_pasted(page, tmp_path):
    code = "\n".join(snippets(f"docs/{page}.md"))
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", code],
        cwd=tmp_path, capture_output=True, text=True, timeout=300, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    # What a comment says is printed is printed, up to an ellipsis.
    for said in re.findall(r"print\(.*\)  # (\w.*?)(?: \.\.\.)?$", code, re.MULTILINE):
        if said[0].isupper() or said[0].isdigit() or ":" in said or said in ("pending", "coupon"):
            assert said in done.stdout


def test_the_experiment_of_the_guide_is_one():
    text = (ROOT / "docs" / "lab.md").read_text()
    content = tomllib.loads(re.findall(r"```toml\n(.*?)```", text, flags=re.DOTALL)[0])
    assert len(content) == 5
    assert Experiment.from_mapping({"name": "first-look", **content}).rounds == 2000


@pytest.mark.study
def test_the_python_of_the_guide_to_the_laboratory_runs_as_pasted(tmp_path):
    (tmp_path / "pasted.py").write_text(snippets("docs/lab.md")[0])
    subprocess.run([sys.executable, "pasted.py"], cwd=tmp_path, timeout=300, check=True)
    assert (tmp_path / "runs" / "small" / "trials.parquet").exists()


@pytest.mark.study
def test_the_python_of_the_guide_to_streams_runs_as_pasted(tmp_path):
    code = snippets("docs/streams.md")[0]
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", code],
        cwd=tmp_path, capture_output=True, text=True, timeout=300, check=False,
    )  # fmt: skip
    assert "Result(rounds=1000" in done.stdout, done.stderr


def test_the_guide_to_streams_states_their_defaults():
    table = (ROOT / "docs" / "streams.md").read_text().partition("## What they are")[0]
    rows = re.findall(r"^\| `(\w+)` \| .* \| (.*) \|$", table, re.MULTILINE)
    assert {name for name, _ in rows} >= {"wheel", "eat", "coins", "clicks", "drift", "units"}
    for name, written in rows:
        if name in ("eat", "units", "delayed"):  # these need data, or another environment
            continue
        environment = make_environment(name)
        for setting, default in re.findall(r"`(\w+)=([^`]+)`", written):
            assert getattr(environment, setting) == value(default), f"{name}: {setting}"


@pytest.mark.study
@pytest.mark.parametrize(
    ("page", "expected"),
    [
        ("docs/evaluation.md", ["dr 0.0", "by hand", "Agent(LinUCB, observations=20000)"]),
        ("docs/evaluation-limits.md", ["effective sample size is 2 of 5,000", "the truth is 0.50"]),
    ],
)
def test_the_pages_on_evaluation_run_as_pasted(page, expected, tmp_path):
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", "\n".join(snippets(page))],
        cwd=tmp_path, capture_output=True, text=True, timeout=300, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    for text in expected:
        assert text in done.stdout


@pytest.mark.study
def test_the_policy_of_the_guide_learns_and_is_compared(tmp_path):
    code = snippets("CONTRIBUTING.md")[0]
    (tmp_path / "decaying.py").write_text(code)
    environment, policies = "h1:features=5,pool=10,shown=5", "decaying:Decaying,uniform"
    done = subprocess.run(
        [sys.executable, "-m", "jostle", "run", "-e", environment, "-p", policies,
         "-n", "300", "-s", "1", "-o", "out"],
        cwd=tmp_path, capture_output=True, text=True, timeout=300, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "out" / "report.html").exists()
    assert "decaying" in done.stdout
    used = code.split("class Decaying")[1].strip().splitlines()
    assert len(used) < 40


def test_the_changelog_is_of_this_version():
    from jostle import __version__

    assert f"## {__version__}" in (ROOT / "CHANGELOG.md").read_text()
