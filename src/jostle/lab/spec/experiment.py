"""An experiment as data: what to compare on what, how often, and how to tune it.

In a file of its own (TOML), five lines will do:

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
from typing import Any

from jostle.core.validation import lookup, number, unknown, whole
from jostle.lab.spec.plan import MEASURES, REGRET

TENTHS = (1.0, 0.1, 0.01, 0.001, 0.0001)
PAPER_GRID = {"regularisation": TENTHS, "step_size": TENTHS[:4], "exploration": TENTHS}
"""Section 5.1 of the paper. "exploration" stands for whatever a policy explores by."""

METHODS = {
    "none": "the settings as named, defaults for the rest",
    "grid": "every candidate plays the first rounds; the best continues (the paper's protocol)",
    "halving": "the same, but candidates are dropped after an eighth, a quarter and a half of them",
}
FIGURES = {
    "curves": "what is measured, round by round, with bands of one standard error",
    "front": "what is measured at the end against the time of a round",
    "changes": "how each policy differs from the first at the end, with intervals",
    "bars": "the time of choosing and of learning",
    "growth": "the time of choosing and of learning as a size grows",
    "statistics": "a table of the data sets; nothing is played",
}


@dataclass(frozen=True)
class Tuning:
    """How each run finds its settings, on the first rounds of its own stream.

    Arguments:
        method: "none", "grid" or "halving".
        rounds: the first rounds, on which candidates are compared by their regret.
        grid: values by setting. A setting that a policy has not, or that its name fixes, is left
            out for it; "exploration" stands for whatever it explores by.
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


@dataclass(frozen=True)
class Experiment:
    """Environments x policies x seeds, tuned or not.

    Arguments:
        name: what it is called, and its folder too.
        environments: names, maybe with settings, as ``"h1:shown=50"``; each is a panel of the
            figure.
        policies: likewise; none means every policy that suits the environment.
        rounds: the most rounds of a run; an environment that has fewer is played to its end.
        seeds: how many runs (seeds 0, 1, ...), or the seeds themselves.
        fewer: policies too dear for so many runs, and how many they get: the first seeds, and
            after all others.
        tuning: see ``Tuning``; or only its method, as ``"halving"``.
        measure: "regret", or "reward": normalised by that of a random choice.
        figure: "curves", "front", "changes", "bars", "growth" or "statistics".
        times: whether choosing and learning are timed apart when all runs are done.
        sizes: numbers that take the place of ``{size}`` in the names of environments and policies,
            one panel each.
        title: a line for people.
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
    title: str = ""

    def __post_init__(self) -> None:
        for name in ("name", "title"):
            if not isinstance(getattr(self, name), str):
                raise TypeError(f"{name} must be text, not {getattr(self, name)!r}")
        if not self.name or any(mark in self.name for mark in "/\\\0"):
            raise ValueError(f"name must be a word that can name a folder, not {self.name!r}")
        for name in ("environments", "policies"):
            self._set(name, _texts(name, getattr(self, name)))
        if not self.environments:
            raise ValueError("environments is empty: name at least one, such as h1")
        whole("rounds", self.rounds)
        self._set("seeds", _seeds(self.seeds))
        self._check_fewer()
        if isinstance(self.tuning, str):
            self._set("tuning", Tuning(self.tuning))
        elif isinstance(self.tuning, Mapping):
            self._set("tuning", _made(Tuning, "tuning.", self.tuning))
        elif not isinstance(self.tuning, Tuning):
            raise TypeError(f"tuning must be a method or a table, not {self.tuning!r}")
        if self.tuning.method != "none" and self.tuning.rounds >= self.rounds:
            raise ValueError(
                f"tuning.rounds must be fewer than rounds = {self.rounds}, not {self.tuning.rounds}"
            )
        lookup("measure", self.measure, MEASURES)
        lookup("figure", self.figure, FIGURES)
        if not isinstance(self.times, bool):
            raise TypeError(f"times must be true or false, not {self.times!r}")
        self._set("sizes", tuple(whole("sizes", size) for size in self.sizes))
        self._check_sizes()

    def _set(self, name: str, value: Any) -> None:
        object.__setattr__(self, name, value)

    def _check_fewer(self) -> None:
        if not isinstance(self.fewer, Mapping):
            raise TypeError(f"fewer must be a table of numbers of runs, not {self.fewer!r}")
        for policy, runs in self.fewer.items():
            if policy not in self.policies:
                raise ValueError(unknown("fewer", policy, self.policies))
            if whole(f"fewer.{policy}", runs) > len(self.seeds):
                raise ValueError(f"fewer.{policy} is {runs}, but there are {len(self.seeds)} seeds")

    def _check_sizes(self) -> None:
        """Sizes and the places for them come together, and are what growth is drawn over."""
        placed = any("{size}" in text for text in (*self.environments, *self.policies))
        if bool(self.sizes) != placed:
            raise ValueError("sizes go with {size} in the name of an environment or policy")
        if self.figure == "growth" and not self.sizes:
            raise ValueError("figure = 'growth' needs sizes")

    @classmethod
    def from_mapping(cls, content: Mapping[str, Any]) -> "Experiment":
        """An experiment from plain values; errors name the field."""
        return _made(cls, "", content)

    @classmethod
    def load(cls, path: Path) -> "Experiment":
        """An experiment from a TOML file; it is called as the file is, unless it says."""
        try:
            content = tomllib.loads(path.read_text("utf-8"))
            return cls.from_mapping({"name": path.stem, **content})
        except OSError as error:
            raise ValueError(f"{str(path)!r} cannot be read: {error.strerror}") from None
        except (ValueError, TypeError) as error:  # TOML that is none is a ValueError too
            raise ValueError(f"{path}: {error}") from None

    def as_mapping(self) -> dict[str, Any]:
        """Plain values from which ``from_mapping`` makes it again."""
        return dataclasses.asdict(self)

    def replace(self, **changes: Any) -> "Experiment":
        """The same with some fields changed."""
        return dataclasses.replace(self, **changes)


def _made(kind: Any, prefix: str, content: Mapping[str, Any]) -> Any:
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
            raise ValueError(f"{name} has {each!r} twice")
    return tuple(value)


def _seeds(value: Any) -> tuple[int, ...]:
    if isinstance(value, Sequence) and not isinstance(value, str):
        seeds = tuple(whole("seeds", seed, least=0) for seed in value)
        if not seeds or len(set(seeds)) < len(seeds):
            raise ValueError(f"seeds must be different numbers, at least one, not {value!r}")
        return seeds
    return tuple(range(whole("seeds", value)))
