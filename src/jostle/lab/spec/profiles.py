"""How thoroughly an experiment is run."""

from jostle.core.validation import unknown
from jostle.lab.spec.experiment import Experiment, Tuning
from jostle.lab.spec.paper import NEURAL, PAPER

PROFILES = {
    "quick": "200 rounds, one run, not tuned: a first look at every figure in ten minutes in all",
    "standard": "full length, 5 runs, tuned by halving",
    "paper": "the paper's protocol: full length, 10 runs, whole grid, its network and optimiser",
}


def with_profile(experiment: Experiment, profile: str) -> Experiment:
    """An experiment as thorough as a profile says."""
    if profile not in PROFILES:
        raise ValueError(unknown("profile", profile, PROFILES))
    if experiment.figure == "statistics":
        return experiment
    if profile == "quick":
        ends = (experiment.sizes[0], experiment.sizes[-1]) if experiment.sizes else ()
        rounds = 100 if experiment.times else 200  # those that are timed need a state, no more
        return experiment.replace(rounds=rounds, seeds=(0,), sizes=ends, tuning=Tuning())
    if profile == "standard":
        if experiment.figure != "curves" or experiment.name not in PAPER:
            return experiment
        return experiment.replace(tuning=Tuning("halving"))
    tuning = Tuning("grid", defaults=False) if experiment.figure == "curves" else Tuning()
    policies = tuple(_as_in_the_paper(name) for name in experiment.policies)
    seeds = tuple(range(10)) if experiment.figure == "curves" else experiment.seeds
    return experiment.replace(tuning=tuning, seeds=seeds, policies=policies)


def with_policies(experiment: Experiment, more: tuple[str, ...]) -> Experiment:
    """An experiment with policies added that it has not."""
    if experiment.figure == "statistics":
        return experiment
    added = tuple(name for name in more if name not in experiment.policies)
    return experiment.replace(policies=(*experiment.policies, *added))


def _as_in_the_paper(name: str) -> str:
    """A neural policy with the paper's network and optimiser: ``npr.paper`` for ``npr``."""
    base, colon, settings = name.partition(":")
    return f"{base}.paper{colon}{settings}" if base in NEURAL else name
