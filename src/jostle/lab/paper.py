"""Every figure of the paper as an experiment, and how thoroughly to run it.

Policies are compared as the paper does, with a few it leaves out: the same network without
perturbation (epsilon-greedy), FALCON+ and, on recommendations, a linear and a random choice.
"""

from pathlib import Path

from jostle.checks import unknown
from jostle.lab.beyond import BEYOND
from jostle.lab.experiment import Experiment, Tuning
from jostle.lab.plan import REWARD

LINEAR = ("lin-ucb", "lin-ts", "lin-fpl")
DIAGONAL = ("neural-ucb:covariance=diagonal", "neural-ts:covariance=diagonal")
FULL = ("neural-ucb:covariance=full", "neural-ts:covariance=full")
CHEAP = ("npr", "epsilon-greedy", "falcon")
ROUNDS = 10_000


def sized(policies: tuple[str, ...], width: str) -> tuple[str, ...]:
    """The same with networks of another width."""
    return tuple(f"{name}{',' if ':' in name else ':'}width={width}" for name in policies)


def _curves(name: str, title: str, *environments: str, policies: tuple[str, ...]) -> Experiment:
    return Experiment(name, environments, policies, ROUNDS, title=title)


WIDE = sized((*CHEAP, *DIAGONAL), "128")

_ALL = (
    *(
        _curves(f"fig1{part}", f"Regret on {h}", h, policies=(*CHEAP, *FULL, *DIAGONAL, *LINEAR))
        for part, h in (("a", "h1"), ("b", "h2"))
    ),
    Experiment(
        "fig1c",
        ("h1",),
        (*CHEAP, *FULL, *DIAGONAL),
        rounds=2000,
        seeds=(0,),
        figure="bars",
        times=True,
        title="Time of choosing and of learning on h1",
    ),
    Experiment(
        "fig1d",
        ("h1:pool={size},shown={size}",),
        ("npr", *FULL, *DIAGONAL),
        rounds=1000,
        seeds=(0,),
        figure="growth",
        times=True,
        sizes=(20, 100, 500),
        title="Time against the number of arms",
    ),
    Experiment(
        "fig1e",
        ("h1",),
        sized(("npr", *FULL, *DIAGONAL), "{size}"),
        rounds=1000,
        seeds=(0,),
        figure="growth",
        times=True,
        sizes=(32, 64, 128, 256),
        title="Time against the width of the network",
    ),
    *(
        _curves(
            name,
            f"Mistakes on {data}",
            f"{data}:encoding=paper",
            policies=(*CHEAP, *(FULL if full else ()), *DIAGONAL, *LINEAR),
        )
        for name, data, full in (
            ("fig2a", "adult", True),
            ("fig2b", "mushroom", True),
            ("fig2c", "shuttle", True),
            ("fig6a", "magic", True),
            ("fig6b", "letter", False),
            ("fig6c", "covertype", False),
        )
    ),
    *(
        _curves(
            name, f"Normalised reward on {data}", data, policies=(*WIDE, "hlin-ucb", "lin-ucb")
        ).replace(measure=REWARD)
        for name, data in (("fig3a", "lastfm"), ("fig3b", "delicious"))
    ),
    *(
        _curves(f"fig4{part}", f"Regret on {h} with networks 128 wide", h, policies=WIDE)
        for part, h in (("a", "h1"), ("b", "h2"))
    ),
    *(
        _curves(
            f"fig5{part}",
            f"Regret on {h} when 20 or all 100 arms are shown, networks 128 wide",
            h,
            f"{h}:shown=100",
            policies=WIDE,
        )
        for part, h in (("a", "h1"), ("b", "h2"))
    ),
    Experiment(
        "table1",
        ("adult", "mushroom", "shuttle", "magic", "letter", "covertype"),
        figure="statistics",
        title="The data sets",
    ),
)

PAPER: dict[str, Experiment] = {each.name: each for each in sorted(_ALL, key=lambda e: e.name)}
"""The experiments by the names of the paper's figures."""

PROFILES = {
    "quick": "200 rounds, one run, not tuned: a first look at every figure in ten minutes in all",
    "standard": "full length, 5 runs (3 with full covariance), tuned by halving",
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
        return experiment.replace(rounds=rounds, seeds=(0,), sizes=ends)
    if profile == "standard":
        if experiment.figure != "curves" or experiment.name not in PAPER:
            return experiment
        fewer = {policy: 3 for policy in experiment.policies if "covariance=full" in policy}
        return experiment.replace(tuning=Tuning("halving"), fewer=fewer)
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


NEURAL = ("npr", "epsilon-greedy", "falcon", "neural-ucb", "neural-ts")


def _as_in_the_paper(name: str) -> str:
    """A neural policy with the paper's network and optimiser: ``npr.paper`` for ``npr``."""
    base, colon, settings = name.partition(":")
    return f"{base}.paper{colon}{settings}" if base in NEURAL else name


def find(text: str) -> Experiment:
    """The experiment of a figure of the paper, one of our own, or that of a file."""
    known = {**PAPER, **BEYOND}
    if text in known:
        return known[text]
    if text.endswith(".toml") or Path(text).is_file():
        return Experiment.load(Path(text))
    raise ValueError(unknown("experiment", text, known) + " Or name a .toml file.")
