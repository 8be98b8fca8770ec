"""``Outcome``: what a harness found, and how it is shown."""

from dataclasses import asdict, dataclass, field
from typing import Any


@dataclass
class Outcome:
    """What one harness found."""

    name: str
    claim: str
    """What should hold."""
    passed: bool
    figures: dict[str, Any] = field(default_factory=dict)
    errors: list[str] = field(default_factory=list)
    seconds: float = 0.0

    def as_data(self):
        """For JSON."""
        return {**asdict(self), "errors": self.errors[:20], "error_count": len(self.errors)}

    def row(self):
        """A line of a Markdown table."""
        figures = "; ".join(f"{name} {show(value)}" for name, value in self.figures.items())
        verdict = "holds" if self.passed else "**does not hold**"
        return f"| {self.name} | {self.claim} | {verdict} | {figures} | {self.seconds:,.0f} s |"


def show(value):
    """A figure with a sensible number of digits."""
    if isinstance(value, float):
        return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3g}"
    return f"{value:,}" if isinstance(value, int) else str(value)
