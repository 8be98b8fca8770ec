"""Experiments past the paper: the practical encoding, an ablation, regret against compute."""

from jostle.lab.experiment import Experiment

DATA = ("mushroom", "shuttle", "magic", "adult", "covertype", "letter")
CHANGES = (
    "npr:linear=false",
    "npr:decay=0",
    "npr:average=0",
    "npr:noise=0",
    "npr:noise=0.3",
    "npr:steps=3",
    "npr:steps=30",
    "npr:batch=16",
    "npr:batch=256",
    "npr:width=32",
    "npr:width=128",
)
FRONT = (
    "npr",
    "npr:steps=1",
    "npr:steps=3",
    "npr:steps=30",
    "npr:batch=16",
    "npr:batch=256",
    "npr:every=4",
    "npr:every=16",
)

BEYOND: dict[str, Experiment] = {
    each.name: each
    for each in (
        Experiment(
            "practical",
            DATA,
            ("npr", "epsilon-greedy", "falcon", "neural-ucb", "neural-ts", "lin-ucb", "lin-ts"),
            rounds=10_000,
            title="Mistakes with the practical encoding, every policy with its defaults",
        ),
        Experiment(
            "ablation",
            ("h1", "mushroom", "magic", "adult"),
            ("npr", *CHANGES),
            rounds=10_000,
            title="NPR with one thing changed at a time",
        ),
        Experiment(
            "front",
            ("h1", "mushroom", "shuttle"),
            FRONT,
            rounds=10_000,
            title="Regret against compute: steps, batch and interval of NPR's updates",
        ),
    )
}
"""Experiments of our own, by name."""
