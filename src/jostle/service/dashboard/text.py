"""Numbers and times as the dashboard shows them."""

import math
from datetime import UTC, datetime

from jostle.service.dashboard.estimates import Estimate

NOTHING = "\N{EN DASH}"
GAP = "\N{NO-BREAK SPACE}"


def number(value: float | None) -> str:
    """Three digits that count; a dash for nothing."""
    if value is None or not math.isfinite(value):
        return NOTHING
    if value == 0:
        return "0"
    digits = max(2 - math.floor(math.log10(abs(value))), 0)
    return f"{value:,.{min(digits, 6)}f}"


def tick(value: float, step: float) -> str:
    """A number of an axis, with as many digits as its step needs."""
    digits = next((n for n in range(9) if abs(step * 10**n - round(step * 10**n)) < 1e-6), 9)
    return f"{value:,.{digits}f}"


def percent(share: float | None) -> str:
    """A share in per cent."""
    if share is None or not math.isfinite(share):
        return NOTHING
    digits = 0 if share >= 0.1 or share == 0 else 1 if share >= 0.001 else 2
    return f"{100 * share:.{digits}f}{GAP}%"


def count(value: int) -> str:
    """A number of things."""
    return f"{value:,}"


def milliseconds(value: float | None) -> str:
    """A duration that is given in milliseconds."""
    if value is None:
        return NOTHING
    return f"{number(value / 1000)} s" if value >= 1000 else f"{number(value)} ms"


def duration(seconds: float) -> str:
    """A duration in its largest unit: "45 s", "3 min", "2 h", "5 days"."""
    for size, unit in ((86400, "days"), (3600, "h"), (60, "min")):
        if seconds >= 1.5 * size or seconds == size:
            amount = round(seconds / size)
            return f"{amount} {'day' if unit == 'days' and amount == 1 else unit}"
    return f"{seconds:.0f} s"


def moment(time: float) -> str:
    """A time, to the second, in UTC."""
    return f"{datetime.fromtimestamp(time, UTC):%Y-%m-%d %H:%M:%S}"


def size(bytes_: float) -> str:
    """A number of bytes."""
    for power, unit in ((3, "GB"), (2, "MB"), (1, "kB")):
        if bytes_ >= 1000**power:
            return f"{number(bytes_ / 1000**power)} {unit}"
    return f"{bytes_:.0f} bytes"


def interval(estimate: Estimate | None) -> str:
    """A mean and the ends of its interval."""
    if estimate is None:
        return NOTHING
    digits = _digits(estimate)
    low, value, high = (f"{each:,.{digits}f}" for each in sorted(estimate))
    return f"{value} ({low} to {high})"


def plus_minus(estimate: Estimate) -> tuple[str, str]:
    """A mean, and half of its interval, to the same digits."""
    digits = _digits(estimate)
    return f"{estimate.value:,.{digits}f}", f"± {estimate.high - estimate.value:,.{digits}f}"


def _digits(estimate: Estimate) -> int:
    """Digits after the point of which two are uncertain."""
    half = estimate.high - estimate.value
    return min(max(1 - math.floor(math.log10(half)), 0), 6) if half > 0 else 3
