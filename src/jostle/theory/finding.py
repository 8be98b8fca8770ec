"""What an experiment on a lemma found: a verdict, its numbers, and a picture of them."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

BLUE, ORANGE, GREEN, RED, PURPLE, GREY = (
    "#0072B2",
    "#E69F00",
    "#009E73",
    "#D55E00",
    "#CC79A7",
    "#888888",
)


@dataclass(frozen=True)
class Finding:
    """One statement of the paper, put to the test."""

    name: str
    """A short name, for files: ``lemma-4.1``."""
    title: str
    """Of the figure."""
    claim: str
    """What the paper says."""
    found: str
    """What was measured, in one sentence."""
    holds: bool
    """Whether the measurement agrees with the claim."""
    draw: Callable[[Any], None] = field(repr=False)
    """Draws the measurement on a matplotlib axes."""
    numbers: dict[str, Any] = field(default_factory=dict)
    """Everything that ``found`` and the figure say, by name."""
    mended: bool = False
    """Whether it holds only after a correction, which ``found`` names."""

    @property
    def verdict(self) -> str:
        """In one or two words."""
        if not self.holds:
            return "FAILS"
        return "holds, mended" if self.mended else "holds"


def log_rounds(axes: Any) -> None:
    """Rounds on a logarithmic axis, labelled at powers of ten only."""
    from matplotlib.ticker import NullFormatter

    axes.set(xlabel="round", xscale="log")
    axes.xaxis.set_minor_formatter(NullFormatter())


def log_widths(axes: Any, widths: Sequence[int]) -> None:
    """Widths on a logarithmic axis, each labelled."""
    axes.set(xlabel="width m", xscale="log")
    axes.set_xticks(widths, [str(width) for width in widths], minor=False)
    axes.set_xticks([], minor=True)
