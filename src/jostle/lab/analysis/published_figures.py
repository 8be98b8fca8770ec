"""NPR on data sets beside the best other policy, full information, and published results."""

from collections.abc import Mapping
from typing import NamedTuple

from jostle.lab.analysis.intervals import PairedDifference, difference_of, final_values
from jostle.lab.analysis.ranking import Row, rows
from jostle.lab.results.outcome import Outcome

NPR = "npr.descent"


class Published(NamedTuple):
    """A result that others have published."""

    mistakes: float
    rounds: int
    source: str


_BFTS = (
    "BFTS in R. Deng, B. Chakraborty, R. Chen and Y. S. Tan, BFTS: Thompson Sampling with Bayesian "
    "Additive Regression Trees, arXiv:2602.07767, 2026, as listed on "
    "https://www.wizwand.com/paper/698abbfec97a0b3e3b5de2d9"
)
PUBLISHED = {
    "mushroom": Published(53.9, 8_124, _BFTS),
    "shuttle": Published(106.9, 10_000, _BFTS),
    "adult": Published(1_540, 10_000, _BFTS),
}
"""The fewest mistakes for which we know a source that states the rounds.

We have read the listing, not the paper's own table, and know neither its number nor the encoding of
the features. The listing rounds to three digits.
"""


class PublishedLine(NamedTuple):
    """One data set, with the practical encoding and every policy's defaults."""

    data_set: str
    npr: Row
    best_other: Row
    full_information: Row | None
    """NPR when the right class is revealed after each choice."""
    spared: PairedDifference | None
    """NPR with full information minus NPR, seed by seed: what exploring costs it, below 0."""
    published: Published | None


def published_lines(results: Mapping[str, Outcome]) -> list[PublishedLine]:
    """A line for each data set of the experiment ``practical``, with ``skyline`` if it is there."""
    if "practical" not in results:
        return []
    skyline = results["skyline"].comparisons if "skyline" in results else []
    revealed = {each.plan.environment.partition(":")[0]: each for each in skyline if each.of(NPR)}
    found = []
    for comparison in results["practical"].comparisons:
        ranked, name = rows(comparison), comparison.plan.environment
        npr = next((row for row in ranked if row.policy == NPR), None)
        others = [row for row in ranked if row.policy != NPR]
        if npr is None or not others:
            continue
        told, spared = None, None
        if name in revealed:
            told = next(row for row in rows(revealed[name]) if row.policy == NPR)
            spared = difference_of(final_values(revealed[name], NPR), final_values(comparison, NPR))
        found.append(PublishedLine(name, npr, others[0], told, spared, PUBLISHED.get(name)))
    return found
