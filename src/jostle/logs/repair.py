"""Checks of logged decisions, row by row, and the repairs that a reader may ask for."""

from collections.abc import Iterable, Sequence

import numpy as np

from jostle.core.validation import unknown
from jostle.logs.columns import Columns, chosen_probabilities, row_sums
from jostle.types import NOBODY

DROP, NORMALISE, ZERO = "drop-rows", "renormalise", "missing-reward-is-zero"
REPAIRS = {
    DROP: "leave out rows with any problem",
    NORMALISE: "divide the probabilities of a row by their sum",
    ZERO: "count a missing reward as 0",
}
"""What ``repair=`` may ask for. Nothing is repaired unless it is named."""

SUM_TOLERANCE = 1e-3
"""How far the probabilities of a row may be from summing to one; float32 and rounding to three
digits stay below it."""
ROWS_NAMED = 5
LARGEST_REWARD, SMALLEST_PROBABILITY = 1e100, 1e-100
"""Beyond these, sums of squares of weighted rewards would overflow."""


class BadLogError(ValueError):
    """A log with rows that cannot be used; the message names the rows."""


def chosen_repairs(repair: str | Iterable[str]) -> tuple[str, ...]:
    """``repair`` as a tuple of known names."""
    if not isinstance(repair, Iterable):
        raise TypeError(f"repair must be a name or several, such as {DROP!r}, not {repair!r}")
    names = (repair,) if isinstance(repair, str) else tuple(repair)
    for name in names:
        if name not in REPAIRS:
            raise ValueError(unknown("repair", name, REPAIRS))
    return names


def checked(
    columns: Columns, shown: int, repair: Sequence[str], first_row: int = 0
) -> tuple[Columns, dict[str, int]]:
    """The columns without bad rows, and how many rows each repair changed.

    Raises:
        BadLogError: a row has a problem that ``repair`` does not name.
    """
    repairs: dict[str, int] = {}
    if ZERO in repair:
        missing = np.isnan(columns.rewards)
        if missing.any():
            repairs[ZERO] = int(missing.sum())
            columns = columns._replace(rewards=np.where(missing, 0.0, columns.rewards))
    if NORMALISE in repair and columns.all_probabilities is not None:
        columns, changed = _normalised(columns, shown)
        if changed:
            repairs[NORMALISE] = changed
    bad = np.zeros(len(columns.actions), bool)
    for rows, text in _problems(columns, shown):
        if DROP not in repair:
            raise BadLogError(f"{text}: {_named(rows, first_row)}; {_advice(text)}")
        bad |= rows
    if bad.any():
        repairs[DROP] = int(bad.sum())
        columns = columns.take(~bad)
    return columns, repairs


def _problems(columns: Columns, shown: int) -> Iterable[tuple[np.ndarray, str]]:
    """The rows with each kind of problem, where there are any."""
    actions, chosen = columns.actions, columns.probabilities
    outside = (actions < 0) | (actions >= shown)
    found = [
        (outside, f"actions must be indices from 0 to {shown - 1}"),
        (~np.isfinite(columns.rewards), "rewards must be finite numbers"),
        (
            np.isfinite(columns.rewards) & (np.abs(columns.rewards) > LARGEST_REWARD),
            f"rewards must be at most {LARGEST_REWARD:g} in size",
        ),
        (np.isnan(chosen), "probabilities must not be missing"),
        (chosen <= 0, "probabilities of chosen arms must be above 0"),
        (
            (chosen > 0) & (chosen < SMALLEST_PROBABILITY),
            f"probabilities of chosen arms must be at least {SMALLEST_PROBABILITY:g}",
        ),
        (chosen > 1 + SUM_TOLERANCE, "probabilities must be at most 1"),
    ]
    if columns.all_probabilities is not None:
        matrix = columns.all_probabilities
        total = row_sums(matrix)
        if not matrix.min(initial=0.0) >= 0:  # also if there is a NaN
            found.append(
                (~(matrix >= 0).all(axis=1), "probabilities must not be missing or below 0")
            )
        wrong = ~(np.abs(total - 1) <= SUM_TOLERANCE)
        found.append((wrong, "probabilities of a row must sum to 1"))
        if columns.mask is not None:
            absent = ((matrix > 0) & ~columns.mask).any(axis=1)
            found.append((absent, "absent arms must have probability 0"))
    for name, ids in (("arms", columns.arms), ("users", columns.users)):
        if ids is not None and ids.min(initial=0) < NOBODY:
            wrong = (ids < NOBODY).reshape(len(ids), -1).any(axis=1)
            found.append((wrong, f"{name} must be ids from 0, or {NOBODY} for none"))
    if columns.mask is not None:
        inside = np.clip(actions, 0, shown - 1)
        taken = columns.mask[np.arange(len(actions)), inside]
        found.append((~taken & ~outside, "chosen arms must be present"))
    if columns.contexts is not None:
        axes = tuple(range(1, columns.contexts.ndim))
        numbers = np.isfinite(columns.contexts).all(axis=axes)
        found.append((~numbers, "contexts must be finite numbers"))
    return [(rows, text) for rows, text in found if rows.any()]


def _normalised(columns: Columns, shown: int) -> tuple[Columns, int]:
    matrix = columns.all_probabilities
    assert matrix is not None
    total = row_sums(matrix)
    wrong = (np.abs(total - 1) > SUM_TOLERANCE) & (total > 0)
    scaled = np.where(wrong[:, None], matrix / np.where(total > 0, total, 1)[:, None], matrix)
    chosen = chosen_probabilities(scaled, columns.actions, shown)
    return columns._replace(all_probabilities=scaled, probabilities=chosen), int(wrong.sum())


def _named(rows: np.ndarray, first_row: int) -> str:
    numbers = np.flatnonzero(rows) + first_row
    listed = ", ".join(str(number) for number in numbers[:ROWS_NAMED])
    rest = f" and {len(numbers) - ROWS_NAMED:,} more" if len(numbers) > ROWS_NAMED else ""
    return f"row{'s' * (len(numbers) > 1)} {listed}{rest} (counted from 0)"


def _advice(text: str) -> str:
    options = [DROP]
    if "sum to 1" in text:
        options.insert(0, NORMALISE)
    if "rewards must be finite" in text:
        options.insert(0, ZERO)
    named = " or ".join(f"repair={option!r} ({REPAIRS[option]})" for option in options)
    return f"correct the log, or pass {named}"
