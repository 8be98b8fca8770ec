"""The table of an experiment over sizes: the time of choosing and of learning, by policy."""

from jostle.lab.analysis.speed import Scaling, scalings
from jostle.lab.render.text import UNKNOWN, label, labels, markdown_table, significant, size_word
from jostle.lab.results.outcome import Outcome

ABOUT = "Milliseconds per round, choosing + learning."


def speed_table(outcome: Outcome) -> str:
    """A line for each policy and a column for each size, one table per environment."""
    word = size_word(outcome.experiment)
    tables = [_table(scaling, word) for scaling in scalings(outcome) if scaling.curves]
    return "\n\n".join([ABOUT, *tables]) if tables else ""


def _table(scaling: Scaling, word: str) -> str:
    names = labels(scaling.policies)
    sizes = sorted({size for curve in scaling.curves for size in curve.sizes})
    lines = []
    for curve in scaling.curves:
        cells = {
            size: f"{significant(choosing)} + {significant(learning)}"
            for size, choosing, learning in zip(
                curve.sizes, curve.choosing, curve.learning, strict=True
            )
        }
        lines.append([names[curve.policy], *(cells.get(size, UNKNOWN) for size in sizes)])
    heads = [f"{label(scaling.environment)}, {word}", *(f"{size:,}" for size in sizes)]
    return markdown_table(heads, lines)
