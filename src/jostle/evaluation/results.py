"""What an evaluation returns: estimates, differences, and a comparison of several targets."""

import dataclasses
from typing import TYPE_CHECKING, Any

import numpy as np

from jostle.core.optional import require

if TYPE_CHECKING:
    import polars


LEAST_SIZE = 10
"""Below this effective sample size a log is said not to answer at all."""


@dataclasses.dataclass(frozen=True)
class Estimate:
    """What a target would have earned per row, and how far to trust it."""

    value: float
    low: float
    high: float
    effective_size: float
    """So many rows drawn by the target itself would say as much."""
    largest_weight: float
    warnings: tuple[str, ...]
    """What to know before using the number, in plain words; empty if there is nothing."""
    standard_error: float
    unsupported: float
    """Probability with which the target chooses arms that the log says nothing about."""
    rows: int
    interval: str | None
    level: float

    @property
    def answered(self) -> bool:
        """Whether the log has anything to say: enough rows, by their effective number."""
        return self.effective_size >= LEAST_SIZE

    def __str__(self) -> str:
        text = f"{self.value:.4g}"
        if self.interval is not None:
            text += f" [{self.low:.4g}, {self.high:.4g}]"
        return text if not self.warnings else f"{text} (!) {' '.join(self.warnings)}"


@dataclasses.dataclass(frozen=True)
class Difference:
    """How much more one target would have earned than another, on the same rows."""

    value: float
    low: float
    high: float

    @property
    def decided(self) -> bool:
        """Whether the interval is on one side of zero."""
        return self.low > 0 or self.high < 0


@dataclasses.dataclass(frozen=True, eq=False)
class OverTime:
    """The IPS estimate after some numbers of rows, with its confidence sequence."""

    rows: np.ndarray
    value: np.ndarray
    low: np.ndarray
    high: np.ndarray


@dataclasses.dataclass(frozen=True, eq=False)
class TargetResult:
    """All that is known about one target."""

    estimates: dict[str, Estimate]
    differences: dict[str, Difference]
    """From the baseline, by estimator; empty for the baseline itself."""
    histogram: tuple[np.ndarray, np.ndarray]
    """Counts and edges of the importance weights."""
    over_time: OverTime


@dataclasses.dataclass(frozen=True, eq=False)
class Comparison:
    """Several targets on one log."""

    results: dict[str, TargetResult]
    baseline: str
    rows: int
    level: float
    interval: str | None

    def __str__(self) -> str:
        """The estimates, one line each; ``frame()`` has all that is known."""
        lines = [
            (name, estimator, str(estimate))
            for name, result in self.results.items()
            for estimator, estimate in result.estimates.items()
        ]
        first, second = (max(map(len, column)) for column in list(zip(*lines, strict=True))[:2])
        return "\n".join(
            f"{name:{first}}  {estimator:{second}}  {text}" for name, estimator, text in lines
        )

    __repr__ = __str__  # in place of all arrays

    def frame(self) -> "polars.DataFrame":
        """A Polars frame with one row per target and estimator."""
        polars = require("polars", extra="evaluation")
        return polars.DataFrame(self.lines())  # type: ignore[no-any-return]

    def lines(self) -> list[dict[str, Any]]:
        """The rows of the frame."""
        lines = []
        for name, result in self.results.items():
            for estimator, estimate in result.estimates.items():
                difference = result.differences.get(estimator)
                lines.append(
                    {
                        "target": name,
                        "estimator": estimator,
                        "value": estimate.value,
                        "low": estimate.low,
                        "high": estimate.high,
                        "difference": difference and difference.value,
                        "difference_low": difference and difference.low,
                        "difference_high": difference and difference.high,
                        "effective_size": estimate.effective_size,
                        "largest_weight": estimate.largest_weight,
                        "unsupported": estimate.unsupported,
                        "warnings": " ".join(estimate.warnings),
                    }
                )
        return lines
