"""What an interactive chart draws, as plain data; ``static/chart.js`` draws it with uPlot."""

from typing import Any

from jostle.lab.analysis.curves import curves, frame
from jostle.lab.render.palette import strokes
from jostle.lab.render.text import DIGITS, beyond_frame, labels
from jostle.lab.results.model import Comparison, thinned
from jostle.lab.spec.plan import MEASURES, REGRET


def chart_data(name: str, comparison: Comparison) -> dict[str, Any]:
    """The curves of a panel that has a finished run, and the frame in which they are shown.

    The rule for the frame is that of the PNG (``jostle.lab.analysis.curves.frame``): each curve
    carries the part of the axis it needs and whether it may leave, and the page takes the extremes
    of the curves that are shown.
    """
    plan = comparison.plan
    digits = DIGITS[plan.measure]
    looks, names = strokes(plan.policies), labels(plan.policies)
    drawn = curves(comparison)
    shown = frame(comparison, drawn)
    described = []
    for curve, reach in zip(drawn, shown.reaches, strict=True):
        text = names[curve.policy]
        described.append(
            {
                "name": text,
                "name_beyond_frame": beyond_frame(text, float(curve.mean[-1])),
                "several_runs": curve.runs > 1,
                "mean": _rounded(curve.mean[shown.begin :].tolist(), digits),
                "error": _rounded(curve.error[shown.begin :].tolist(), digits),
                "colour": looks[curve.policy].colour,
                "dash": looks[curve.policy].dash,
                **reach._asdict(),
            }
        )
    return {
        "name": name,
        "measure": MEASURES[plan.measure],
        "baseline": None if plan.measure == REGRET else 1,
        "digits": digits,
        "rounds": thinned(plan.rounds)[shown.begin :].tolist(),
        "curves": described,
    }


def _rounded(values: list[float], digits: int) -> list[float]:
    """Enough digits that rounding again shows the same; all would double the size of the page."""
    return [round(value, digits + 5) for value in values]
