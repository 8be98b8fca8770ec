"""The committed pages of results are those of the committed results."""

import subprocess
import sys
from pathlib import Path

import pytest

from jostle.lab.render.pages import collect, image_links, render

ROOT = Path(__file__).parent.parent
PAGES = ROOT / "docs" / "results"
COMMAND = "jostle summary results --out docs/results"


@pytest.mark.study
def test_the_pages_match_the_results():
    outcomes = collect(ROOT / "results")
    links = image_links(outcomes)
    expected = render(outcomes, links, COMMAND)
    found = {path.stem: path.read_text("utf-8") for path in PAGES.glob("*.md")}
    assert found.keys() == expected.keys(), f"run: {COMMAND}"
    stale = [name for name, text in expected.items() if found[name] != text]
    assert not stale, f"docs/results does not match results; run: {COMMAND}"
    pictures = {f"images/{path.name}" for path in (PAGES / "images").iterdir()}
    assert pictures == set(links.values())


def test_no_line_is_longer_than_120_characters_outside_tables():
    for path in PAGES.glob("*.md"):
        for number, line in enumerate(path.read_text("utf-8").splitlines(), 1):
            assert len(line) <= 120 or line.startswith(("|", "#", "![")), f"{path.name}:{number}"


def test_the_command_that_the_pages_name_exists():
    command = [sys.executable, "-m", *COMMAND.split()[:2], "--help"]
    shown = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert COMMAND in shown
