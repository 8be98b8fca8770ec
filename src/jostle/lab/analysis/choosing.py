"""Which policy suits which stream, by the committed results: the data of a decision table."""

from collections.abc import Mapping
from typing import NamedTuple

from jostle.core.grammar import parse
from jostle.lab.analysis.intervals import FEWEST_SEEDS, difference_of, final_values
from jostle.lab.analysis.ranking import Row, rows
from jostle.lab.results.model import Comparison
from jostle.lab.results.outcome import Outcome

NOT_OURS = ("vw", "uniform")
"""What nobody would choose here: other libraries' explorers, and chance."""
CLOSE = 1.1
"""Without enough seeds, policies within this factor of the lowest mean are named beside it."""


class Situation(NamedTuple):
    """A question that a reader may have, and the experiments that answer it."""

    text: str
    environment: str
    experiments: tuple[str, ...]


FIELD = ("field", "field-others")
SITUATIONS = (
    Situation("plain actions, users with features, rare rewards", "clicks", FIELD),
    Situation("the same, with amounts that have heavy tails", "purchases", FIELD),
    Situation("actions that arrive and leave", "arrivals", FIELD),
    Situation("items that never come back, described by features", "offers", ("field-offers",)),
    Situation("rates that change at once", "drift", FIELD),
    Situation("rates that change gradually", "drift:kind=gradual", FIELD),
    Situation("rates that change with the season", "drift:kind=seasons", FIELD),
    Situation("two actions without any features", "coins", FIELD),
    Situation("eleven actions without features, much noise", "noise", FIELD),
    Situation("rewards in the hundreds", "scale", FIELD),
    Situation("a mistake is expensive", "eat", FIELD),
    Situation("a large reward in three quarters of the contexts", "wheel:delta=0.5", FIELD),
    Situation("a large reward in a tenth of the contexts", "wheel:delta=0.95", FIELD),
    Situation("classes that are nearly a linear function", "adult", ("practical",)),
    Situation("many classes, not linear", "letter", ("practical",)),
    Situation("a fixed catalogue of 100 items, met again and again", "h1", ("sweep",)),
    Situation("new items each round, not linear", "h1:pool=none", ("fresh",)),
)


class Advice(NamedTuple):
    """What the runs say about a situation."""

    situation: Situation
    experiment: str
    best: Row
    beside: tuple[Row, ...]
    """Those that the seeds do not tell from the best; with too few seeds, those close to it."""
    tested: bool
    """Whether there were enough shared seeds to tell."""
    chance: Row | None
    """Uniform choices."""


def advice(results: Mapping[str, Outcome]) -> list[Advice]:
    """What can be said about each situation that was played."""
    found = [_advice(each, results) for each in SITUATIONS]
    return [each for each in found if each is not None]


def _advice(situation: Situation, results: Mapping[str, Outcome]) -> Advice | None:
    panels = [
        (name, panel)
        for name in situation.experiments
        if name in results
        for panel in results[name].comparisons
        if panel.plan.environment == situation.environment
    ]
    ranked: dict[str, tuple[Row, Comparison]] = {}
    chance = None
    for _, panel in panels:
        for row in rows(panel):
            if row.policy == "uniform":
                chance = row
            elif parse(row.policy).name.partition(".")[0] not in NOT_OURS:
                ranked.setdefault(row.policy, (row, panel))
    if len(ranked) < 2:
        return None
    best, home = min(ranked.values(), key=lambda each: each[0].mean)
    beside, tested = [], best.runs >= FEWEST_SEEDS
    for row, panel in sorted(ranked.values(), key=lambda each: each[0].mean):
        if row is best:
            continue
        paired = difference_of(final_values(panel, row.policy), final_values(home, best.policy))
        near = row.mean <= CLOSE * best.mean if paired is None else not paired.significant
        if near:
            beside.append(row)
    return Advice(situation, panels[0][0], best, tuple(beside), tested, chance)
