"""Figures of an off-policy evaluation: forest plot, importance weights, value over time."""

import io
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
        names = [f"{name}  {estimator}" for name, estimator, _ in reversed(lines)]
        axes.set_yticks(range(len(lines)), names)
        axes.tick_params(axis="y", length=0)
        axes.set(xlabel="reward per row", ylim=(-0.6, len(lines) - 0.4))
        axes.grid(axis="x")
        return _png(figure)


def weights(comparison: "Comparison") -> bytes:
    """Histograms of the importance weights, on logarithmic scales."""
    results = _others(comparison)
    looks = strokes(list(comparison.results))
    with style():
        figure, axes = _figure(8.5, 3.2)
        for name, result in results:
            counts, edges = result.histogram
            shown = np.where(counts > 0, counts, np.nan)
            axes.stairs(shown, edges, color=looks[name].colour, linewidth=1.6, label=name)
        axes.set(xscale="log", yscale="log", xlabel="importance weight", ylabel="rows")
        axes.legend(frameon=False)
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
        axes.legend(frameon=False)
        return _png(figure)


def _draw_path(axes: "Axes", name: str, result: "TargetResult", look: Stroke) -> None:
    path = result.over_time
    axes.plot(path.rows, path.value, color=look.colour, linewidth=1.6, label=name)
    axes.fill_between(path.rows, path.low, path.high, color=look.colour, alpha=0.12, linewidth=0)


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


def _png(figure: "Figure") -> bytes:
    file = io.BytesIO()
    figure.savefig(file, format="png", dpi=130)
    return file.getvalue()
