"""The paper's figures in both forms: what was played of each, and how they differ in results."""

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from jostle.lab.analysis.intervals import PairedDifference, difference_of, final_values
from jostle.lab.analysis.paper_forms import form
from jostle.lab.analysis.ranking import Row, rows
from jostle.lab.results.model import Comparison
from jostle.lab.results.outcome import Outcome
from jostle.lab.spec.paper import JOSTLE, MINIBATCH, PAPER
from jostle.lab.spec.profiles import with_profile

IN_TWO_FORMS = tuple(name for name in PAPER if name + JOSTLE in PAPER)
"""The figures that exist in the paper's forms and in jostle's."""


class TwoForms(NamedTuple):
    """A figure of the paper in both forms; what was not played is None."""

    figure: str
    paper: Outcome | None
    jostle: Outcome | None

    @property
    def title(self) -> str:
        """The title of the figure."""
        return PAPER[self.figure].title

    @property
    def by_minibatches(self) -> bool:
        """Whether the paper's networks are fitted by mini-batches, and not by the whole history."""
        return any(MINIBATCH in policy for policy in PAPER[self.figure].policies)

    @property
    def by_protocol(self) -> bool:
        """Whether the paper's forms are played by the paper's protocol, finished or not."""
        if self.paper is None:
            return False
        asked, played = with_profile(PAPER[self.figure], "paper"), self.paper.experiment
        return (played.tuning, played.rounds, played.seeds) == (
            asked.tuning,
            asked.rounds,
            asked.seeds,
        )


class FormDifference(NamedTuple):
    """One algorithm in both forms, on one environment."""

    paper: Row
    jostle: Row
    paired: PairedDifference | None
    """Jostle's form minus the paper's on the seeds that both have, if these are enough."""
    settings: tuple[Mapping[str, Any], Mapping[str, Any]]
    """All settings of the paper's form, and of jostle's."""

    @property
    def same_policy(self) -> bool:
        """Whether the algorithm has only one form, so that only tuning and seeds can differ."""
        return self.paper.policy == self.jostle.policy


def two_forms(outcomes: Iterable[Outcome]) -> list[TwoForms]:
    """The figures that were played in either form."""
    by_name = {outcome.experiment.name: outcome for outcome in outcomes}
    return [
        TwoForms(name, by_name.get(name), by_name.get(name + JOSTLE))
        for name in IN_TWO_FORMS
        if name in by_name or name + JOSTLE in by_name
    ]


def form_differences(figure: TwoForms) -> dict[str, list[FormDifference]]:
    """Every algorithm that has finished runs in both forms, by environment.

    An environment that was played for another number of rounds cannot be compared.
    """
    if figure.paper is None or figure.jostle is None:
        return {}
    theirs = {panel.plan.environment: panel for panel in figure.paper.comparisons}
    found = {}
    for ours in figure.jostle.comparisons:
        panel = theirs.get(ours.plan.environment)
        if panel is not None and panel.plan.rounds == ours.plan.rounds:
            found[ours.plan.environment] = _differences(figure, panel, ours)
    return {environment: each for environment, each in found.items() if each}


def _differences(figure: TwoForms, paper: Comparison, jostle: Comparison) -> list[FormDifference]:
    assert figure.paper is not None
    assert figure.jostle is not None
    environment = jostle.plan.environment
    theirs, ours = ({row.policy: row for row in rows(panel)} for panel in (paper, jostle))
    found = []
    for policy in jostle.plan.policies:
        name = form(policy, True, figure.figure)
        if name in theirs and policy in ours:
            values = final_values(jostle, policy), final_values(paper, name)
            settings = (
                figure.paper.manifest.policies[environment][name],
                figure.jostle.manifest.policies[environment][policy],
            )
            found.append(
                FormDifference(theirs[name], ours[policy], difference_of(*values), settings)
            )
    return found
