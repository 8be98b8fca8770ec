"""What decides every number of an experiment, as it is written down."""

import dataclasses
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from jostle.lab.spec.experiment import Experiment
from jostle.lab.spec.plan import Plan, Trial

if TYPE_CHECKING:  # they need JAX, which reading results does not
    from jostle.lab.running.prepare import Panels

FORMAT, VERSION = "jostle-experiment", 1


@dataclass(frozen=True)
class Manifest:
    """What decides every number of an experiment."""

    experiment: Experiment
    plans: tuple[Plan, ...]
    environments: dict[str, dict[str, str]]
    policies: dict[str, dict[str, dict[str, str]]]

    @classmethod
    def of(cls, experiment: Experiment, panels: "Panels") -> "Manifest":
        """Of an experiment that was made ready."""
        return cls(experiment, panels.plans, panels.environments, panels.policies)

    def deciding(self, trial: Trial) -> tuple[object, ...]:
        """All that decides the numbers of a trial but its own fields."""
        return (
            self.experiment.tuning,
            self.environments[trial.environment],
            self.policies[trial.environment][trial.policy],
        )

    def as_mapping(self) -> dict[str, Any]:
        """Plain values, as JSON would give them back."""
        content = {
            "format": FORMAT,
            "version": VERSION,
            "experiment": self.experiment.as_mapping(),
            "panels": [dataclasses.asdict(plan) for plan in self.plans],
            "environments": self.environments,
            "policies": self.policies,
        }
        plain: dict[str, Any] = json.loads(json.dumps(content))
        return plain

    @classmethod
    def from_mapping(cls, content: Mapping[str, Any]) -> "Manifest":
        """What ``as_mapping`` gave."""
        plans = [
            Plan(**{**plan, "policies": tuple(plan["policies"]), "seeds": tuple(plan["seeds"])})
            for plan in content["panels"]
        ]
        return cls(
            Experiment.from_mapping(content["experiment"]),
            tuple(plans),
            content["environments"],
            content["policies"],
        )


def differences(old: Any, new: Any, where: str = "") -> Iterator[str]:
    """What differs between two trees of plain values, a line each."""
    if isinstance(old, Mapping) and isinstance(new, Mapping):
        for key in [*old, *(key for key in new if key not in old)]:
            place = f"{where}.{key}" if where else str(key)
            yield from differences(old.get(key, "absent"), new.get(key, "absent"), place)
    elif old != new:
        yield f"{where}: {_short(old)} there, {_short(new)} now"


def _short(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 200 else text[:197] + "..."
