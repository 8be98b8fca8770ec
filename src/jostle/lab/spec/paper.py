"""Every figure of the paper as an experiment, with the paper's networks and with jostle's.

The figures that compare regret or reward exist twice. ``fig1a`` has the forms that the authors
describe: their network and initialisation, plain gradient descent, exploration as in each paper
(``npr.paper``, ``neural-ucb.paper``). ``fig1a-jostle`` has the same algorithms with the networks
and training that are jostle's defaults (``npr.descent``, ``neural-ucb.descent``), and a few
policies more: the same network without perturbation (``epsilon-greedy.descent``) and FALCON+
(``falcon.descent``). Linear policies are those of their papers in both. The policies as the library
builds them (``npr``, ``neural-ucb``) have another mean, and no part in the paper's figures.

The figures of time are played with jostle's networks and training only. ``fig1c-rounds`` is not in
the paper: it shows how the times of ``fig1c``, taken after 2,000 rounds, depend on that number.
"""

from collections.abc import Iterable

from jostle.core.grammar import parse
from jostle.lab.spec.experiment import Experiment
from jostle.lab.spec.plan import REWARD

LINEAR = ("lin-ucb.paper", "lin-ts.paper", "lin-fpl.paper")
"""The linear policies as their papers have them: in the unit of rewards, which are not centred."""
DIAGONAL = ("neural-ucb.descent:covariance=diagonal", "neural-ts.descent:covariance=diagonal")
FULL = ("neural-ucb.descent:covariance=full", "neural-ts.descent:covariance=full")
CHEAP = ("npr.descent", "epsilon-greedy.descent", "falcon.descent")
NEURAL = (*CHEAP, "neural-ucb.descent", "neural-ts.descent")
IN_THE_PAPER = frozenset(name.removesuffix(".descent") for name in NEURAL)
"""Policies that have a form of the paper."""
ROUNDS = 10_000
FULL_RUNS = 3
"""Runs of the paper's forms with full covariance, which take ten times as long as the others."""
JOSTLE = "-jostle"
"""The suffix of figures that are played with jostle's networks and training."""
MINIBATCH = "fitting=minibatch"
"""How the paper's networks are fitted where arms are not a fixed pool: a step on the whole history
costs O(t), and "stochastic gradient descent can also be used" (Section 3)."""


def sized(policies: Iterable[str], width: str) -> tuple[str, ...]:
    """The same policies with networks of another width."""
    return tuple(_with(name, f"width={width}") for name in policies)


def as_in_the_paper(policies: Iterable[str], setting: str = "") -> tuple[str, ...]:
    """The paper's forms of neural policies, as ``npr.paper``; other policies are as they are."""
    return tuple(
        _with(name.replace(base, f"{head}.paper", 1), setting) if head in IN_THE_PAPER else name
        for name in policies
        for base in [parse(name).name]
        for head in [base.removesuffix(".descent")]
    )


def _with(name: str, setting: str) -> str:
    if not setting:
        return name
    return f"{name}{',' if ':' in name else ':'}{setting}"


def _both(
    name: str,
    title: str,
    *environments: str,
    paper: tuple[str, ...],
    jostle: tuple[str, ...],
    measure: str = "regret",
) -> tuple[Experiment, Experiment]:
    """A figure with the paper's forms, and with jostle's."""
    fewer = {each: FULL_RUNS for each in paper if "covariance=full" in each}
    figure = Experiment(name, environments, paper, ROUNDS, measure=measure, title=title)
    ours = figure.replace(
        name=name + JOSTLE, policies=jostle, title=f"{title}, with jostle's networks and training"
    )
    return figure.replace(fewer=fewer), ours


def _pooled(name: str, h: str) -> tuple[Experiment, Experiment]:
    return _both(
        name,
        f"Regret on {h}",
        h,
        paper=as_in_the_paper(("npr.descent", *FULL, *DIAGONAL, *LINEAR)),
        jostle=(*CHEAP, *FULL, *DIAGONAL, *LINEAR),
    )


def _classified(name: str, data: str, full: bool) -> tuple[Experiment, Experiment]:
    covariances = (*(FULL if full else ()), *DIAGONAL)
    return _both(
        name,
        f"Mistakes on {data}",
        f"{data}:encoding=paper",
        paper=as_in_the_paper(("npr.descent", *covariances, *LINEAR), MINIBATCH),
        jostle=(*CHEAP, *covariances, *LINEAR),
    )


def _recommended(name: str, data: str) -> tuple[Experiment, Experiment]:
    ours = (*WIDE, "hlin-ucb", "lin-ucb.paper")
    theirs = (*sized(("npr.descent", *DIAGONAL), "128"), "hlin-ucb", "lin-ucb.paper")
    return _both(
        name,
        f"Normalised reward on {data}",
        data,
        f"{data}:events=authors",
        paper=as_in_the_paper(theirs, MINIBATCH),
        jostle=ours,
        measure=REWARD,
    )


def _wide(name: str, title: str, *environments: str) -> tuple[Experiment, Experiment]:
    title = f"{title}, networks 128 wide"
    theirs = as_in_the_paper(sized(("npr.descent", "falcon.descent", *DIAGONAL), "128"))
    return _both(name, title, *environments, paper=theirs, jostle=WIDE)


WIDE = sized((*CHEAP, *DIAGONAL), "128")

_ALL = (
    *_pooled("fig1a", "h1"),
    *_pooled("fig1b", "h2"),
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
        "fig1c-rounds",
        ("h1",),
        ("npr.descent", *FULL, *DIAGONAL),
        rounds=500,
        seeds=(0,),
        figure="growth",
        times=True,
        timed_after=(500, 1000, 2000, 5000, 10_000),
        title="Time against the rounds played so far",
    ),
    Experiment(
        "fig1d",
        ("h1:pool={size},shown={size}",),
        ("npr.descent", *FULL, *DIAGONAL),
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
        sized(("npr.descent", *FULL, *DIAGONAL), "{size}"),
        rounds=1000,
        seeds=(0,),
        figure="growth",
        times=True,
        sizes=(32, 64, 128, 256),
        title="Time against the width of the network",
    ),
    *_classified("fig2a", "adult", full=True),
    *_classified("fig2b", "mushroom", full=True),
    *_classified("fig2c", "shuttle", full=True),
    *_recommended("fig3a", "lastfm"),
    *_recommended("fig3b", "delicious"),
    *_wide("fig4a", "Regret on h1", "h1"),
    *_wide("fig4b", "Regret on h2", "h2"),
    *_wide("fig5a", "Regret on h1 when 20 or all 100 arms are shown", "h1", "h1:shown=100"),
    *_wide("fig5b", "Regret on h2 when 20 or all 100 arms are shown", "h2", "h2:shown=100"),
    *_classified("fig6a", "magic", full=True),
    *_classified("fig6b", "letter", full=False),
    *_classified("fig6c", "covertype", full=False),
    Experiment(
        "table1",
        ("adult", "mushroom", "shuttle", "magic", "letter", "covertype"),
        figure="statistics",
        title="The data sets",
    ),
)

PAPER: dict[str, Experiment] = {each.name: each for each in sorted(_ALL, key=lambda e: e.name)}
"""The experiments by the names of the paper's figures."""
