"""NPR on data sets beside the best other policy, full information, and published results."""

from collections.abc import Mapping
from typing import NamedTuple

from jostle.lab.analysis.ranking import Row, rows
from jostle.lab.results.outcome import Outcome

PUBLISHED = {"mushroom": 69, "shuttle": 170, "magic": 1590, "adult": 1560, "covertype": 3480}
"""The fewest mistakes that we have found published, in as many rounds; none for letter."""


class PublishedLine(NamedTuple):
    """One data set, with the practical encoding and every policy's defaults."""

    data_set: str
    npr: Row
    best_other: Row
    full_information: Row | None
    """NPR when the right class is revealed after each choice."""
    published: int | None


def published_lines(results: Mapping[str, Outcome]) -> list[PublishedLine]:
    """A line for each data set of the experiment ``practical``, with ``skyline`` if it is there."""
    if "practical" not in results:
        return []
    revealed = _by_data_set(results["skyline"]) if "skyline" in results else {}
    found = []
    for comparison in results["practical"].comparisons:
        ranked, name = rows(comparison), comparison.plan.environment
        npr = next((row for row in ranked if row.policy == "npr"), None)
        others = [row for row in ranked if row.policy != "npr"]
        if npr is not None and others:
            found.append(
                PublishedLine(name, npr, others[0], revealed.get(name), PUBLISHED.get(name))
            )
    return found


def _by_data_set(outcome: Outcome) -> dict[str, Row]:
    """The best row of each comparison, by the name of the data set without its settings."""
    return {
        comparison.plan.environment.partition(":")[0]: rows(comparison)[0]
        for comparison in outcome.comparisons
        if comparison.runs
    }
