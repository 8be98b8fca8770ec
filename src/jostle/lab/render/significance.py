"""Which differences to the best policy are beyond the noise of the seeds, in sentences."""

from collections.abc import Iterator

from jostle.lab.analysis.intervals import FEWEST_SEEDS, LEVEL, differences_to_best
from jostle.lab.render.text import DIGITS, difference, labels
from jostle.lab.results.model import Comparison

METHOD = (
    "Policies that share a seed met the same stream, so they are compared seed by seed: the mean "
    f"of the differences to the best policy, with a {LEVEL:.0%} paired t-interval (Student, "
    "Biometrika 6, 1908), which takes the differences to be normally distributed. A difference is "
    "called beyond the noise of the seeds when its interval excludes 0. Each difference is tested "
    "by itself, against a best policy that the same runs picked: of twenty true ties, one or more "
    f"would pass for a difference. With fewer than {FEWEST_SEEDS} shared seeds nothing is tested."
)
"""How differences are tested; belongs wherever a verdict is shown."""


def verdicts(comparison: Comparison) -> Iterator[str]:
    """Sentences on every policy but the best; none for a single policy."""
    names, digits = labels(comparison.plan.policies), DIGITS[comparison.plan.measure]
    differences = differences_to_best(comparison)
    if not differences:
        return
    best = names[comparison.policies()[0]]
    behind, close, untested = [], [], []
    for policy, paired in differences.items():
        if paired is None:
            untested.append(names[policy])
        elif paired.significant:
            behind.append(names[policy])
        else:
            close.append(f"{names[policy]} ({difference(paired, digits)})")
    if len(behind) == len(differences) > 1:
        yield f"All {len(behind)} others are behind {best}, beyond the noise of the seeds."
    elif behind:
        yield f"Behind {best}, beyond the noise of the seeds: {'; '.join(behind)}."
    if close:
        yield f"Not distinguished from {best} by these seeds: {'; '.join(close)}."
    if untested:
        yield f"Too few shared seeds with {best} to test: {'; '.join(untested)}."
