"""Profiles: how thoroughly an experiment is run, from a quick look to the paper's protocol."""

from jostle.core.validation import unknown
from jostle.lab.spec.experiment import Experiment, Tuning
from jostle.lab.spec.paper import NEURAL, PAPER

PROFILES = {
    "quick": "200 rounds, one run, no tuning: every figure in about ten minutes in all",
    "standard": "full length, 5 runs, tuned by halving",
    "paper": "the paper's protocol: full length, 10 runs, full grid, its network and optimiser",
}


def with_profile(experiment: Experiment, profile: str) -> Experiment:
    """The experiment with the rounds, seeds and tuning of a profile."""
    if profile not in PROFILES:
        raise ValueError(unknown("profile", profile, PROFILES))
    if not experiment.kind.played:
        return experiment
    if profile == "quick":
        ends = (experiment.sizes[0], experiment.sizes[-1]) if experiment.sizes else ()
        rounds = 100 if experiment.times else 200  # timing needs no more than a typical state
        return experiment.replace(rounds=rounds, seeds=(0,), sizes=ends, tuning=Tuning())
    if profile == "standard":
        if not experiment.kind.tuned or experiment.name not in PAPER:
            return experiment
        return experiment.replace(tuning=Tuning("halving"))
    tuned = experiment.kind.tuned
    tuning = Tuning("grid", defaults=False) if tuned else Tuning()
    policies = tuple(_as_in_the_paper(name) for name in experiment.policies)
    seeds = tuple(range(10)) if tuned else experiment.seeds
    return experiment.replace(tuning=tuning, seeds=seeds, policies=policies)


def with_policies(experiment: Experiment, more: tuple[str, ...]) -> Experiment:
    """The experiment with those of ``more`` added that it does not have."""
    if not experiment.kind.played:
        return experiment
    added = tuple(name for name in more if name not in experiment.policies)
    return experiment.replace(policies=(*experiment.policies, *added))


def _as_in_the_paper(name: str) -> str:
    """The name of a neural policy with the paper's network and optimiser, as ``npr.paper``."""
    base, colon, settings = name.partition(":")
    return f"{base}.paper{colon}{settings}" if base in NEURAL else name
