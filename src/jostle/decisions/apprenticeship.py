"""What an apprentice would have done, and what that would have earned."""

from typing import Any, NamedTuple


class Report(NamedTuple):
    """How a policy compares with the baseline whose decisions it has watched."""

    decisions: int
    """Closed decisions with a reward."""
    agreement: float
    """How often the policy would have taken the baseline's action."""
    baseline_value: float
    """The mean reward of the baseline."""
    policy_value: float
    """The estimated mean reward of the policy; NaN if it never agreed.

    The mean of the baseline's rewards weighted by how likely the policy was to take the same
    action, over how likely the baseline was to (self-normalised importance weighting). It is only
    unbiased in the long run if the baseline is randomised and its probabilities are passed.
    Without them it is the mean reward where both agree, which favours whoever agrees on the easy
    cases.
    """
    effective_size: float
    """How many decisions of equal weight the estimate is worth: (sum of weights)^2 / sum of their
    squares. Do not trust an estimate that is worth less than some hundreds."""


class Apprenticeship:
    """Sums over closed decisions, updated one by one."""

    FIELDS = ("decisions", "agreement", "reward", "weight", "weighted", "squared")

    def __init__(self) -> None:
        self._sums = dict.fromkeys(self.FIELDS, 0.0)

    def add(self, agreement: float, probability: float | None, reward: float) -> None:
        """One closed decision.

        Arguments:
            agreement: the probability with which the policy would have taken the action.
            probability: that of the baseline; None if it is not known.
            reward: of the action.
        """
        weight = agreement / (1.0 if probability is None else probability)
        changes = (1.0, agreement, reward, weight, weight * reward, weight**2)
        for name, change in zip(self.FIELDS, changes, strict=True):
            self._sums[name] += change

    def report(self) -> Report:
        """The comparison so far."""
        n, agreement, reward, weight, weighted, squared = (self._sums[name] for name in self.FIELDS)
        many, nan = max(n, 1.0), float("nan")
        return Report(
            int(n),
            agreement / many if n else nan,
            reward / many if n else nan,
            weighted / weight if weight else nan,
            weight**2 / squared if weight else 0.0,
        )

    def as_data(self) -> dict[str, Any]:
        """For a file."""
        return self._sums

    def load(self, data: dict[str, float]) -> None:
        """Take what ``as_data`` returned."""
        self._sums = dict(data)
