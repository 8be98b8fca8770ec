"""The kinds of figure an experiment can ask for, and what each one needs from a run.

``FIGURE_KINDS`` is the one place where a kind is found by its name. The rest of the laboratory asks
the record (``experiment.kind.played``) and never compares names; how a kind is drawn is attached to
the same names in ``lab.render``.
"""

from dataclasses import dataclass


@dataclass(frozen=True)
class FigureKind:
    """What running an experiment has to know about its figure."""

    name: str
    """As written in ``figure = "..."``."""
    description: str
    played: bool = True
    """Whether trials are played; otherwise the environments are only described."""
    tuned: bool = False
    """Whether profiles tune the policies: they do where final performance is compared."""
    timed: bool = False
    """Whether it shows the time of choosing and of learning."""
    over_sizes: bool = False
    """Whether it needs ``sizes``, one panel per size."""


FIGURE_KINDS: dict[str, FigureKind] = {
    kind.name: kind
    for kind in (
        FigureKind(
            "curves",
            "the measure, round by round, with bands of one standard error",
            tuned=True,
        ),
        FigureKind("front", "the final value of the measure against the time per round"),
        FigureKind("changes", "how each policy differs from the first at the end, with intervals"),
        FigureKind("bars", "the time of choosing and of learning", timed=True),
        FigureKind(
            "growth",
            "the time of choosing and of learning as a size grows",
            timed=True,
            over_sizes=True,
        ),
        FigureKind("statistics", "a table of the environments; nothing is played", played=False),
    )
}
"""Every kind of figure, by name."""
