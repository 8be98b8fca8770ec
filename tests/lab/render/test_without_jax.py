"""Reading and showing results must not import JAX: it takes seconds and may not be installed."""

import subprocess
import sys
from pathlib import Path

import pytest

RESULTS = Path(__file__).parents[3] / "results"
CODE = """
import io, shutil, sys
from pathlib import Path

import pytest
from rich.console import Console

results, scratch = Path(sys.argv[1]), Path(sys.argv[2])
for name in ("fig1b-jostle", "table1"):
    shutil.copytree(results / name, scratch / name)

from jostle.cli import app
from jostle.lab import read
from jostle.lab.render import terminal
from jostle.lab.render.html import report

outcome = read(scratch / "fig1b-jostle")
text = io.StringIO()
terminal.show(Console(file=text), outcome)
assert "npr" in text.getvalue()
assert [path.name for path in report.save(outcome, scratch / "fig1b-jostle")][0] == "report.html"
assert report.index([(outcome, "fig1b-jostle")], scratch).exists()
app(["report", str(scratch / "table1")], standalone_mode=False)
app(["summary", str(scratch), "--out", str(scratch / "pages")], standalone_mode=False)
app(["status", str(scratch / "fig1b-jostle")], standalone_mode=False)
assert (scratch / "pages" / "images" / "fig1b-jostle.png").exists()
assert "jax" not in sys.modules, "JAX was imported"
"""


@pytest.mark.study
def test_results_are_read_and_shown_without_jax(tmp_path):
    command = [sys.executable, "-c", CODE, str(RESULTS), str(tmp_path)]
    found = subprocess.run(command, capture_output=True, text=True)
    assert found.returncode == 0, found.stderr
