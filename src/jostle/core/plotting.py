"""How our figures look, and how they become files."""

from pathlib import Path
from typing import Any

from jostle.core.atomic import atomic

INK = "#222222"
STYLE: Any = {
    "font.family": "sans-serif",
    "font.size": 10,
    "text.color": INK,
    "text.parse_math": False,  # names are text
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


def write(figure: Any, path: Path, *, dpi: int = 150) -> Path:
    """Write a figure whole or not at all, as the kind that the path's suffix says."""
    kind = path.suffix[1:]
    extra: dict[str, Any] = {"metadata": {"Date": None}} if kind == "svg" else {"dpi": dpi}
    with atomic(path) as file:
        figure.savefig(file, format=kind, bbox_inches="tight", pad_inches=0.15, **extra)
    return path
