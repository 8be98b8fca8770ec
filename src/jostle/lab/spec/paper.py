"""Every figure of the paper as an experiment.

The policies are the paper's and a few more: the same network without perturbation
(epsilon-greedy), FALCON+ and, on recommendations, a linear policy.
"""

from jostle.lab.spec.experiment import Experiment
from jostle.lab.spec.plan import REWARD

LINEAR = ("lin-ucb", "lin-ts", "lin-fpl")
DIAGONAL = ("neural-ucb:covariance=diagonal", "neural-ts:covariance=diagonal")
FULL = ("neural-ucb:covariance=full", "neural-ts:covariance=full")
CHEAP = ("npr", "epsilon-greedy", "falcon")
NEURAL = (*CHEAP, "neural-ucb", "neural-ts")
ROUNDS = 10_000


def sized(policies: tuple[str, ...], width: str) -> tuple[str, ...]:
    """The same policies with networks of another width."""
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
