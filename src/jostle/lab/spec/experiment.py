"""An experiment as data: policies, environments, rounds, seeds, tuning and the figure to draw.

A TOML file of five lines is enough:

    name = "first-look"
    environments = ["h1", "mushroom"]
    policies = ["npr", "lin-ucb", "uniform"]
    rounds = 2000
    seeds = 5
"""

import dataclasses
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from jostle.core.validation import lookup, number, unknown, whole
from jostle.lab.spec.figure_kinds import FIGURE_KINDS, FigureKind
from jostle.lab.spec.plan import MEASURES, REGRET

TENTHS = (1.0, 0.1, 0.01, 0.001, 0.0001)
PAPER_GRID = {"regularisation": TENTHS, "step_size": TENTHS[:4], "exploration": TENTHS}
"""The grid of Section 5.1. "exploration" stands for the setting by which a policy explores."""

METHODS = {
    "none": "the settings as named, and defaults for the rest",
    "grid": "every candidate plays the first rounds and the best continues (as in the paper)",
    "halving": "like grid, but the worst candidates stop after 1/8, 1/4 and 1/2 of those rounds",
}


@dataclass(frozen=True)
class Tuning:
    """How each run chooses its settings on the first rounds of its own stream.

    Arguments:
        method: "none", "grid" or "halving".
        rounds: the number of first rounds on which candidates are compared by their regret.
        grid: the values to try, by setting. A setting that a policy does not have, or that its
            name fixes, is not tuned; "exploration" stands for the setting by which it explores.
        defaults: whether the settings as named are a candidate too.
    """

    method: str = "none"
    rounds: int = 1000
    grid: Mapping[str, Sequence[float]] = field(default_factory=lambda: dict(PAPER_GRID))
    defaults: bool = True

    def __post_init__(self) -> None:
        lookup("tuning.method", self.method, METHODS)
        whole("tuning.rounds", self.rounds)
        if not isinstance(self.grid, Mapping) or not self.grid:
            raise TypeError(f"tuning.grid must be a table of lists of numbers, not {self.grid!r}")
        for name, values in self.grid.items():
            if isinstance(values, str) or not isinstance(values, Sequence) or not values:
                raise TypeError(f"tuning.grid.{name} must be a list of numbers, not {values!r}")
            number(f"tuning.grid.{name}", values)
        grid = {name: tuple(float(value) for value in values) for name, values in self.grid.items()}
        object.__setattr__(self, "grid", grid)
        if not isinstance(self.defaults, bool):
            raise TypeError(f"tuning.defaults must be true or false, not {self.defaults!r}")


Made = TypeVar("Made", Tuning, "Experiment")


@dataclass(frozen=True)
class Experiment:
    """Environments x policies x seeds, with or without tuning.

    Arguments:
        name: the name of the experiment and of its folder.
        environments: names, optionally with settings, such as ``"h1:shown=50"``; one panel each.
        policies: names, likewise; if empty, every policy that suits the environment.
        rounds: the maximum number of rounds; a shorter environment is played to its end.
        seeds: the number of runs (seeds 0, 1, ...), or a list of seeds.
        fewer: the number of runs of policies that are too expensive to run once per seed. They
            get the first seeds and are played last.
        tuning: a ``Tuning``, or just its method, such as ``"halving"``.
        measure: "regret", or "reward" divided by that of a random choice.
        figure: the kind of figure, one of ``FIGURE_KINDS``.
        times: whether to time choosing and learning separately once all runs are finished.
        sizes: numbers that replace ``{size}`` in the names of environments and policies, one panel
            per size.
        timed_after: numbers of rounds after which policies are timed, one panel each, where the
            cost of a round grows with those before it. Only ``rounds`` are played; for the timing
            the state is made as long as it would be (``jostle.lab.running.lengthen``).
        title: a title for the report.
    """

    name: str
    environments: tuple[str, ...]
    policies: tuple[str, ...] = ()
    rounds: int = 2000
    seeds: tuple[int, ...] = (0, 1, 2, 3, 4)
    fewer: Mapping[str, int] = field(default_factory=dict)
    tuning: Tuning = field(default_factory=Tuning)
    measure: str = REGRET
    figure: str = "curves"
    times: bool = False
    sizes: tuple[int, ...] = ()
    timed_after: tuple[int, ...] = ()
    title: str = ""

    def __post_init__(self) -> None:
        for name in ("name", "title"):
            if not isinstance(getattr(self, name), str):
                raise TypeError(f"{name} must be text, not {getattr(self, name)!r}")
        if not self.name or any(mark in self.name for mark in "/\\\0"):
            raise ValueError(f"name must be usable as a folder name, not {self.name!r}")
        for name in ("environments", "policies"):
            self._set(name, _texts(name, getattr(self, name)))
        if not self.environments:
            raise ValueError("environments is empty: give at least one, such as h1")
        whole("rounds", self.rounds)
        self._set("seeds", _seeds(self.seeds))
        self._check_fewer()
        if isinstance(self.tuning, str):
            self._set("tuning", Tuning(self.tuning))
        elif isinstance(self.tuning, Mapping):
            self._set("tuning", _made(Tuning, "tuning.", self.tuning))
        elif not isinstance(self.tuning, Tuning):
            raise TypeError(f"tuning must be a method's name or a table, not {self.tuning!r}")
        if self.tuning.method != "none" and self.tuning.rounds >= self.rounds:
            raise ValueError(
                f"tuning.rounds must be fewer than rounds = {self.rounds}, not {self.tuning.rounds}"
            )
        lookup("measure", self.measure, MEASURES)
        lookup("figure", self.figure, FIGURE_KINDS)
        if not isinstance(self.times, bool):
            raise TypeError(f"times must be true or false, not {self.times!r}")
        self._set("sizes", tuple(whole("sizes", size) for size in self.sizes))
        self._check_sizes()
        self._set("timed_after", tuple(whole("timed_after", each) for each in self.timed_after))
        self._check_timed_after()

    @property
    def kind(self) -> FigureKind:
        """The record of its kind of figure."""
        return FIGURE_KINDS[self.figure]

    def _set(self, name: str, value: Any) -> None:
        object.__setattr__(self, name, value)

    def _check_fewer(self) -> None:
        if not isinstance(self.fewer, Mapping):
            raise TypeError(f"fewer must be a table of run counts by policy, not {self.fewer!r}")
        for policy, runs in self.fewer.items():
            if policy not in self.policies:
                raise ValueError(unknown("fewer", policy, self.policies))
            if whole(f"fewer.{policy}", runs) > len(self.seeds):
                raise ValueError(f"fewer.{policy} is {runs}, but there are {len(self.seeds)} seeds")

    def _check_sizes(self) -> None:
        placed = any("{size}" in text for text in (*self.environments, *self.policies))
        if bool(self.sizes) != placed:
            raise ValueError(
                "sizes replace {size} in the names of environments and policies: give both or none"
            )
        if self.kind.over_sizes and not (self.sizes or self.timed_after):
            raise ValueError(
                f"figure = {self.figure!r} needs sizes, such as sizes = [32, 64], or timed_after, "
                "such as timed_after = [1000, 10000]"
            )

    def _check_timed_after(self) -> None:
        if not self.timed_after:
            return
        if self.sizes or not self.times:
            raise ValueError("timed_after needs times = true and cannot be combined with sizes")
        if min(self.timed_after) < self.rounds:
            raise ValueError(
                f"timed_after must not be below rounds = {self.rounds}, which are played, but has "
                f"{min(self.timed_after)}"
            )

    @classmethod
    def from_mapping(cls, content: Mapping[str, Any]) -> "Experiment":
        """Make an experiment from plain values. Errors name the field."""
        return _made(cls, "", content)

    @classmethod
    def load(cls, path: Path) -> "Experiment":
        """Read an experiment from a TOML file, named after the file unless it has a name."""
        try:
            content = tomllib.loads(path.read_text("utf-8"))
            return cls.from_mapping({"name": path.stem, **content})
        except OSError as error:
            raise ValueError(f"{str(path)!r} cannot be read: {error.strerror}") from None
        except (ValueError, TypeError) as error:  # invalid TOML is a ValueError too
            raise ValueError(f"{path}: {error}") from None

    def as_mapping(self) -> dict[str, Any]:
        """Plain values, from which ``from_mapping`` restores the experiment.

        Without ``timed_after`` where there is none, as in folders written before it existed.
        """
        content = dataclasses.asdict(self)
        if not self.timed_after:
            del content["timed_after"]
        return content

    def replace(self, **changes: Any) -> "Experiment":
        """Return a copy with some fields changed."""
        return dataclasses.replace(self, **changes)


def _made(kind: type[Made], prefix: str, content: Mapping[str, Any]) -> Made:
    fields = [each.name for each in dataclasses.fields(kind)]
    for name in content:
        if name not in fields:
            raise ValueError(unknown("field", prefix + name, [prefix + each for each in fields]))
    for each in dataclasses.fields(kind):
        required = each.default is each.default_factory is dataclasses.MISSING
        if required and each.name not in content:
            raise ValueError(f"{prefix}{each.name} is missing")
    return kind(**content)


def _texts(name: str, value: Any) -> tuple[str, ...]:
    if isinstance(value, str):
        value = [value]
    if not isinstance(value, Sequence) or not all(isinstance(each, str) for each in value):
        raise TypeError(f"{name} must be a list of names, not {value!r}")
    for each in value:
        if value.count(each) > 1:
            raise ValueError(f"{name} contains {each!r} twice")
    return tuple(value)


def _seeds(value: Any) -> tuple[int, ...]:
    if isinstance(value, Sequence) and not isinstance(value, str):
        seeds = tuple(whole("seeds", seed, least=0) for seed in value)
        if not seeds or len(set(seeds)) < len(seeds):
            raise ValueError(f"seeds must be one or more distinct numbers, not {value!r}")
        return seeds
    return tuple(range(whole("seeds", value)))
