"""Charts as plain data; ``templates/charts.html`` draws them as inline SVG.

Curves and columns are paths in a square of ``SIDE`` units that the page stretches to its width.
Texts stand outside of that square, at percentages of it, so they have the same size on any screen.
"""

from collections.abc import Callable, Sequence
from typing import NamedTuple

from jostle.service.dashboard.scales import Range, nice_step, time_label, time_ticks, value_axis
from jostle.service.dashboard.text import tick

SIDE = 1000
GAP = 0.12
"""The part of a bucket's width that stays free between two columns."""


class Tick(NamedTuple):
    """A label of an axis."""

    place: float
    """In per cent of the axis, from the left or from the top."""
    text: str


class Layer(NamedTuple):
    """One path, and the class that the style sheet draws it with."""

    style: str
    path: str


class Key(NamedTuple):
    """One entry of a legend."""

    style: str
    name: str


class Chart(NamedTuple):
    """A figure over time, with the numbers it was drawn from."""

    name: str
    """Identifies it in the page."""
    description: str
    """For those who do not see it."""
    layers: list[Layer]
    legend: list[Key]
    times: list[Tick]
    values: list[Tick]
    heads: list[str]
    rows: list[list[str]]
    """The time and a text for each series, per bucket; a pointer over the chart reads them."""


class Line(NamedTuple):
    """A series to draw; None where there is nothing to say."""

    name: str
    style: str
    values: Sequence[float | None]
    low: Sequence[float | None] | None = None
    high: Sequence[float | None] | None = None


class Time(NamedTuple):
    """The buckets of a chart."""

    starts: Sequence[float]
    width: float

    @property
    def span(self) -> Range:
        """From the begin of the first bucket to the end of the last."""
        return Range(self.starts[0], self.starts[-1] + self.width)

    def middles(self) -> list[float]:
        """Where the points of lines are, from 0 to 1."""
        span = self.span
        return [span.share(start + self.width / 2) for start in self.starts]

    def ticks(self) -> list[Tick]:
        """The labels of the axis."""
        span = self.span
        return [Tick(100 * span.share(at), text) for at, text in time_ticks(*span)]

    def labels(self) -> list[str]:
        """The begin of each bucket, with the day where the chart shows several."""
        several_days = self.span.high - self.span.low > 86400
        return [
            f"{time_label(start, 86400)} {time_label(start, 60)}"
            if several_days
            else time_label(start, self.width)
            for start in self.starts
        ]


def line_chart(
    name: str,
    description: str,
    time: Time,
    lines: Sequence[Line],
    text: Callable[[float | None], str],
    label: Callable[[float, float], str] = tick,
) -> Chart:
    """Lines over time, with bands where they have intervals."""
    shown = [
        value
        for line in lines
        for series in (line.values, line.low or (), line.high or ())
        for value in series
        if value is not None
    ]
    axis, marks = value_axis(shown)
    places = time.middles()
    bands = [
        Layer(f"band {line.style}", _band(places, line.low, line.high, axis))
        for line in lines
        if line.low is not None and line.high is not None
    ]
    curves = [Layer(f"line {line.style}", _line(places, line.values, axis)) for line in lines]
    rows = [
        [when, *(_cell(line, at, text) for line in lines)] for at, when in enumerate(time.labels())
    ]
    return Chart(
        name,
        description,
        bands + curves,
        [Key(line.style, line.name) for line in lines],
        time.ticks(),
        _value_ticks(axis, marks, label),
        ["from", *(line.name for line in lines)],
        rows,
    )


def column_chart(
    name: str,
    description: str,
    time: Time,
    parts: Sequence[Line],
    text: Callable[[float | None], str],
    label: Callable[[float, float], str] = tick,
    whole: float | None = None,
) -> Chart:
    """Columns over time, the parts of each stacked; up to ``whole``, or as high as the highest."""
    count = len(time.starts)
    heights = [sum(part.values[at] or 0.0 for part in parts) for at in range(count)]
    if whole is None:
        axis, marks = value_axis([0.0, *heights])
    else:
        axis, marks = Range(0.0, whole), [whole * place / 4 for place in range(5)]
    layers, below = [], [0.0] * count
    for part in parts:
        tops = [bottom + (part.values[at] or 0.0) for at, bottom in enumerate(below)]
        layers.append(Layer(f"column {part.style}", _columns(below, tops, axis)))
        below = tops
    rows = [[when, *(text(p.values[at]) for p in parts)] for at, when in enumerate(time.labels())]
    return Chart(
        name,
        description,
        layers,
        [Key(part.style, part.name) for part in parts],
        time.ticks(),
        _value_ticks(axis, marks, label),
        ["from", *(part.name for part in parts)],
        rows,
    )


class Bar(NamedTuple):
    """One row of a bar chart."""

    name: str
    share: float
    """Its length, in per cent of the longest."""
    text: str


def bars(names: Sequence[str], values: Sequence[float], texts: Sequence[str]) -> list[Bar]:
    """Horizontal bars; the longest fills the width."""
    longest = max(values, default=0.0) or 1.0
    return [
        Bar(name, round(100 * max(value, 0.0) / longest, 2), text)
        for name, value, text in zip(names, values, texts, strict=True)
    ]


def _cell(line: Line, at: int, text: Callable[[float | None], str]) -> str:
    value = line.values[at]
    if value is None or line.low is None or line.high is None:
        return text(value)
    return f"{text(value)} ({text(line.low[at])} to {text(line.high[at])})"


def _value_ticks(
    axis: Range, marks: Sequence[float], label: Callable[[float, float], str]
) -> list[Tick]:
    step = marks[1] - marks[0] if len(marks) > 1 else nice_step(axis.high - axis.low, 4)
    return [Tick(100 - 100 * axis.share(mark), label(mark, step)) for mark in marks]


def _runs(*series: Sequence[float | None]) -> list[range]:
    """The stretches of buckets in which all series have values."""
    found: list[range] = []
    for at, values in enumerate(zip(*series, strict=True)):
        if any(value is None for value in values):
            continue
        if found and found[-1].stop == at:
            found[-1] = range(found[-1].start, at + 1)
        else:
            found.append(range(at, at + 1))
    return found


def _point(place: float, value: float | None, axis: Range) -> str:
    height = 0.0 if value is None else axis.share(value)
    return f"{SIDE * place:.1f} {SIDE * (1 - height):.1f}"


def _line(places: Sequence[float], values: Sequence[float | None], axis: Range) -> str:
    return "".join(
        "M" + "L".join(_point(place, values[at], axis) for at, place in _corners(run, places))
        for run in _runs(values)
    )


def _corners(run: range, places: Sequence[float]) -> list[tuple[int, float]]:
    """Where the line of a run has its corners; that of a single bucket is as wide as it."""
    if len(run) > 1:
        return [(at, places[at]) for at in run]
    half = 0.5 * (1 - GAP) / len(places)
    return [(run.start, places[run.start] + shift) for shift in (-half, half)]


def _band(
    places: Sequence[float],
    low: Sequence[float | None],
    high: Sequence[float | None],
    axis: Range,
) -> str:
    pieces = []
    for run in _runs(low, high):
        corners = _corners(run, places)
        there = [_point(place, high[at], axis) for at, place in corners]
        back = [_point(place, low[at], axis) for at, place in reversed(corners)]
        pieces.append("M" + "L".join(there + back) + "z")
    return "".join(pieces)


def _columns(below: Sequence[float], tops: Sequence[float], axis: Range) -> str:
    width = SIDE / len(tops)
    pieces = []
    for at, (bottom, top) in enumerate(zip(below, tops, strict=True)):
        if top <= bottom:
            continue
        high, low = (SIDE * (1 - axis.share(value)) for value in (top, bottom))
        left = width * (at + GAP / 2)
        pieces.append(f"M{left:.1f} {high:.1f}h{width * (1 - GAP):.1f}V{low:.1f}H{left:.1f}z")
    return "".join(pieces)
