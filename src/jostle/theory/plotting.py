"""Colours and logarithmic axes of the theory's plots."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# Okabe and Ito's palette, which colour-blind readers can tell apart.
BLUE, ORANGE, GREEN, RED, PURPLE, GREY = (
    "#0072B2",
    "#E69F00",
    "#009E73",
    "#D55E00",
    "#CC79A7",
    "#888888",
)


def log_rounds(axes: "Axes") -> None:
    """Put rounds on a logarithmic x axis, labelled at powers of ten only."""
    from matplotlib.ticker import NullFormatter

    axes.set(xlabel="round", xscale="log")
    axes.xaxis.set_minor_formatter(NullFormatter())


def log_widths(axes: "Axes", widths: Sequence[int]) -> None:
    """Put network widths on a logarithmic x axis, each of them labelled."""
    axes.set(xlabel="width m", xscale="log")
    axes.set_xticks(widths, [str(width) for width in widths], minor=False)
    axes.set_xticks([], minor=True)
