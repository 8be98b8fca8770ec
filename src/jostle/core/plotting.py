"""The style of all figures, and how they are written to files."""

from contextlib import AbstractContextManager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from jostle.core.atomic import atomic

if TYPE_CHECKING:
    from matplotlib.figure import Figure

INK, SOFT = "#222222", "#666666"
"""The colours of text, and of what stands back."""
# Any, because Matplotlib types its settings as a set of names that changes with its version.
STYLE: Any = {
    "font.family": "sans-serif",
    "font.size": 10,
    "text.color": INK,
    "text.parse_math": False,  # names of policies may hold dollar signs
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
    "xtick.color": INK,
    "ytick.color": INK,
    "svg.hashsalt": "jostle",  # the same figure gives the same file
}


def style() -> AbstractContextManager[None]:
    """A context in which Matplotlib draws in our style."""
    from matplotlib import rc_context

    return rc_context(STYLE)


def write(figure: "Figure", path: Path, *, dpi: int = 150) -> Path:
    """Write a figure, whole or not at all, in the format that the suffix of ``path`` names."""
    kind = path.suffix[1:]
    options: dict[str, Any] = {"metadata": {"Date": None}} if kind == "svg" else {"dpi": dpi}
    with atomic(path) as file:
        figure.savefig(file, format=kind, bbox_inches="tight", pad_inches=0.15, **options)
    return path
