"""The index page of several experiments: a card each, with its picture, headline and report."""

import base64
from collections.abc import Iterable
from html import escape
from pathlib import Path
from urllib.parse import quote

from jostle.core.atomic import atomic
from jostle.lab.render.headline import headlines
from jostle.lab.render.html.page import page
from jostle.lab.results.outcome import Outcome

INDEX = "index.html"


def index(outcomes: Iterable[tuple[Outcome, str]], folder: Path) -> Path:
    """Write the page into ``folder``.

    With each outcome comes its own folder, relative to ``folder``, in which its ``report.html``
    and ``figure.png`` (if it has one) are.
    """
    outcomes = list(outcomes)
    missing = sum(len(outcome.missing()) for outcome, _ in outcomes)
    runs = sum(len(outcome.runs()) for outcome, _ in outcomes)
    told = [
        f"{len(outcomes)} experiment{'s' * (len(outcomes) != 1)}",
        f"{runs:,} run{'s' * (runs != 1)}",
        *([f"{missing:,} missing"] if missing else []),
    ]
    cards = "\n".join(_card(outcome, place, folder) for outcome, place in outcomes)
    with atomic(folder / INDEX) as file:
        file.write(page("Experiments", escape(" · ".join(told)), cards).encode())
    return folder / INDEX


def _card(outcome: Outcome, place: str, folder: Path) -> str:
    name = escape(outcome.experiment.title or outcome.experiment.name)
    link = escape("./" + quote(Path(place).as_posix()) + "/report.html")
    picture = folder / place / "figure.png"
    image = ""
    if picture.exists():
        content = base64.b64encode(picture.read_bytes()).decode()
        image = f'<img alt="" src="data:image/png;base64,{content}">'
    told = "".join(f"<p>{escape(sentence)}</p>" for sentence, _ in headlines(outcome))
    missing = len(outcome.missing())
    warning = f'<p class="note">Not complete: {missing:,} runs are missing.</p>' if missing else ""
    return f'<a class="card" href="{link}"><h2>{name}</h2>{image}<div>{told}{warning}</div></a>'
