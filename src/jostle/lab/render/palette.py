"""A colour and a dash for each policy, the same in every figure and safe for colour blindness."""

import zlib
from collections.abc import Sequence
from typing import NamedTuple

# Colour-blind-safe colours of Okabe and Ito and of Paul Tol that show on white and on black.
COLOURS = (
    "#0072B2",
    "#E69F00",
    "#009E73",
    "#D55E00",
    "#CC79A7",
    "#56B4E9",
    "#999933",
    "#AA4499",
    "#44AA99",
    "#CC6677",
)
DASHES: tuple[tuple[int, ...], ...] = ((), (6, 2), (2, 2), (7, 2, 2, 2))

GREY = "#888888"
FIXED = {
    "npr": COLOURS[0],
    "epsilon-greedy": COLOURS[1],
    "lin-ucb": COLOURS[2],
    "neural-ucb": COLOURS[3],
    "neural-ts": COLOURS[4],
    "lin-ts": COLOURS[5],
    "lin-fpl": COLOURS[6],
    "falcon": COLOURS[7],
    "hlin-ucb": COLOURS[8],
    "ucb1": COLOURS[9],
    "neural-linear": "#332288",
    "ntk-perturbed": "#882255",
    "uniform": GREY,
}
"""The colours of the policies of the library."""


class Stroke(NamedTuple):
    """How a line is drawn."""

    colour: str
    dash: tuple[int, ...]


def strokes(policies: Sequence[str]) -> dict[str, Stroke]:
    """A stroke for each policy, all different.

    Policies of the library have colours of their own, and their variants differ by dash. For
    others the colour follows from the name, with a dash where that stroke is taken.
    """
    found: dict[str, Stroke] = {}
    for policy in sorted(policies, key=lambda name: (name not in FIXED, name)):
        if policy in FIXED:
            found[policy] = Stroke(FIXED[policy], ())
            continue
        base = policy.partition(":")[0].partition(".")[0]
        start = COLOURS.index(FIXED[base]) if FIXED.get(base) in COLOURS else _number(policy)
        same_colour = [Stroke(COLOURS[start], dash) for dash in DASHES] if base in FIXED else []
        preferred = same_colour + [
            Stroke(COLOURS[(start + step) % len(COLOURS)], dash)
            for dash in DASHES
            for step in range(len(COLOURS))
        ]
        taken = set(found.values())
        found[policy] = next((each for each in preferred if each not in taken), preferred[0])
    return found


def _number(name: str) -> int:
    return zlib.crc32(name.encode()) % len(COLOURS)
