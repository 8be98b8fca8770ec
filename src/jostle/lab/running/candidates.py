"""The settings that take part in tuning a policy."""

import itertools

from jostle.core.grammar import parse
from jostle.lab.spec.experiment import Tuning
from jostle.policies import Policy

EXPLORES_BY = ("exploration", "noise", "complexity", "epsilon")
"""What "exploration" stands for: the first of these that a policy has."""


def candidates(tuning: Tuning, text: str, policy: Policy) -> list[dict[str, float]]:
    """Settings to try with ``policy``, which is named ``text``; at least one, maybe an empty one.

    Whatever the name fixes stays as it is.
    """
    if tuning.method == "none":
        return [{}]
    numbers = policy.numeric_settings()
    fixed = set(parse(text).settings)
    axes: dict[str, tuple[float, ...]] = {}
    for name, values in tuning.grid.items():
        setting = name
        if name == "exploration":
            setting = next((each for each in EXPLORES_BY if each in numbers), name)
        if setting in numbers and setting not in fixed:
            axes[setting] = tuple(values)
    if not axes:
        return [{}]
    grid = [dict(zip(axes, values, strict=True)) for values in itertools.product(*axes.values())]
    return [{}, *grid] if tuning.defaults else grid


def rungs(tuning: Tuning, count: int) -> list[tuple[int, int]]:
    """When the candidates are compared (after how many rounds), and how many then go on.

    Halving drops two thirds after an eighth of the rounds, when many are far behind already, but
    not before each arm of a pool of 100 was pulled once; then four fifths of the rest, and so on.
    """
    if count == 1:
        return []
    if tuning.method == "grid":
        return [(tuning.rounds, 1)]
    stops = [max(1, tuning.rounds // part) for part in (8, 4, 2)]
    survivors = [-(-count // part) for part in (3, 15, 50)]
    return [*zip(stops, survivors, strict=True), (tuning.rounds, 1)]
