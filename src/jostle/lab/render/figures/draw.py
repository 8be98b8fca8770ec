"""The figure of an experiment, as PNG and SVG. Which one, the experiment says."""

from pathlib import Path
from typing import Any

from jostle.core.plotting import STYLE, write
from jostle.lab.render.figures import ablation as figures_changes
from jostle.lab.render.figures import curves as figures_curves
from jostle.lab.render.figures import front as figures_front
from jostle.lab.render.figures import speed as figures_time
from jostle.lab.results.outcome import Outcome

DRAW = {
    "curves": figures_curves.draw,
    "front": figures_front.draw,
    "changes": figures_changes.draw,
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
            write(figure, path)
    return paths
