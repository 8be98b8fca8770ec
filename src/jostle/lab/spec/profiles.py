"""Profiles: how thoroughly an experiment is run, from a quick look to what the paper did."""

from jostle.core.validation import unknown
from jostle.lab.spec.experiment import Experiment, Tuning
from jostle.lab.spec.paper import PAPER

PROFILES = {
    "quick": "200 rounds, one run, no tuning: every figure in about ten minutes in all",
    "standard": "full length, 5 runs, tuned by halving",
    "paper": "full length, 10 runs, tuned by the paper's whole grid: its protocol, with the "
    "paper's forms (such as fig1a)",
}


def with_profile(experiment: Experiment, profile: str) -> Experiment:
    """The experiment with the rounds, seeds and tuning of a profile."""
    if profile not in PROFILES:
        raise ValueError(unknown("profile", profile, PROFILES))
    if not experiment.kind.played:
        return experiment
    if profile == "quick":
        rounds = 100 if experiment.times else 200  # timing needs no more than a typical state
        return experiment.replace(
            rounds=rounds,
            seeds=(0,),
            fewer={},
            sizes=_ends(experiment.sizes),
            timed_after=_ends(experiment.timed_after),
            tuning=Tuning(),
        )
    if not experiment.kind.tuned or experiment.name not in PAPER:
        return experiment
    if profile == "standard":
        return experiment.replace(tuning=Tuning("halving"), seeds=tuple(range(5)))
    return experiment.replace(tuning=Tuning("grid", defaults=False), seeds=tuple(range(10)))


def _ends(numbers: tuple[int, ...]) -> tuple[int, ...]:
    return (numbers[0], numbers[-1]) if numbers else ()


def with_policies(experiment: Experiment, more: tuple[str, ...]) -> Experiment:
    """The experiment with those of ``more`` added that it does not have."""
    if not experiment.kind.played:
        return experiment
    added = tuple(name for name in more if name not in experiment.policies)
    return experiment.replace(policies=(*experiment.policies, *added))
