"""Axes: round numbers and round times within a range."""

import math
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import NamedTuple

MINUTE, HOUR, DAY = 60.0, 3600.0, 86400.0
STEPS = (1.0, 2.0, 2.5, 5.0, 10.0)
TIME_STEPS = (
    10.0,
    30.0,
    *(MINUTE * count for count in (1, 2, 5, 10, 15, 30)),
    *(HOUR * count for count in (1, 2, 3, 6, 12)),
    *(DAY * count for count in (1, 2, 4, 7, 14)),
)


class Range(NamedTuple):
    """The ends of an axis."""

    low: float
    high: float

    def share(self, value: float) -> float:
        """Where a value lies: 0 at the low end, 1 at the high one, never outside."""
        return min(max((value - self.low) / (self.high - self.low), 0.0), 1.0)


def nice_step(length: float, count: int) -> float:
    """The least of 1, 2, 2.5, 5 times a power of ten that fits ``count`` times at most."""
    rough = length / count
    power = 10.0 ** math.floor(math.log10(rough))
    return next(step * power for step in STEPS if step * power >= rough * 0.9999)


def value_axis(values: Sequence[float], count: int = 4) -> tuple[Range, list[float]]:
    """A range with round ends that holds all values, and its ticks.

    It starts at 0 unless all values are far from it.
    """
    low, high = (min(values), max(values)) if values else (0.0, 1.0)
    if 0 <= low < 0.6 * high:
        low = 0.0
    if high <= low:
        low, high = (0.0, 1.0) if low == 0 else (low - abs(low) / 2, high + abs(high) / 2)
    step = nice_step(high - low, count)
    first, last = math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9)
    ticks = [index * step for index in range(first, last + 1)]
    return Range(ticks[0], ticks[-1]), ticks


def time_ticks(start: float, stop: float, count: int = 6) -> list[tuple[float, str]]:
    """Round times between two, in UTC, with their labels."""
    length = stop - start
    step = next((step for step in TIME_STEPS if length / step <= count), TIME_STEPS[-1])
    first = math.ceil(start / step)
    times = [index * step for index in range(first, math.floor(stop / step) + 1)]
    return [(time, time_label(time, step)) for time in times]


def time_label(time: float, step: float) -> str:
    """A time of day, with seconds where steps are short; a date where they are days."""
    moment = datetime.fromtimestamp(time, UTC)
    if step >= DAY or (step >= HOUR and moment.hour == 0 and moment.minute == 0):
        return f"{moment.day} {moment:%b}"
    return f"{moment:%H:%M:%S}" if step < MINUTE else f"{moment:%H:%M}"
