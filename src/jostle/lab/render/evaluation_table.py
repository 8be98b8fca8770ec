"""The table of an off-policy evaluation, for the terminal and the report, and its warnings."""

import math
from typing import TYPE_CHECKING

from jostle.lab.render.cell_table import Cell, CellTable
from jostle.lab.render.text import UNKNOWN

if TYPE_CHECKING:
    from jostle.evaluation import Comparison, Difference, Estimate

TITLES = (
    "policy",
    "estimator",
    "value",
    "interval",
    "difference",
    "its interval",
    "effective size",
    "largest weight",
    "unsupported",
)

MOST_DECIMALS = 6
"""Of numbers in a terminal; smaller ones are written with an exponent."""


def evaluation_table(comparison: "Comparison") -> CellTable:
    """One line per policy and estimator."""
    lines = [
        _line(name, estimator, estimate, result.differences.get(estimator))
        for name, result in comparison.results.items()
        for estimator, estimate in result.estimates.items()
    ]
    return CellTable(TITLES, lines)


def evaluation_warnings(comparison: "Comparison") -> list[tuple[str, str]]:
    """Which policies and estimators each warning is about, and the warning."""
    found: dict[str, list[str]] = {}
    for name, result in comparison.results.items():
        several: dict[str, list[str]] = {}
        for estimator, estimate in result.estimates.items():
            for warning in estimate.warnings:
                several.setdefault(warning, []).append(estimator)
        for warning, estimators in several.items():
            all_of_them = len(estimators) == len(result.estimates)
            subject = name if all_of_them else f"{name} ({', '.join(estimators)})"
            found.setdefault(warning, []).append(subject)
    return [(", ".join(subjects), warning) for warning, subjects in found.items()]


def verdict(comparison: "Comparison") -> list[str]:
    """A sentence for each policy on whether it would have earned more than the baseline.

    By the last of the estimators that the caller chose.
    """
    sentences = []
    for name, result in comparison.results.items():
        if not result.differences:
            continue
        estimator, difference = list(result.differences.items())[-1]
        if difference.value == difference.low == difference.high == 0:
            same = f"{name} would have earned exactly as much as {comparison.baseline}"
            sentences.append(f"{same} ({estimator}).")
            continue
        blank = [
            each
            for each, estimates in (
                (name, result.estimates),
                (comparison.baseline, comparison.results[comparison.baseline].estimates),
            )
            if not estimates[estimator].answered
        ]
        if blank:
            size = comparison.results[blank[0]].estimates[estimator].effective_size
            sentences.append(
                f"The log cannot say whether {name} would have earned more than "
                f"{comparison.baseline}: for {blank[0]}, its {comparison.rows:,} rows are worth "
                f"{size:,.0f}."
            )
            continue
        earned = "more" if difference.value > 0 else "less"
        amount = f"{abs(difference.value):.3g} per row {earned} than {comparison.baseline}"
        interval = _interval(difference.low, difference.high)
        if interval == UNKNOWN:
            certainty = "without an interval, so that it may be chance"
        elif difference.decided:
            certainty = f"with an interval of {interval}, on one side of zero"
        else:
            certainty = f"but the log does not decide: the interval is {interval}"
        sentences.append(f"{name} would have earned {amount} ({estimator}), {certainty}.")
    return sentences


def _line(
    name: str, estimator: str, estimate: "Estimate", difference: "Difference | None"
) -> list[Cell]:
    cells = [
        Cell(name, name),
        Cell(estimator, estimator),
        Cell(f"{estimate.value:.4g}", estimate.value),
        Cell(_interval(estimate.low, estimate.high), estimate.low),
    ]
    if difference is None:
        cells += [Cell(UNKNOWN), Cell(UNKNOWN)]
    else:
        cells += [
            Cell(f"{difference.value:+.4g}", difference.value),
            Cell(_interval(difference.low, difference.high), difference.low),
        ]
    return [
        *cells,
        Cell(f"{estimate.effective_size:,.0f}", estimate.effective_size),
        Cell(f"{estimate.largest_weight:,.3g}", estimate.largest_weight),
        Cell(f"{estimate.unsupported:.1%}", estimate.unsupported),
    ]


def compact_lines(comparison: "Comparison") -> list[list[str]]:
    """What fits into a terminal: estimates and differences, each with its interval, and sizes."""
    lines = []
    for name, result in comparison.results.items():
        for estimator, estimate in result.estimates.items():
            difference = result.differences.get(estimator)
            lines.append(
                [
                    name,
                    estimator,
                    _with_interval(estimate.value, estimate.low, estimate.high),
                    UNKNOWN
                    if difference is None
                    else _with_interval(difference.value, difference.low, difference.high, "+"),
                    f"{estimate.effective_size:,.0f}",
                    f"{estimate.largest_weight:,.3g}",
                ]
            )
    return lines


def _with_interval(value: float, low: float, high: float, sign: str = "") -> str:
    """A value and its interval, with as many decimals as show two digits of the width."""
    if not (math.isfinite(low) and math.isfinite(high)):
        return f"{value:{sign}.3g}"
    decimals = 1 - math.floor(math.log10(high - low)) if high > low else MOST_DECIMALS + 1
    kind = f".{max(decimals, 0)}f" if decimals <= MOST_DECIMALS else ".3g"
    return f"{value:{sign}{kind}} [{low:{kind}}, {high:{kind}}]"


def _interval(low: float, high: float) -> str:
    return f"{low:.4g} to {high:.4g}" if math.isfinite(low) and math.isfinite(high) else UNKNOWN
