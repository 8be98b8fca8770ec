"""How long choosing and learning take, by policy and by size."""

from typing import NamedTuple

from jostle.lab.render.palette import Stroke, strokes
from jostle.lab.render.text import labels
from jostle.lab.results.model import Comparison
from jostle.lab.results.outcome import Outcome


class Rate(NamedTuple):
    """Milliseconds a round of one policy."""

    policy: str
    label: str
    choosing: float
    learning: float

    @property
    def total(self) -> float:
        """A whole round, without the environment."""
        return self.choosing + self.learning


class Line(NamedTuple):
    """A policy over sizes."""

    label: str
    stroke: Stroke
    sizes: list[int]
    choosing: list[float]
    learning: list[float]


class Growth(NamedTuple):
    """All policies over sizes, on one environment (of a size each, maybe)."""

    environment: str
    lines: list[Line]


def rates(comparison: Comparison) -> list[Rate]:
    """The policies that were timed, the fastest first."""
    names = labels(comparison.plan.policies)
    made = [
        Rate(policy, names[policy], *comparison.times[policy])
        for policy in comparison.plan.policies
        if policy in comparison.times
    ]
    return sorted(made, key=lambda rate: rate.total)


def growths(outcome: Outcome) -> list[Growth]:
    """For each environment a line for each policy: the i-th of every plan is the same one."""
    environments = outcome.experiment.environments
    found = []
    for place, environment in enumerate(environments):
        panels = outcome.comparisons[place :: len(environments)]  # sizes in turn, all of each
        templates = outcome.experiment.policies or panels[0].plan.policies
        names, looks = labels(templates), strokes(templates)
        lines = []
        for number, template in enumerate(templates):
            points = [
                (panel.plan.size or 0, *panel.times[panel.plan.policies[number]])
                for panel in panels
                if panel.plan.policies[number] in panel.times
            ]
            if points:
                columns = [list(column) for column in zip(*sorted(points), strict=True)]
                lines.append(Line(names[template], looks[template], *columns))
        found.append(Growth(labels([environment])[environment], lines))
    return found
