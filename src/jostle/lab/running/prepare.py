"""Prepare an experiment: build every environment and policy once, and write the manifest."""

import dataclasses
from collections.abc import Callable

from jostle import simulation
from jostle.core.description import settings
from jostle.core.optional import MissingExtraError
from jostle.environments import Environment
from jostle.factory import make_environment, suitable
from jostle.lab.results.manifest import Behaviour, Manifest, Settings
from jostle.lab.running.tuning import BEHAVIOUR as TUNING_BEHAVIOUR
from jostle.lab.spec.experiment import Experiment
from jostle.lab.spec.plan import REWARD, Plan
from jostle.peers.base import Peer
from jostle.peers.catalog import make_player
from jostle.policies import Policy


def prepare(
    experiment: Experiment,
    announce: Callable[[str, int], None] | None = None,
    skip: Callable[[str, str], None] | None = None,
) -> Manifest:
    """Check an experiment by building all it names, so that errors come before any work.

    ``announce`` is called with the name of each policy that keeps a covariance and the bytes that
    takes in a run. Peers whose library is not installed are left out if there are others to play;
    ``skip`` is then called with the name of each and the reason.
    """
    plans: list[Plan] = []
    environments: dict[str, Settings] = {}
    policies: dict[str, dict[str, Settings]] = {}
    environment_numbers: dict[str, int] = {}
    policy_numbers: dict[str, int] = {}
    announced: dict[str, int] = {}
    skipped: dict[str, str] = {}
    for size, timed_after in _panels(experiment):
        for template in experiment.environments:
            name = _sized(template, size)
            environment = make_environment(name)
            environments[name] = settings(environment)
            environment_numbers[name] = environment.behaviour
            if not experiment.kind.played:
                continue
            names = [_sized(policy, size) for policy in experiment.policies]
            made = _players(names or suitable(environment), environment, skipped)
            plan = _plan(experiment, name, environment, tuple(made), size)
            plan = dataclasses.replace(plan, timed_after=timed_after)
            plans.append(plan)
            of_environment = policies.setdefault(name, {})
            for each, policy in made.items():
                of_environment[each] = settings(policy)
                policy_numbers[each] = policy.behaviour
                announced[each] = policy.covariance_bytes(plan.timed_rounds)
    if skip is not None:
        for each, reason in skipped.items():
            skip(each, reason)
    if announce is not None:
        for each, needed in announced.items():
            if needed:
                announce(each, needed)
    numbers = Behaviour(simulation.BEHAVIOUR, TUNING_BEHAVIOUR, environment_numbers, policy_numbers)
    return Manifest(experiment, tuple(plans), environments, policies, numbers)


def _panels(experiment: Experiment) -> list[tuple[int | None, int | None]]:
    """The size and ``timed_after`` of each panel of an environment."""
    if experiment.timed_after:
        return [(None, rounds) for rounds in experiment.timed_after]
    return [(size, None) for size in experiment.sizes] or [(None, None)]


def _players(
    names: list[str], environment: Environment, skipped: dict[str, str]
) -> dict[str, Policy | Peer]:
    """The policies and peers by name; ``skipped`` is told which peers are not installed."""
    made: dict[str, Policy | Peer] = {}
    missing: MissingExtraError | None = None
    for name in names:
        try:
            made[name] = make_player(name, environment)
        except MissingExtraError as error:
            missing, skipped[name] = error, str(error)
    if missing is not None and not made:
        raise missing
    return made


def _plan(
    experiment: Experiment,
    name: str,
    environment: Environment,
    policies: tuple[str, ...],
    size: int | None,
) -> Plan:
    rounds = min(experiment.rounds, environment.rounds or experiment.rounds)
    method, first = experiment.tuning.method, experiment.tuning.rounds
    if method != "none" and first >= rounds:
        raise ValueError(f"tuning.rounds is {first}, but {name!r} has only {rounds} rounds in all")
    chance = environment.spec.chance
    if experiment.measure == REWARD and chance is None:
        raise ValueError(
            f"measure 'reward' does not suit {name!r}: it does not provide the expected reward of "
            "a random choice"
        )
    fewer = {_sized(policy, size): runs for policy, runs in experiment.fewer.items()}
    return Plan(name, policies, rounds, experiment.seeds, experiment.measure, chance, size, fewer)


def _sized(text: str, size: int | None) -> str:
    return text if size is None else text.replace("{size}", str(size))
