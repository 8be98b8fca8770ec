"""Experiments beyond the paper: ablations, other encodings, and what it could not compute."""

from jostle.lab.spec.experiment import Experiment
from jostle.lab.spec.paper import DIAGONAL, FULL, LINEAR, NEURAL, sized

DATA = ("mushroom", "shuttle", "magic", "adult", "covertype", "letter")
ONE_MEAN = ("epsilon-greedy", "falcon", "neural-ucb", "neural-ts")
"""The policies that have NPR's mean, and differ from it in their exploration alone."""
EVERYONE = (*NEURAL, *LINEAR, "ucb1.paper", "uniform")
"""The algorithms of papers with jostle's networks and training, and without a network."""
THREE_MEANS = ("npr", "npr:network=none", "npr.descent")
"""NPR with its mean, without a network in it, and with a network alone."""
OWN_SCALE = ("lin-ucb", "lin-ts", "lin-fpl")
"""The linear policies that learn the unit of rewards from the stream."""
WITHOUT_EXPLORATION = "npr:noise=0,prior=0,optimism=0"
ABLATIONS = (
    "npr:noise=0",
    "npr:prior=0",
    "npr:optimism=0",
    "npr:optimism=5",
    "npr:random_features=0",
    "npr:network=none",
    "npr.descent",
)
"""NPR without each of its parts, and with other settings of it."""
INSURANCES = tuple(f"npr:optimism={optimism}" for optimism in (0, 0.1, 2, 5))
"""NPR with fewer optimists than its default, and with more."""
HALF_LIVES = tuple(f"npr:half_life={half_life}" for half_life in (300, 1000, 3000))
TEN_SEEDS = tuple(range(10))
DESCENT_ABLATIONS = (
    "npr.descent:optimiser=sgd,step_size=0.1",
    "npr.descent:network=paper",
    "npr.descent:linear=false",
    "npr.descent:decay=0",
    "npr.descent:decay=0.2",
    "npr.descent:average=0",
    "npr.descent:noise=0",
    "npr.descent:noise=0.3",
    "npr.descent:steps=1",
    "npr.descent:steps=20",
    "npr.descent:batch=16",
    "npr.descent:batch=256",
    "npr.descent:width=32",
    "npr.descent:width=128",
)
FRONT = (
    "npr.descent",
    "npr.descent:steps=1",
    "npr.descent:steps=2",
    "npr.descent:steps=10",
    "npr.descent:batch=16",
    "npr.descent:batch=256",
    "npr.descent:every=4",
    "npr.descent:every=16",
)
SWEPT = (
    "npr",
    "npr:sweep=0",
    "npr.descent",
    "npr.descent:noise=0",
    "npr.descent:sweep=0",
    "neural-ucb.descent",
    "neural-ucb.descent:sweep=512",
    "neural-ts.descent",
    "neural-ts.descent:sweep=512",
    "falcon.descent",
    "falcon.descent:sweep=512",
)
STREAMS = (
    "wheel:delta=0.5",
    "wheel:delta=0.95",
    "wheel:delta=0.99",
    "eat",
    "coins",
    "noise",
    "scale",
    "clicks",
    "purchases",
    "arrivals",
    "drift",
    "drift:kind=gradual",
    "drift:kind=seasons",
    "units:of=clicks,reward_scale=0.01,reward_offset=10,context_factor=30",
)
"""Streams of applications; ``offers`` is played apart, since its arms have no ids."""
PEERS = ("vw.squarecb", "vw.bag")
OTHER_PEERS = ("vw.cover", "vw.rnd", "vw.epsilon")
"""Vowpal Wabbit's explorers, which are skipped where it is not installed."""
STRENGTHS = {
    "neural-ucb.descent": ("0.003", "0.01", "0.03", "0.1"),
    # It multiplies widths by sqrt(lambda), which is 0.01.
    "neural-ts.descent": ("0.3", "1", "3", "10"),
}
AT_STRENGTHS = {
    f"{policy}:covariance={covariance}": tuple(
        f"{policy}:covariance={covariance},exploration={strength}" for strength in strengths
    )
    for policy, strengths in STRENGTHS.items()
    for covariance in ("full", "diagonal")
}
"""Each policy at several strengths of exploration."""

FIRST_LOOK = "first-look"
"""What ``jostle run`` plays if it is not told what."""

EXTRA: dict[str, Experiment] = {
    each.name: each
    for each in (
        Experiment(
            FIRST_LOOK,
            ("h1", "wheel:delta=0.5"),
            ("npr", "neural-ucb", "neural-ts", "lin-ucb", "lin-ts", "uniform"),
            rounds=2_000,
            times=True,
            title="A first look: a stream of the paper, and one that needs exploration",
        ),
        Experiment(
            "practical",
            DATA,
            ("npr", *ONE_MEAN, *EVERYONE),
            rounds=10_000,
            title="Mistakes with the practical encoding, every policy with its defaults",
        ),
        Experiment(
            "ordinal",
            tuple(f"{data}:encoding=paper" for data in DATA),
            ("npr", *EVERYONE, "npr.descent:decay=0.25", "npr.descent:decay=0.05"),
            rounds=10_000,
            seeds=(0, 1, 2),
            title="Mistakes with the paper's encoding, nothing tuned; NPR by descent also with "
            "weaker decay",
        ),
        Experiment(
            "skyline",
            tuple(f"{data}:full_information=true" for data in DATA),
            ("npr.descent",),
            rounds=10_000,
            title="Mistakes of NPR by descent when the right class is revealed after each choice",
        ),
        Experiment(
            "fresh",
            ("h1:pool=none", "h2:pool=none"),
            ("npr", *NEURAL, *LINEAR, "uniform"),
            rounds=10_000,
            title="Regret when the arms are new in each round, nothing tuned",
        ),
        Experiment(
            "sweep",
            ("h1", "h2"),
            SWEPT,
            rounds=10_000,
            title="The value of pulling each arm once at first: policies with and without it, "
            "nothing tuned",
        ),
        Experiment(
            "covariance",
            ("h1", "h2", "mushroom:encoding=paper", "shuttle:encoding=paper"),
            (
                "npr.descent",
                *(policy for strengths in AT_STRENGTHS.values() for policy in strengths),
            ),
            rounds=2_000,
            title="Full and diagonal covariance at the same strengths of exploration, not tuned",
        ),
        Experiment(
            "cells",
            ("letter:encoding=paper", "covertype:encoding=paper"),
            ("npr.descent", *FULL, *DIAGONAL),
            rounds=10_000,
            seeds=(0,),
            title="Full covariance where the paper ran out of memory, networks 64 wide",
        ),
        Experiment(
            "cells-wide",
            ("h1", "h2", "lastfm", "delicious"),
            sized(("npr.descent", *FULL, *DIAGONAL), "128"),
            rounds=4_000,
            seeds=(0,),
            title="Full covariance where the paper ran out of memory, networks 128 wide",
        ),
        Experiment(
            "ablation",
            ("coins", "arrivals", "letter", "wheel:delta=0.5"),
            ("npr", WITHOUT_EXPLORATION, *ABLATIONS),
            rounds=10_000,
            seeds=TEN_SEEDS,
            fewer=dict.fromkeys(ABLATIONS, 3),
            figure="changes",
            title="NPR with one thing changed at a time",
        ),
        Experiment(
            "insurance",
            ("wheel:delta=0.9", "wheel:delta=0.95"),
            ("npr", *INSURANCES),
            rounds=10_000,
            seeds=TEN_SEEDS,
            title="What optimists are for: a prize in a thin rim, by their number",
        ),
        Experiment(
            "insurance-price",
            ("clicks", "mushroom", "shuttle", "letter"),
            ("npr", *INSURANCES),
            rounds=10_000,
            seeds=(0, 1, 2),
            title="What optimists cost where there is no prize to find",
        ),
        Experiment(
            "coins-worst",
            ("coins",),
            ("npr",),
            rounds=10_000,
            seeds=tuple(range(1000, 1200)),
            title="The better of two coins, in 200 runs",
        ),
        Experiment(
            "adult-worst",
            ("adult:encoding=paper",),
            ("npr",),
            rounds=10_000,
            seeds=tuple(range(1000, 1020)),
            title="Mistakes on adult with the paper's encoding, in 20 runs",
        ),
        Experiment(
            "half-life",
            ("drift", "drift:kind=gradual", "drift:kind=seasons"),
            ("npr", *HALF_LIVES),
            rounds=10_000,
            seeds=TEN_SEEDS,
            title="Rewards that drift: NPR as it is, and told how fast",
        ),
        Experiment(
            "year",
            ("drift:kind=seasons,period=250000,breaks=(400000,700000)",),
            ("npr.online", "npr.online:half_life=10000", "lin-ucb", "uniform"),
            rounds=1_000_000,
            seeds=(0,),
            title="A year of a million decisions, with four seasons and two breaks",
        ),
        Experiment(
            "ablation-descent",
            ("h1", "mushroom", "magic", "adult"),
            ("npr.descent", *DESCENT_ABLATIONS),
            rounds=10_000,
            seeds=(0, 1, 2),
            figure="changes",
            title="NPR by descent with one thing changed at a time",
        ),
        Experiment(
            "field",
            STREAMS,
            (*THREE_MEANS, "lin-ucb", "lin-ts", "uniform", *PEERS),
            rounds=10_000,
            seeds=(0, 1, 2),
            title="Regret on streams of applications, every policy with its defaults",
        ),
        Experiment(
            "field-others",
            STREAMS,
            (*ONE_MEAN, "neural-linear", "lin-fpl", "ucb1", *OTHER_PEERS),
            rounds=10_000,
            seeds=(0, 1, 2),
            title="Regret on streams of applications, the policies that field leaves out",
        ),
        Experiment(
            "field-offers",
            ("offers",),
            (*THREE_MEANS, *ONE_MEAN, *OWN_SCALE, "uniform", *PEERS, *OTHER_PEERS),
            rounds=10_000,
            seeds=(0, 1, 2),
            title="Regret on offers that never come back, every policy with its defaults",
        ),
        Experiment(
            "descent",
            ("mushroom:encoding=paper",),
            tuple(
                f"npr.paper:fitting={fitting},step_size={step}"
                for step in ("0.01", "0.001")
                for fitting in ("full", "minibatch")
            ),
            rounds=1_000,
            title="The paper's network fitted by the whole history and by mini-batches",
        ),
        Experiment(
            "front",
            ("h1", "mushroom", "shuttle"),
            FRONT,
            rounds=10_000,
            figure="front",
            title="Regret against compute: steps, batch and interval of updates of NPR by descent",
        ),
    )
}
"""The experiments that are not in the paper, by name."""
