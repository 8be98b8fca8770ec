"""Experiments beyond the paper: ablations, other encodings, and what it could not compute."""

from jostle.lab.spec.experiment import Experiment
from jostle.lab.spec.paper import DIAGONAL, FULL, LINEAR, NEURAL, sized

DATA = ("mushroom", "shuttle", "magic", "adult", "covertype", "letter")
EVERYONE = (*NEURAL, *LINEAR, "ucb1.paper", "uniform")
"""Every policy, those without a network in their papers' forms."""
OWN_SCALE = ("lin-ucb", "lin-ts", "lin-fpl")
"""The linear policies that learn the unit of rewards from the stream."""
ABLATIONS = (
    "npr:optimiser=sgd,step_size=0.1",
    "npr:network=paper",
    "npr:linear=false",
    "npr:decay=0",
    "npr:decay=0.2",
    "npr:average=0",
    "npr:noise=0",
    "npr:noise=0.3",
    "npr:steps=1",
    "npr:steps=20",
    "npr:batch=16",
    "npr:batch=256",
    "npr:width=32",
    "npr:width=128",
)
FRONT = (
    "npr",
    "npr:steps=1",
    "npr:steps=2",
    "npr:steps=10",
    "npr:batch=16",
    "npr:batch=256",
    "npr:every=4",
    "npr:every=16",
)
SWEPT = (
    "npr",
    "npr:noise=0",
    "npr:sweep=0",
    "neural-ucb",
    "neural-ucb:sweep=512",
    "neural-ts",
    "neural-ts:sweep=512",
    "falcon",
    "falcon:sweep=512",
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
VOWPAL = ("vw.squarecb", "vw.bag", "vw.cover", "vw.rnd", "vw.epsilon")
"""Vowpal Wabbit's explorers, which are skipped where it is not installed."""
STRENGTHS = {
    "neural-ucb": ("0.003", "0.01", "0.03", "0.1"),
    "neural-ts": ("0.3", "1", "3", "10"),  # it multiplies widths by sqrt(lambda), which is 0.01
}
AT_STRENGTHS = {
    f"{policy}:covariance={covariance}": tuple(
        f"{policy}:covariance={covariance},exploration={strength}" for strength in strengths
    )
    for policy, strengths in STRENGTHS.items()
    for covariance in ("full", "diagonal")
}
"""Each policy at several strengths of exploration."""

EXTRA: dict[str, Experiment] = {
    each.name: each
    for each in (
        Experiment(
            "practical",
            DATA,
            EVERYONE,
            rounds=10_000,
            title="Mistakes with the practical encoding, every policy with its defaults",
        ),
        Experiment(
            "ordinal",
            tuple(f"{data}:encoding=paper" for data in DATA),
            (*EVERYONE, "npr:decay=0.25", "npr:decay=0.05"),
            rounds=10_000,
            seeds=(0, 1, 2),
            title="Mistakes with the paper's encoding, every policy with its defaults; NPR also "
            "with weaker decay",
        ),
        Experiment(
            "skyline",
            tuple(f"{data}:full_information=true" for data in DATA),
            ("npr",),
            rounds=10_000,
            title="Mistakes of NPR when the right class is revealed after each choice",
        ),
        Experiment(
            "fresh",
            ("h1:pool=none", "h2:pool=none"),
            (*NEURAL, *LINEAR, "uniform"),
            rounds=10_000,
            title="Regret when the arms are new in each round, every policy with its defaults",
        ),
        Experiment(
            "sweep",
            ("h1", "h2"),
            SWEPT,
            rounds=10_000,
            title="The value of pulling each arm once at first: policies with and without it, with "
            "their defaults",
        ),
        Experiment(
            "covariance",
            ("h1", "h2", "mushroom:encoding=paper", "shuttle:encoding=paper"),
            ("npr", *(policy for strengths in AT_STRENGTHS.values() for policy in strengths)),
            rounds=2_000,
            title="Full and diagonal covariance at the same strengths of exploration, not tuned",
        ),
        Experiment(
            "cells",
            ("letter:encoding=paper", "covertype:encoding=paper"),
            ("npr", *FULL, *DIAGONAL),
            rounds=10_000,
            seeds=(0,),
            title="Full covariance where the paper ran out of memory, networks 64 wide",
        ),
        Experiment(
            "cells-wide",
            ("h1", "h2", "lastfm", "delicious"),
            sized(("npr", *FULL, *DIAGONAL), "128"),
            rounds=4_000,
            seeds=(0,),
            title="Full covariance where the paper ran out of memory, networks 128 wide",
        ),
        Experiment(
            "ablation",
            ("h1", "mushroom", "magic", "adult"),
            ("npr", *ABLATIONS),
            rounds=10_000,
            seeds=(0, 1, 2),
            figure="changes",
            title="NPR with one thing changed at a time",
        ),
        Experiment(
            "field",
            STREAMS,
            (*NEURAL, *OWN_SCALE, "ucb1", "uniform", *VOWPAL),
            rounds=10_000,
            title="Regret on streams of applications, every policy with its defaults",
        ),
        Experiment(
            "field-offers",
            ("offers",),
            (*NEURAL, *OWN_SCALE, "uniform", *VOWPAL),
            rounds=10_000,
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
            title="Regret against compute: steps, batch and interval of NPR's updates",
        ),
    )
}
"""The experiments that are not in the paper, by name."""
