"""The figure of an experiment, as PNG and SVG. Which one, the experiment says."""

from pathlib import Path
from typing import Any

from jostle.lab import figures_curves, figures_time
from jostle.lab.outcome import Outcome
from jostle.writing import atomic

INK = "#222222"
STYLE: Any = {
    "font.family": "sans-serif",
    "font.size": 10,
    "text.color": INK,
    "axes.edgecolor": "#999999",
    "axes.labelcolor": INK,
    "axes.spines.right": False,
    "axes.spines.top": False,
    "axes.axisbelow": True,
    "axes.titlelocation": "left",
    "axes.titlesize": 11,
    "axes.titlepad": 10,
    "grid.color": "#e6e6e6",
    "grid.linewidth": 0.8,
    "text.parse_math": False,  # names are text
    "xtick.color": INK,
    "ytick.color": INK,
    "svg.hashsalt": "jostle",  # the same figure gives the same file
}
DRAW = {
    "curves": figures_curves.draw,
    "bars": figures_time.bars,
    "growth": figures_time.growth,
}


def draw(outcome: Outcome) -> Any:
    """The figure, as Matplotlib's.

    Raises a ``ValueError`` for an experiment that has none: its result is a table.
    """
    from matplotlib import rc_context

    kind = outcome.experiment.figure
    if kind not in DRAW:
        raise ValueError(f"an experiment with figure = {kind!r} has no figure, only a table")
    with rc_context(STYLE):
        return DRAW[kind](outcome)


def save(outcome: Outcome, folder: Path) -> list[Path]:
    """Draw the figure into ``folder``; the paths of the files, none if there is no figure."""
    from matplotlib import rc_context

    if outcome.experiment.figure not in DRAW:
        return []
    figure = draw(outcome)
    paths = [folder / "figure.png", folder / "figure.svg"]
    with rc_context(STYLE):
        for path in paths:
            kind = path.suffix[1:]
            extra: dict[str, Any] = {"metadata": {"Date": None}} if kind == "svg" else {"dpi": 150}
            with atomic(path) as file:
                figure.savefig(file, format=kind, bbox_inches="tight", pad_inches=0.15, **extra)
    return paths
