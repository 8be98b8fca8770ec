"""A sheet of axes of equal size, with room beside each for the names of its lines."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

INK, SOFT = "#222222", "#666666"
LETTER = 0.078  # inches that a letter of a label takes, on average
GAP = 13.0  # points between two labels


class Ending(NamedTuple):
    """Where a line ends, in data coordinates, and what it is called."""

    x: float
    y: float
    label: str
    colour: str


def sheet(
    count: int, across: int, size: tuple[float, float], room: float, left: float = 0.85
) -> tuple[Any, list[Any]]:
    """A figure of ``count`` axes, ``across`` a row, of ``size`` inches and with ``room`` beside."""
    # Not pyplot: its figures live in a global list, and it may look for a screen.
    from matplotlib.figure import Figure

    wide, high = size
    rows = -(-count // across)
    across = min(across, count)
    cell = left + wide + room, high + 1.15
    width, height = cell[0] * across, cell[1] * rows
    figure = Figure(figsize=(width, height))
    axes = []
    for number in range(count):
        row, column = divmod(number, across)
        x, y = cell[0] * column + left, height - cell[1] * row - 0.5 - high
        axes.append(figure.add_axes((x / width, y / height, wide / width, high / height)))
    return figure, axes


def room_for(names: Sequence[str]) -> float:
    """Inches that the longest of ``names`` needs beside an axes."""
    return 0.45 + LETTER * max(map(len, names), default=0)


def title(figure: Any, text: str) -> None:
    """A line above all, if there is anything to say."""
    if text:
        figure.text(0, 1, text, fontsize=13, weight="bold", va="bottom", parse_math=False)


def name_lines(axes: Any, endings: list[Ending]) -> None:
    """Name each line at its end, in ink with a tick of its colour, moved apart where they meet."""
    if not endings:
        return
    axes.set(xlim=axes.get_xlim(), ylim=axes.get_ylim())  # what is beside shall not move them
    inches = axes.figure.get_figheight() * axes.get_position().height
    to_axes = axes.transData + axes.transAxes.inverted()
    ends = [to_axes.transform((ending.x, ending.y)) for ending in endings]
    heights = [float(np.clip(end[1], 0, 1)) for end in ends]
    places = spread(heights, gap=GAP / (72 * inches), low=0, high=1)
    for ending, end, height, place in zip(endings, ends, heights, places, strict=True):
        axes.plot(
            [end[0], 1.01, 1.05],
            [height, height, place],
            transform=axes.transAxes,
            color=ending.colour,
            linewidth=1.2,
            clip_on=False,
        )
        axes.text(
            1.065,
            place,
            ending.label,
            transform=axes.transAxes,
            va="center",
            color=INK,
            parse_math=False,
        )


def spread(places: Sequence[float], gap: float, low: float, high: float) -> list[float]:
    """The places nearest to ``places`` that keep their order, a gap, and the limits if they can."""
    order = np.argsort(places, kind="stable")
    steps = gap * np.arange(len(order))
    # Without the steps, "a gap apart in order" is "never descending": a regression of blocks.
    blocks: list[list[float]] = []
    for value in np.asarray(places, float)[order] - steps:
        blocks.append([value])
        while len(blocks) > 1 and np.mean(blocks[-2]) > np.mean(blocks[-1]):
            above = blocks.pop()
            blocks[-1] += above
    level = np.concatenate([np.full(len(block), np.mean(block)) for block in blocks])
    level = np.clip(level, low, max(low, high - steps[-1])) + steps
    result = np.empty(len(order))
    result[order] = level
    return [float(value) for value in result]
