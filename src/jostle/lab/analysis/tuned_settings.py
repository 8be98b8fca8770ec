"""The settings that tuning chose, the candidates it chose from, and the rounds that it took."""

from collections import Counter
from collections.abc import Mapping
from typing import NamedTuple

from jostle.lab.results.model import Comparison


class TunedPolicy(NamedTuple):
    """What tuning did for one policy on one environment, over all seeds."""

    policy: str
    chosen: list[tuple[Mapping[str, float], int]]
    """Settings and how many seeds chose them, the most frequent first. Empty: as named."""
    candidates: int
    diverged: float
    """The mean number of candidates, per seed, whose parameters did not stay finite."""
    tuning_rounds: int
    """Rounds that candidates played while they were compared."""
    all_rounds: int
    """Those and all others: what the runs took in all."""


def tuned_policies(comparison: Comparison) -> list[TunedPolicy]:
    """One for each policy with a finished run, in the order of the plan."""
    found = []
    for policy in comparison.plan.policies:
        runs = comparison.of(policy)
        if not runs:
            continue
        counts = Counter(tuple(run.settings.items()) for run in runs)
        tuning = sum(each.rounds for run in runs for each in run.candidates)
        # The chosen candidate was compared to the last, and plays on from there.
        further = sum(
            run.trial.rounds - max((each.rounds for each in run.candidates), default=0)
            for run in runs
        )
        found.append(
            TunedPolicy(
                policy,
                [(dict(settings), count) for settings, count in counts.most_common()],
                max(len(run.candidates) for run in runs),
                sum(each.diverged for run in runs for each in run.candidates) / len(runs),
                tuning,
                tuning + further,
            )
        )
    return found
