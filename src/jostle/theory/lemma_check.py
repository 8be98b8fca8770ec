"""The result of testing one statement of the paper: a verdict, its numbers, and a plot of them.

A verdict rests on one number, the ``Evidence``: how far it may go (its tolerance), and how well it
is known (its standard error). A measurement that is too noisy to decide says so.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from matplotlib.axes import Axes

STANDARD_ERRORS = 3.0
"""How many standard errors a number must be from its tolerance for a verdict."""


class Verdict(StrEnum):
    """The three outcomes of a check."""

    HOLDS = "holds"
    FAILS = "does not hold"
    UNCLEAR = "cannot tell"


@dataclass(frozen=True)
class Evidence:
    """The number that a verdict rests on, and the most (or the least) that it may be."""

    quantity: str
    """What was measured."""
    value: float
    standard_error: float
    """0 for a number without sampling error, infinite for one that was measured once."""
    tolerance: float
    at_least: bool = False
    """Whether the tolerance is a lower bound on the value instead of an upper bound."""
    form: str = ".1%"
    """How the numbers are written."""

    @property
    def verdict(self) -> Verdict:
        """Whether the value is on the right side of the tolerance by three standard errors."""
        margin = self.tolerance - self.value
        if self.at_least:
            margin = -margin
        if margin >= STANDARD_ERRORS * self.standard_error:
            return Verdict.HOLDS
        if margin < -STANDARD_ERRORS * self.standard_error:
            return Verdict.FAILS
        return Verdict.UNCLEAR

    def __str__(self) -> str:
        error = ""
        if 0 < self.standard_error < float("inf"):
            error = f" ± {self.standard_error:{self.form}}"
        side = "at least" if self.at_least else "at most"
        return (
            f"{self.quantity}: {self.value:{self.form}}{error} (tolerance: {side} "
            f"{self.tolerance:{self.form}})"
        )


def worst(verdicts: Iterable[Verdict]) -> Verdict:
    """The verdict on several requirements at once: one that fails decides, then one unclear."""
    found = set(verdicts)
    for verdict in (Verdict.FAILS, Verdict.UNCLEAR):
        if verdict in found:
            return verdict
    return Verdict.HOLDS


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
    outcome: Verdict
    """Whether the measurement agrees with the claim."""
    evidence: Evidence
    """The number that decides."""
    draw: "Callable[[Axes], None]" = field(repr=False)
    """Plots the measurement."""
    numbers: dict[str, Any] = field(default_factory=dict)
    """Every number of ``found`` and of the plot, by name, ready for JSON."""
    corrected: bool = False
    """Whether the statement holds only after a correction, which ``found`` explains."""

    def __post_init__(self) -> None:
        evidence = {
            "decided_by": self.evidence.quantity,
            "error": self.evidence.value,
            "standard_error": self.evidence.standard_error,
            "tolerance": self.evidence.tolerance,
        }
        object.__setattr__(self, "numbers", {**evidence, **self.numbers})

    @property
    def holds(self) -> bool:
        """Whether the statement holds."""
        return self.outcome is Verdict.HOLDS

    @property
    def verdict(self) -> str:
        """The result in one to three words."""
        return f"{self.outcome}, corrected" if self.holds and self.corrected else str(self.outcome)
