"""The figure of all environments at a glance: regret as a part of that of uniform choices."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from jostle.core.plotting import INK
from jostle.lab.analysis.glance import CHANCE, POLICIES, GlanceLine
from jostle.lab.render.palette import strokes
from jostle.lab.render.text import label

if TYPE_CHECKING:
    from matplotlib.figure import Figure

MARKERS = dict(zip(POLICIES, "oDs<^>vPX*h", strict=True))
ROW = 0.33
"""Inches per environment."""


def draw(lines: Sequence[GlanceLine]) -> "Figure":
    """One row per environment, one mark per policy, on a logarithmic axis."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(8.5, 1.7 + ROW * len(lines)))
    axes = figure.add_axes((0.3, 0.12, 0.68, 0.8))
    shown = [policy for policy in POLICIES if policy != CHANCE]
    looks = strokes(shown)
    for policy in shown:
        points = [(line.share(policy), place) for place, line in enumerate(lines)]
        known = [(max(share, 1e-4), place) for share, place in points if share is not None]
        if not known:
            continue
        x, y = zip(*known, strict=True)
        axes.plot(
            [100 * each for each in x],
            y,
            linestyle="none",
            marker=MARKERS[policy],
            markersize=7 if policy == "npr" else 5.5,
            color=looks[policy].colour,
            markerfacecolor=looks[policy].colour if not looks[policy].dash else "none",
            label=policy,
            clip_on=False,
            zorder=3 if policy == "npr" else 2,
        )
    axes.axvline(100, color=INK, linewidth=0.8)
    axes.set(
        xscale="log",
        xlabel="regret, in percent of that of uniform choices (left is better)",
        yticks=range(len(lines)),
        yticklabels=[label(line.environment) for line in lines],
    )
    axes.invert_yaxis()
    axes.xaxis.set_major_formatter("{x:g}%")
    axes.grid(axis="both")
    axes.legend(
        loc="lower center", bbox_to_anchor=(0.35, 1.0), ncols=len(shown) // 2, frameon=False
    )
    return figure
