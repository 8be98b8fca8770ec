"""The report of an off-policy evaluation: one HTML file with table, figures and warnings."""

import base64
from pathlib import Path
from typing import TYPE_CHECKING

from jostle.core.atomic import atomic
from jostle.lab.render.evaluation_table import evaluation_table, evaluation_warnings, verdict
from jostle.lab.render.figures import evaluation as figures
from jostle.lab.render.html import templating

if TYPE_CHECKING:
    from jostle.evaluation import Comparison

REPORT = "report.html"


def save(comparison: "Comparison", folder: Path, *, title: str, command: str = "") -> Path:
    """Write the report into ``folder``, and return its path."""
    path = folder / REPORT
    with atomic(path) as file:
        file.write(render(comparison, title=title, command=command).encode())
    return path


def render(comparison: "Comparison", *, title: str, command: str = "") -> str:
    """The page."""
    pictures = {
        "forest": figures.forest(comparison),
        "weights": figures.weights(comparison),
        "over_time": figures.over_time(comparison),
    }
    drawn = f", lines {comparison.interval} intervals of {comparison.level:.0%}"
    return templating.render(
        "evaluation.html",
        title=title,
        kind=f"off-policy evaluation · {comparison.rows:,} rows · baseline {comparison.baseline}",
        verdicts=verdict(comparison),
        warnings=evaluation_warnings(comparison),
        table=evaluation_table(comparison),
        drawn=drawn if comparison.interval else "",
        images={name: base64.b64encode(data).decode() for name, data in pictures.items()},
        command=command,
    )
