"""The two forms in which the paper's figures are played: their policies, experiments and tests."""

from dataclasses import dataclass

from jostle.lab.analysis.claim_tests import Behind, NotBehind, Sublinear, Varies, Where
from jostle.lab.spec.paper import JOSTLE, MINIBATCH, as_in_the_paper

PAPER_FORMS, JOSTLE_FORMS = "the paper's forms", "jostle's forms"


def form(name: str, paper: bool, figure: str) -> str:
    """The name of a policy as a figure plays it, in the paper's form or in jostle's."""
    if not paper:
        return name
    pooled = figure.startswith(("fig1", "fig4", "fig5"))
    return as_in_the_paper([name], "" if pooled else MINIBATCH)[0]


@dataclass(frozen=True)
class Forms:
    """Tests on the figures as they are played in one of the two forms."""

    paper: bool

    def where(self, figure: str, panel: int = 0) -> Where:
        """The experiment that plays a figure in these forms."""
        return Where(figure if self.paper else figure + JOSTLE, panel)

    def behind(self, figure: str, policy: str, other: str, factor: float = 1.1) -> Behind:
        """One policy is behind another."""
        return Behind(self.where(figure), *self._pair(figure, policy, other), factor)

    def not_behind(
        self, figure: str, policy: str, other: str, factor: float = 1.1, at: float = 1.0
    ) -> NotBehind:
        """One policy is not behind another."""
        return NotBehind(self.where(figure), *self._pair(figure, policy, other), factor, at=at)

    def varies(self, figure: str, policy: str, other: str) -> Varies:
        """One policy varies more than another."""
        return Varies(self.where(figure), *self._pair(figure, policy, other))

    def worse_with_all_shown(self, figure: str, policy: str) -> Behind:
        """A policy is worse in the figure's second panel than in its first."""
        name = form(policy, self.paper, figure)
        return Behind(self.where(figure, 1), name, name, 1.0, self.where(figure, 0))

    def sublinear(self, figure: str, policy: str) -> Sublinear:
        """The regret of a policy grows more slowly than the rounds."""
        return Sublinear(self.where(figure), form(policy, self.paper, figure))

    def _pair(self, figure: str, policy: str, other: str) -> tuple[str, str]:
        return form(policy, self.paper, figure), form(other, self.paper, figure)
