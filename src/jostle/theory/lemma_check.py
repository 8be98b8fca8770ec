"""The result of testing one statement of the paper: a verdict, its numbers, and a plot of them."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@dataclass(frozen=True)
class LemmaCheck:
    """One statement of the paper, tested by an experiment."""

    name: str
    """A short name, used for file names: ``lemma-4.1``."""
    title: str
    """The title of the plot."""
    claim: str
    """What the paper states."""
    found: str
    """What was measured, in one sentence."""
    holds: bool
    """Whether the measurement agrees with the claim."""
    draw: "Callable[[Axes], None]" = field(repr=False)
    """Plots the measurement."""
    numbers: dict[str, Any] = field(default_factory=dict)
    """Every number of ``found`` and of the plot, by name, ready for JSON."""
    corrected: bool = False
    """Whether the statement holds only after a correction, which ``found`` explains."""

    @property
    def verdict(self) -> str:
        """The result in one or two words."""
        if not self.holds:
            return "FAILS"
        return "holds, corrected" if self.corrected else "holds"
