"""The regret figure: mean curves with bands of one standard error, as PNG and SVG."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from jostle.drawing import INK, STYLE, write
from jostle.lab.palette import Stroke, strokes
from jostle.lab.plan import Comparison, thinned


class Curve(NamedTuple):
    """The mean cumulative regret of a policy, and its standard error."""

    policy: str
    mean: np.ndarray
    error: np.ndarray
    stroke: Stroke


def curves(comparison: Comparison) -> list[Curve]:
    """A curve for each policy that has a finished run, the lowest last."""
    drawn = []
    looks = strokes(comparison.plan.policies)
    for policy in reversed(comparison.policies()):
        runs = np.stack([run.curve for run in comparison.of(policy)])
        spread = runs.std(axis=0, ddof=1) if len(runs) > 1 else np.zeros(runs.shape[1])
        error = spread / np.sqrt(len(runs))
        drawn.append(Curve(policy, runs.mean(axis=0), error, looks[policy]))
    return drawn


def save(comparison: Comparison, folder: Path) -> list[Path]:
    """Draw the figure into ``folder``; the paths of the files."""
    from matplotlib import rc_context

    with rc_context(STYLE):
        figure = _draw(comparison)
        paths = [folder / "regret.png", folder / "regret.svg"]
        for path in paths:
            write(figure, path)
    return paths


def _draw(comparison: Comparison) -> Any:
    # Not pyplot: its figures live in a global list, and it may look for a screen.
    from matplotlib.figure import Figure

    figure = Figure(figsize=(7.2, 4.3))
    axes = figure.add_subplot()
    plan = comparison.plan
    rounds = thinned(plan.rounds)
    drawn = curves(comparison)
    for curve in drawn:
        colour, dash = curve.stroke
        line: dict[str, Any] = {"color": colour, "linewidth": 2, "solid_capstyle": "round"}
        axes.fill_between(
            rounds,
            curve.mean - curve.error,
            curve.mean + curve.error,
            color=colour,
            alpha=0.18,
            linewidth=0,
        )
        axes.plot(rounds, curve.mean, linestyle=(0, dash) if dash else "-", **line)
    seeds = max(len(comparison.of(curve.policy)) for curve in drawn)
    axes.set_xlim(0, plan.rounds)
    axes.set_ylim(bottom=0)
    axes.set_xlabel("round")
    axes.set_ylabel("cumulative regret")
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_major_formatter(lambda value, _: f"{value:,.10g}")
    axes.set_title(
        f"{plan.environment}: mean of {seeds} run{'s' * (seeds > 1)}"
        + (", ± one standard error" if seeds > 1 else ""),
        loc="left",
        parse_math=False,
        color=INK,
        fontsize=11,
    )
    _label(axes, drawn, plan.rounds)
    return figure


def _label(axes: Any, drawn: list[Curve], rounds: int) -> None:
    """Name each line at its end, in ink with a tick of its colour, moved apart where they meet."""
    low, high = axes.get_ylim()
    axes.set(
        xlim=axes.get_xlim(), ylim=(low, high)
    )  # the ticks beside the plot shall not move them
    points = axes.figure.get_figheight() * 72 * axes.get_position().height
    ends = [float(curve.mean[-1]) for curve in drawn]
    places = spread(ends, gap=13 / points * (high - low), low=low, high=high)
    for curve, end, place in zip(drawn, ends, places, strict=True):
        axes.plot(
            [rounds, 1.035 * rounds],
            [end, place],
            color=curve.stroke.colour,
            linewidth=1.2,
            clip_on=False,
        )
        axes.text(1.045 * rounds, place, curve.policy, va="center", color=INK, parse_math=False)


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
