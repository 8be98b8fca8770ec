"""The commit that is recorded with each run."""

import shutil
import subprocess

import pytest

import jostle
from jostle.lab.running.provenance import commit

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")


@pytest.fixture
def clone(tmp_path, monkeypatch):
    """A repository with a file in src/jostle, taken for jostle's own."""
    package = tmp_path / "src" / "jostle"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text("")
    monkeypatch.setattr(jostle, "__file__", str(package / "__init__.py"))
    who = ["-c", "user.name=a", "-c", "user.email=a@b.c", "-c", "commit.gpgsign=false"]
    for command in (["init", "-q"], ["add", "."], [*who, "commit", "-q", "-m", "first"]):
        subprocess.run(["git", "-C", str(tmp_path), *command], check=True)
    yield tmp_path
    commit.cache_clear()


def found():
    commit.cache_clear()
    return commit()


def test_a_clone_is_known_by_its_commit_and_whether_it_was_changed(clone):
    head = subprocess.check_output(["git", "-C", str(clone), "rev-parse", "HEAD"], text=True)
    assert found() == head.strip()
    (clone / "notes.md").write_text("not code")
    assert found() == head.strip()
    (clone / "src" / "jostle" / "new.py").write_text("")
    assert found() == head.strip() + "+changes"


def test_a_package_installed_inside_somebodys_repository_is_known_by_its_version(
    clone, monkeypatch
):
    elsewhere = clone / ".venv" / "jostle"
    elsewhere.mkdir(parents=True)
    monkeypatch.setattr(jostle, "__file__", str(elsewhere / "__init__.py"))
    assert found() == jostle.__version__
