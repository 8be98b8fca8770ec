"""A grid of axes of equal size, with room beside each for the labels of its lines."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from jostle.core.plotting import INK, SOFT
from jostle.lab.render.text import label
from jostle.lab.spec.plan import Plan

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

LETTER = 0.078
"""Inches that a letter of a label takes, on average."""
LABEL_GAP = 13.0
"""Points between two labels."""


class Ending(NamedTuple):
    """Where a line ends, in data coordinates, and its label."""

    x: float
    y: float
    label: str
    colour: str


def axes_grid(
    count: int, across: int, size: tuple[float, float], room: float, left: float = 0.85
) -> "tuple[Figure, list[Axes]]":
    """A figure with ``count`` axes, at most ``across`` per row.

    Each axes measures ``size`` inches, with ``left`` inches before it and ``room`` after it.
    """
    # Not pyplot: its figures stay in a global list, and it may look for a display.
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


def figure_title(figure: "Figure", text: str) -> None:
    """A title above all axes, unless ``text`` is empty."""
    if text:
        figure.text(0, 1, text, fontsize=13, weight="bold", va="bottom", parse_math=False)


def panel_title(plan: Plan) -> str:
    """The environment and its rounds."""
    return f"{label(plan.environment)}, {plan.rounds:,} rounds"


def say_empty(axes: "Axes", text: str) -> None:
    """Say in an axes why there is nothing in it."""
    axes.text(0.5, 0.5, text, transform=axes.transAxes, ha="center", color=SOFT)


def label_lines(axes: "Axes", endings: list[Ending]) -> None:
    """Label each line at its end, beside a tick of its colour; labels that meet move apart."""
    if not endings:
        return
    axes.set(xlim=axes.get_xlim(), ylim=axes.get_ylim())  # labels outside must not change limits
    inches = axes.figure.get_figheight() * axes.get_position().height  # type: ignore[union-attr]
    to_axes = axes.transData + axes.transAxes.inverted()
    ends = [to_axes.transform((ending.x, ending.y)) for ending in endings]
    heights = [float(np.clip(end[1], 0, 1)) for end in ends]
    places = spread(heights, gap=LABEL_GAP / (72 * inches), low=0, high=1)
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
    """The places nearest to ``places`` that are ``gap`` apart, in order, and within the limits.

    By hand because it is twenty lines: it is isotonic regression (pool adjacent violators) once
    the gaps are taken out. The packages that place labels need pyplot or a fitted renderer.
    """
    order = np.argsort(places, kind="stable")
    steps = gap * np.arange(len(order))
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
