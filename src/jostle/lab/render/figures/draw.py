"""Draw the figure of an experiment, and save it as PNG and SVG."""

from pathlib import Path
from typing import TYPE_CHECKING

from jostle.core.plotting import style, write
from jostle.lab.render.figure_kinds import renderer_of
from jostle.lab.results.outcome import Outcome

if TYPE_CHECKING:
    from matplotlib.figure import Figure

PNG, SVG = "figure.png", "figure.svg"


def draw(outcome: Outcome) -> "Figure":
    """The figure of the kind that the experiment asks for.

    Raises a ``ValueError`` for an experiment whose result is only a table.
    """
    kind = renderer_of(outcome)
    if kind.draw is None:
        name = outcome.experiment.figure
        raise ValueError(f"an experiment with figure = {name!r} has no figure, only a table")
    with style():
        return kind.draw(outcome)


def has_figure(outcome: Outcome) -> bool:
    """Whether the experiment has a figure, and not only a table."""
    return renderer_of(outcome).draw is not None


def save(outcome: Outcome, folder: Path, names: tuple[str, ...] = (PNG, SVG)) -> list[Path]:
    """Draw the figure into files of ``folder``; none if there is no figure."""
    if not has_figure(outcome):
        return []
    figure = draw(outcome)
    with style():
        return [write(figure, folder / name) for name in names]
