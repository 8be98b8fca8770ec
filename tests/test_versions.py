"""The versions that are said to be supported: one number each, wherever it is written."""

import re
import tomllib
from pathlib import Path

import pytest

import jostle
from oldest_versions import PROJECT, oldest

ROOT = Path(__file__).parent.parent
CONTENT = tomllib.loads(PROJECT.read_text())


def test_every_requirement_has_an_oldest_version():
    versions = oldest()
    assert re.fullmatch(r"0\.\d+(\.\d+)?", versions["jax"])
    assert {"numpy", "polars", "pytest", "sphinx"} <= versions.keys()


@pytest.mark.parametrize("requirement", ["a", "a<2"])
def test_a_requirement_without_one_is_refused(requirement, tmp_path):
    project = tmp_path / "pyproject.toml"
    extras = "[project.optional-dependencies]\nx = ['b>=2,<3', 'jostle[y]']\n"
    project.write_text(f"[project]\ndependencies = ['a>=1']\n{extras}")
    assert oldest(project) == {"a": "1", "b": "2"}
    project.write_text(f"[project]\ndependencies = ['{requirement}']\n{extras}")
    with pytest.raises(AssertionError, match="no oldest version"):
        oldest(project)


def test_the_oldest_python_is_the_same_everywhere():
    (version,) = re.findall(r">=(3\.\d+)", CONTENT["project"]["requires-python"])
    assert CONTENT["tool"]["mypy"]["python_version"] == version
    for page in ("README.md", "Makefile", "docs/index.md", "docs/tutorials/first-agent.md"):
        assert set(re.findall(r"Python (3\.\d+)", (ROOT / page).read_text())) == {version}, page


def test_the_version_is_the_same_everywhere():
    assert CONTENT["project"]["version"] == jostle.__version__
    assert f"\nversion: {jostle.__version__}\n" in (ROOT / "CITATION.cff").read_text()
    minor = jostle.__version__.rpartition(".")[0]
    assert f"| {minor} | yes |" in (ROOT / "SECURITY.md").read_text()
