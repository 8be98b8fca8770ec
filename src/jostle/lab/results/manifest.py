"""The manifest of an experiment: everything that decides its numbers, as it is written to disk."""

import dataclasses
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from jostle.lab.spec.experiment import Experiment
from jostle.lab.spec.plan import Plan, Trial

FORMAT, VERSION = "jostle-experiment", 2

Settings = dict[str, Any]
"""Settings as JSON values in full precision, by name (see ``jostle.core.description``)."""


@dataclass(frozen=True)
class Behaviour:
    """The behaviour numbers of the code that plays: raised whenever the same settings give others.

    Without them, results of an older algorithm would pass for those of the present one.
    """

    simulation: int
    tuning: int
    environments: Mapping[str, int]
    """By the environment's name, as the experiment gives it."""
    policies: Mapping[str, int]
    """By the policy's name, likewise."""

    def of(self, trial: Trial, tuned: bool) -> dict[str, int]:
        """The numbers that concern one trial."""
        numbers = {
            "simulation": self.simulation,
            "environment": self.environments[trial.environment],
            "policy": self.policies[trial.policy],
        }
        return {**numbers, "tuning": self.tuning} if tuned else numbers


@dataclass(frozen=True)
class Manifest:
    """An experiment, its panels, and every setting and behaviour number behind its numbers."""

    experiment: Experiment
    plans: tuple[Plan, ...]
    environments: dict[str, Settings]
    policies: dict[str, dict[str, Settings]]
    """By environment, then by policy: some settings of a policy are facts of its environment."""
    behaviour: Behaviour

    def behaviour_of(self, trial: Trial) -> dict[str, int]:
        """The behaviour numbers of the code that has to play ``trial``."""
        return self.behaviour.of(trial, tuned=self.experiment.tuning.method != "none")

    def deciding(self, trial: Trial) -> tuple[object, ...]:
        """Everything that decides the numbers of a trial, except its own fields."""
        return (
            self.experiment.tuning,
            self.environments[trial.environment],
            self.policies[trial.environment][trial.policy],
            self.behaviour_of(trial),
        )

    def as_mapping(self) -> dict[str, Any]:
        """Plain values, as JSON would return them."""
        content = {
            "format": FORMAT,
            "version": VERSION,
            "experiment": self.experiment.as_mapping(),
            "panels": [plan.as_mapping() for plan in self.plans],
            "behaviour": dataclasses.asdict(self.behaviour),
            "environments": self.environments,
            "policies": self.policies,
        }
        plain: dict[str, Any] = json.loads(json.dumps(content))
        return plain

    @classmethod
    def from_mapping(cls, content: Mapping[str, Any]) -> "Manifest":
        """The manifest that ``as_mapping`` returned as plain values."""
        plans = [
            Plan(**{**plan, "policies": tuple(plan["policies"]), "seeds": tuple(plan["seeds"])})
            for plan in content["panels"]
        ]
        return cls(
            Experiment.from_mapping(content["experiment"]),
            tuple(plans),
            content["environments"],
            content["policies"],
            Behaviour(**content["behaviour"]),
        )


def differences(old: Mapping[str, Any], new: Mapping[str, Any]) -> list[str]:
    """What differs between two manifests as plain values, one line per difference.

    The title is for people and decides nothing, so it does not count.
    """
    return [line for line in _differences(old, new, "") if not line.startswith("experiment.title:")]


def _differences(old: Any, new: Any, where: str) -> Iterator[str]:
    if isinstance(old, Mapping) and isinstance(new, Mapping):
        for key in [*old, *(key for key in new if key not in old)]:
            place = f"{where}.{key}" if where else str(key)
            yield from _differences(old.get(key, "absent"), new.get(key, "absent"), place)
    elif old != new:
        yield f"{where}: {_short(old)} there, {_short(new)} now"


def _short(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 200 else text[:197] + "..."
