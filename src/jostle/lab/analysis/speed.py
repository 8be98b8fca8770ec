"""The time that choosing and learning take: by policy, and as a size grows."""

from typing import NamedTuple

from jostle.lab.results.model import Comparison
from jostle.lab.results.outcome import Outcome


class RoundTime(NamedTuple):
    """Milliseconds per round of one policy."""

    policy: str
    choosing: float
    learning: float

    @property
    def total(self) -> float:
        """The whole round, without the environment."""
        return self.choosing + self.learning


class SizeCurve(NamedTuple):
    """Milliseconds per round of one policy, by size."""

    policy: str
    """Its name, with ``{size}`` where the size goes."""
    sizes: list[int]
    choosing: list[float]
    learning: list[float]

    @property
    def growth(self) -> float | None:
        """The time at the largest size over that at the smallest; None if there is no telling."""
        first = self.choosing[0] + self.learning[0]
        if len(self.sizes) < 2 or first <= 0:
            return None
        return (self.choosing[-1] + self.learning[-1]) / first


class Scaling(NamedTuple):
    """How the time of each policy grows with the size, on one environment.

    The size is that of the panel, or the number of rounds after which its policies were timed.
    """

    environment: str
    """Its name, with ``{size}`` where the size goes, if it does."""
    policies: tuple[str, ...]
    """All policies, timed or not."""
    curves: list[SizeCurve]


class Ratio(NamedTuple):
    """The slowest policy against the fastest, at one size."""

    size: int
    slowest: str
    fastest: str
    ratio: float


def round_times(comparison: Comparison) -> list[RoundTime]:
    """The policies that were timed, the fastest first."""
    found = [
        RoundTime(policy, *comparison.times[policy])
        for policy in comparison.plan.policies
        if policy in comparison.times
    ]
    return sorted(found, key=lambda each: each.total)


def scalings(outcome: Outcome) -> list[Scaling]:
    """The scaling of every policy on each environment of an experiment over sizes."""
    environments = outcome.experiment.environments
    found = []
    for place, environment in enumerate(environments):
        # Panels go through the sizes in turn, with all environments of each size.
        panels = outcome.comparisons[place :: len(environments)]
        policies = outcome.experiment.policies or panels[0].plan.policies
        curves = []
        for number, policy in enumerate(policies):
            points = sorted(
                (_size(panel), *panel.times[panel.plan.policies[number]])
                for panel in panels
                if panel.plan.policies[number] in panel.times
            )
            if points:
                sizes, choosing, learning = zip(*points, strict=True)
                curves.append(SizeCurve(policy, list(sizes), list(choosing), list(learning)))
        found.append(Scaling(environment, tuple(policies), curves))
    return found


def ratios(scaling: Scaling) -> list[Ratio]:
    """The time of the slowest policy over that of the fastest, at each size."""
    found = []
    for size in sorted({size for curve in scaling.curves for size in curve.sizes}):
        timed = [
            RoundTime(curve.policy, curve.choosing[place], curve.learning[place])
            for curve in scaling.curves
            if size in curve.sizes
            for place in [curve.sizes.index(size)]
        ]
        timed.sort(key=lambda each: each.total)
        fastest, slowest = timed[0], timed[-1]
        if fastest.total > 0:
            ratio = slowest.total / fastest.total
            found.append(Ratio(size, slowest.policy, fastest.policy, ratio))
    return found


def _size(panel: Comparison) -> int:
    return panel.plan.timed_after or panel.plan.size or 0
