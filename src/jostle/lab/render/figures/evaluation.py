"""Figures of an off-policy evaluation: forest plot, importance weights, value over time."""

import io
import warnings
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from jostle.core.plotting import SOFT, style
from jostle.lab.render.palette import Stroke, strokes

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from jostle.evaluation import Comparison
    from jostle.evaluation.results import TargetResult

LONGEST_NAME = 32


def forest(comparison: "Comparison") -> bytes:
    """Every estimate with its interval, one line each, the baseline's value as a vertical line."""
    lines = [
        (name, estimator, estimate)
        for name, result in comparison.results.items()
        for estimator, estimate in result.estimates.items()
    ]
    looks = strokes(list(comparison.results))
    with style():
        figure, axes = _figure(8.5, 0.8 + 0.32 * len(lines))
        for place, (name, _, estimate) in enumerate(reversed(lines)):
            colour = looks[name].colour
            ends = np.array([estimate.low, estimate.high])
            if np.all(np.isfinite(ends)):
                axes.plot(ends, [place, place], color=colour, linewidth=2, solid_capstyle="butt")
            axes.plot(estimate.value, place, "o", color=colour, markersize=6)
        first = next(iter(comparison.results[comparison.baseline].estimates.values()))
        axes.axvline(first.value, color=SOFT, linewidth=0.8, linestyle=(0, (4, 3)), zorder=0)
        names = [f"{_shown(name)}  {estimator}" for name, estimator, _ in reversed(lines)]
        axes.set_yticks(range(len(lines)), names)
        axes.tick_params(axis="y", length=0)
        axes.set(xlabel="reward per row", ylim=(-0.6, len(lines) - 0.4))
        axes.grid(axis="x")
        return _png(figure)


def weights(comparison: "Comparison") -> bytes:
    """A histogram of the importance weights for each policy, all on the same logarithmic scale."""
    from matplotlib.figure import Figure

    results = _others(comparison)
    looks = strokes(list(comparison.results))
    with style():
        figure = Figure(figsize=(8.5, 0.6 + 1.1 * len(results)), layout="constrained")
        panels = figure.subplots(len(results), 1, sharex=True, squeeze=False)[:, 0]
        for axes, (name, result) in zip(panels, results, strict=True):
            counts, edges = result.histogram
            axes.stairs(counts, edges, color=looks[name].colour, fill=True)
            axes.set(xscale="log", yscale="log", ylabel="rows")
            axes.set_ylim(0.7, None)
            axes.annotate(
                _shown(name), (0.99, 0.92), xycoords="axes fraction", ha="right", va="top"
            )
            for axis in (axes.xaxis, axes.yaxis):
                axis.set_major_formatter("{x:,g}")
                axis.set_minor_formatter("")
        panels[-1].set_xlabel("importance weight")
        return _png(figure)


def over_time(comparison: "Comparison") -> bytes:
    """The value by IPS as rows come in, within its confidence sequence."""
    looks = strokes(list(comparison.results))
    with style():
        figure, axes = _figure(8.5, 3.6)
        for name, result in comparison.results.items():
            _draw_path(axes, name, result, looks[name])
        axes.set(xlabel="rows", ylabel="reward per row", ylim=_limits(comparison))
        axes.grid(axis="y")
        axes.legend(frameon=False, loc="center left", bbox_to_anchor=(1.01, 0.5))
        return _png(figure)


def _draw_path(axes: "Axes", name: str, result: "TargetResult", look: Stroke) -> None:
    path = result.over_time
    axes.plot(path.rows, path.value, color=look.colour, linewidth=1.6, label=_shown(name))
    axes.fill_between(path.rows, path.low, path.high, color=look.colour, alpha=0.06, linewidth=0)
    for end in (path.low, path.high):
        axes.plot(path.rows, end, color=look.colour, linewidth=0.8, linestyle=(0, (2, 2)))


def _limits(comparison: "Comparison") -> tuple[float, float]:
    """The axis holds all values and the bands of the second half, which are the ones to read."""
    low, high = [], []
    for result in comparison.results.values():
        path, half = result.over_time, len(result.over_time.rows) // 2
        low += [path.value[half:].min(), path.low[half:].min()]
        high += [path.value[half:].max(), path.high[half:].max()]
    margin = 0.05 * (max(high) - min(low))
    return float(min(low) - margin), float(max(high) + margin)


def _others(comparison: "Comparison") -> "Sequence[tuple[str, TargetResult]]":
    """All targets but a baseline whose weights are all 1."""
    return [
        (name, result)
        for name, result in comparison.results.items()
        if name != "logged" or len(comparison.results) == 1
    ]


def _figure(width: float, height: float) -> "tuple[Figure, Axes]":
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, height), layout="constrained")
    return figure, figure.add_subplot()


def _shown(name: str) -> str:
    """The name of a target as figures show it: of a long one, both ends."""
    if len(name) > LONGEST_NAME:
        half = LONGEST_NAME // 2
        name = f"{name[:half]}…{name[-half:]}"
    return f" {name}" if name.startswith("_") else name  # Matplotlib leaves out such labels


def _png(figure: "Figure") -> bytes:
    file = io.BytesIO()
    with warnings.catch_warnings():
        # Boxes stand for letters that the font lacks; the table beside the figure has them.
        warnings.filterwarnings("ignore", "Glyph .* missing from font")
        figure.savefig(file, format="png", dpi=130)
    return file.getvalue()
