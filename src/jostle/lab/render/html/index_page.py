"""The index page of several experiments: a card for each, with picture, headlines and report."""

import base64
from collections.abc import Iterable
from pathlib import Path
from typing import Any
from urllib.parse import quote

from jostle.core.atomic import atomic
from jostle.lab.render.figure_kinds import renderer_of
from jostle.lab.render.figures.draw import PNG
from jostle.lab.render.html import templating
from jostle.lab.render.text import count
from jostle.lab.results.outcome import Outcome

INDEX = "index.html"


def index(outcomes: Iterable[tuple[Outcome, str]], folder: Path) -> Path:
    """Write the page into ``folder``, and return its path.

    Each outcome comes with its own folder, relative to ``folder``, which holds its ``report.html``
    and, if it has one, its ``figure.png``.
    """
    outcomes = list(outcomes)
    missing = sum(len(outcome.missing()) for outcome, _ in outcomes)
    runs = sum(len(outcome.runs()) for outcome, _ in outcomes)
    parts = [count(len(outcomes), "experiment"), count(runs, "run")]
    if missing:
        parts.append(f"{missing:,} missing")
    page = templating.render(
        "index.html",
        title="Experiments",
        kind=" · ".join(parts),
        cards=[_card(outcome, place, folder) for outcome, place in outcomes],
    )
    with atomic(folder / INDEX) as file:
        file.write(page.encode())
    return folder / INDEX


def _card(outcome: Outcome, place: str, folder: Path) -> dict[str, Any]:
    picture, missing = folder / place / PNG, len(outcome.missing())
    image = base64.b64encode(picture.read_bytes()).decode() if picture.exists() else None
    return {
        "title": outcome.experiment.title or outcome.experiment.name,
        "link": f"./{quote(Path(place).as_posix())}/report.html",
        "image": image,
        "headlines": renderer_of(outcome).headlines(outcome),
        "warning": f"Not complete: {count(missing, 'run')} missing." if missing else "",
    }
