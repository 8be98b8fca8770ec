"""An experiment made ready: its panels, and every setting that decides its numbers."""

from dataclasses import dataclass
from typing import Any

from jostle import factory as naming
from jostle.environments import Environment
from jostle.lab.spec.experiment import Experiment
from jostle.lab.spec.plan import REWARD, Plan

Settings = dict[str, str]


@dataclass(frozen=True)
class Panels:
    """The panels of an experiment, and the settings they are played with."""

    plans: tuple[Plan, ...]
    environments: dict[str, Settings]
    policies: dict[str, dict[str, Settings]]
    """By environment, then by policy: some settings are facts of the environment."""
    bytes: dict[str, int]
    """What a policy keeps beside its network, if that is much."""


def prepare(experiment: Experiment) -> Panels:
    """Make every environment and policy once, so that whatever is wrong is found before all."""
    plans: list[Plan] = []
    environments: dict[str, Settings] = {}
    policies: dict[str, dict[str, Settings]] = {}
    sizes: dict[str, int] = {}
    for size in experiment.sizes or (None,):
        for template in experiment.environments:
            text = _sized(template, size)
            world = naming.make_environment(text)
            environments[text] = naming.describe(world)
            if experiment.figure == "statistics":
                continue
            named = [_sized(policy, size) for policy in experiment.policies]
            made = {
                name: naming.make_policy(name, world) for name in named or naming.suitable(world)
            }
            described = {name: naming.describe(policy) for name, policy in made.items()}
            policies.setdefault(text, {}).update(described)
            plan = _plan(experiment, text, world, tuple(made), size)
            plans.append(plan)
            sizes |= {name: policy.covariance_bytes(plan.rounds) for name, policy in made.items()}
    return Panels(tuple(plans), environments, policies, sizes)


def _plan(
    experiment: Experiment, text: str, world: Environment, policies: tuple[str, ...], size: Any
) -> Plan:
    rounds = min(experiment.rounds, world.rounds or experiment.rounds)
    tuning = experiment.tuning
    if tuning.method != "none" and tuning.rounds >= rounds:
        raise ValueError(
            f"tuning.rounds is {tuning.rounds}, but {text!r} has only {rounds} rounds in all"
        )
    chance = world.spec.chance
    if experiment.measure == REWARD and chance is None:
        raise ValueError(
            f"measure 'reward' does not suit {text!r}: it does not tell what a random choice earns"
        )
    fewer = {_sized(policy, size): runs for policy, runs in experiment.fewer.items()}
    return Plan(text, policies, rounds, experiment.seeds, experiment.measure, chance, size, fewer)


def _sized(text: str, size: int | None) -> str:
    return text if size is None else text.replace("{size}", str(size))
