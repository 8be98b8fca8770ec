"""What the documents show must run, and where they lead must be there."""

import re
import subprocess
import sys
import tomllib

import pytest

from documents import (
    ROOT,
    anchors,
    blocks,
    commands,
    links,
    pages,
    said_to_be_printed,
    saved_files,
    text,
)
from jostle import make_environment
from jostle.core.grammar import value
from jostle.lab.spec.experiment import Experiment

from requirements import real_data_folder

SERVED = "docs/service"
"""Pages that need a server, which ``tests/service/test_service_docs.py`` starts for them."""
GUIDES = [page for page in pages() if not page.startswith(SERVED)]
WITH_PYTHON = [page for page in GUIDES if blocks(page, "python") and page != "README.md"]
SHORTER = {"docs/theory.md": {"10_000": "300", "size=(5000, 50)": "size=(200, 50)"}}
"""Numbers that make a page take minutes, and what the tests put in their place."""
NEED_DATA = ("docs/data.md",)
PRINTED = {
    "docs/evaluation.md": ["dr 0.0", "by hand", "Agent(LinUCB, observations=20000)"],
    "docs/evaluation-limits.md": ["effective sample size is 2 of 5,000", "the truth is 0.50"],
    "docs/streams.md": ["Result(rounds=1000"],
    "docs/tutorials/first-agent.md": ["phone coupon", "desktop gift"],
}
"""What pages say in prose that their code prints."""
PLAYED = ["docs/tutorials/first-experiment.md", "docs/tutorials/own-policy.md"]
"""Pages whose commands are run, and not only parsed."""


def run(*command, cwd):
    done = subprocess.run(
        command, cwd=cwd, capture_output=True, text=True, timeout=300, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.study
@pytest.mark.parametrize("index", range(len(blocks("README.md", "python"))))
def test_snippets_of_the_readme_run_as_pasted(index, tmp_path):
    code = blocks("README.md", "python")[index]
    printed = run(sys.executable, "-W", "error", "-c", code, cwd=tmp_path)
    if "mean reward" in code:
        first, last = map(float, re.findall(r"-?\d\.\d\d", printed))
        assert last > first + 0.1
        assert (tmp_path / "agent.npz").exists()


@pytest.mark.study
@pytest.mark.parametrize("page", WITH_PYTHON)
def test_the_python_of_a_page_runs_as_pasted(page, tmp_path):
    if page in NEED_DATA:
        real_data_folder()
    code = "\n".join(blocks(page, "python"))
    for long, short in SHORTER.get(page, {}).items():
        assert long in code
        code = code.replace(long, short)
    program = tmp_path / "pasted.py"  # a file, because workers of experiments import it again
    program.write_text(code)
    printed = run(sys.executable, "-W", "error", program.name, cwd=tmp_path)
    expected = [said for each in blocks(page, "python") for said in said_to_be_printed(each)]
    for said in [*expected, *PRINTED.get(page, [])]:
        assert said in printed


@pytest.mark.study
@pytest.mark.parametrize("page", PLAYED)
def test_the_commands_of_a_tutorial_run_as_pasted(page, tmp_path):
    for name, content in saved_files(page).items():
        (tmp_path / name).write_text(content)
    for words in commands(page):
        folders = set(tmp_path.rglob("report.html"))
        run(sys.executable, "-m", *words, cwd=tmp_path)
        assert set(tmp_path.rglob("report.html")) > folders


def test_every_command_that_is_shown_exists_with_its_options():
    from typer.main import get_command

    from jostle.cli import app

    checked = 0
    for page in pages():
        for words in commands(page):
            command, rest = get_command(app), words[1:]
            context = command.make_context("jostle", list(rest))
            while hasattr(command, "commands"):
                command = command.commands[rest[0]]
                rest = rest[1:]
                context = command.make_context(words[1], list(rest), parent=context)
            checked += 1
    assert checked > 25


@pytest.mark.parametrize("page", [page for page in GUIDES if blocks(page, "toml")])
def test_every_experiment_that_is_shown_is_one(page):
    for code in blocks(page, "toml"):
        Experiment.from_mapping({"name": "shown", **tomllib.loads(code)})


def test_five_lines_are_an_experiment():
    content = tomllib.loads(blocks("docs/lab.md", "toml")[0])
    assert len(content) == 5
    assert Experiment.from_mapping({"name": "first-look", **content}).rounds == 2000


def test_a_policy_of_your_own_takes_forty_lines():
    code = blocks("docs/tutorials/own-policy.md", "python")[0]
    assert len(code.split("class Decaying")[1].strip().splitlines()) < 40


@pytest.mark.parametrize("page", pages(generated=True))
def test_links_to_the_repository_lead_somewhere(page):
    for path, anchor in links(page):
        assert path.exists(), f"{page} links to {path.name}, which does not exist"
        if anchor:
            found = anchors(path.resolve().relative_to(ROOT).as_posix())
            assert anchor in found, f"{page} links to #{anchor}, which {path.name} does not have"


def test_every_page_is_on_the_site():
    listed = [line.strip() for page in pages(generated=True) if page.startswith("docs/")
              for code in re.findall(r"```{toctree}\n(.*?)```", text(page), re.DOTALL)
              for line in code.splitlines()]  # fmt: skip
    names = {line.rpartition("/")[2] for line in listed}
    patterns = [re.compile(name.replace("*", ".*")) for name in names if "*" in name]
    for page in pages(generated=True):
        if page.startswith("docs/") and page != "docs/index.md":
            name = page.rpartition("/")[2].removesuffix(".md")
            assert name in names or any(each.fullmatch(name) for each in patterns), page


def test_the_guide_to_streams_states_their_defaults():
    table = text("docs/streams.md").partition("## What they are")[0]
    rows = re.findall(r"^\| `(\w+)` \| .* \| (.*) \|$", table, re.MULTILINE)
    assert {name for name, _ in rows} >= {"wheel", "eat", "coins", "clicks", "drift", "units"}
    for name, written in rows:
        if name in ("eat", "units", "delayed"):  # these need data, or another environment
            continue
        environment = make_environment(name)
        for setting, default in re.findall(r"`(\w+)=([^`]+)`", written):
            assert getattr(environment, setting) == value(default), f"{name}: {setting}"


def test_the_changelog_is_of_this_version():
    from jostle import __version__

    assert f"## {__version__}" in text("CHANGELOG.md")
