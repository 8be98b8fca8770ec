"""The results of an experiment in memory: finished runs, timings and errors, panel by panel."""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from jostle.lab.results.manifest import Manifest
from jostle.lab.results.model import Broken, Comparison, Event, Run, Timed, thinned
from jostle.lab.spec.experiment import Experiment
from jostle.lab.spec.plan import Plan, Timing, Trial

if TYPE_CHECKING:
    import polars


class Outcome:
    """An experiment, its manifest, and a comparison for each of its panels."""

    def __init__(
        self,
        manifest: Manifest,
        events: Iterable[Event] = (),
        sessions: Iterable[dict[str, Any]] = (),
        folder: Path | None = None,
    ):
        self.manifest = manifest
        self.experiment: Experiment = manifest.experiment
        self.comparisons = [Comparison(plan) for plan in manifest.plans]
        """One per panel."""
        self.sessions = list(sessions)
        """When, where and for how long the experiment was run."""
        self.folder = folder
        """The folder that holds the results, if any."""
        self.broken: list[Broken] = []
        """The trials that raised errors in this process."""
        for event in events:
            self.add(event)

    def add(self, event: Event) -> None:
        """Add a finished run, a timing or an error."""
        if isinstance(event, Broken):
            self.broken.append(event)
        for comparison in self.comparisons:
            if _belongs(event, comparison.plan):
                comparison.add(event)

    @property
    def plans(self) -> list[Plan]:
        """The plan of each panel."""
        return [comparison.plan for comparison in self.comparisons]

    def runs(self) -> list[Run]:
        """All finished runs, each once, though several panels may show it."""
        runs = [run for comparison in self.comparisons for run in comparison.runs]
        return list({run.trial: run for run in runs}.values())

    def trials(self) -> list[Trial]:
        """All trials: the first seed of every panel first, the most expensive policies last."""
        seeds = self.experiment.seeds
        trials = [(plan, trial) for plan in self.plans for trial in plan.trials()]
        trials.sort(key=lambda each: (each[1].policy in each[0].fewer, seeds.index(each[1].seed)))
        return list(dict.fromkeys(trial for _, trial in trials))

    def missing(self) -> list[Trial]:
        """The trials that are not finished."""
        missing = [trial for comparison in self.comparisons for trial in comparison.missing()]
        return list(dict.fromkeys(missing))

    def untimed(self) -> list[Timing]:
        """What still has to be timed: one trial of each policy, after as many rounds as asked."""
        if not self.experiment.times:
            return []
        untimed = [
            Timing(Trial(plan.environment, policy, plan.rounds, plan.seeds[0]), plan.timed_after)
            for comparison in self.comparisons
            for plan in [comparison.plan]
            for policy in plan.policies
            if policy not in comparison.times
        ]
        return list(dict.fromkeys(untimed))

    @property
    def finished(self) -> bool:
        """Whether nothing is left to play or to time."""
        return not self.missing() and not self.untimed()

    def reusable(self, other: "Outcome") -> Iterator[Run]:
        """The runs of ``other`` that are missing here and were played exactly as they would be.

        Settings, tuning and the behaviour of the code must all be the same.
        """
        missing = set(self.missing())
        for run in other.runs():
            trial = run.trial
            if (
                trial in missing
                and self.manifest.deciding(trial) == other.manifest.deciding(trial)
                and run.behaviour == self.manifest.behaviour_of(trial)
            ):
                yield run

    def frame(self) -> "polars.DataFrame":
        """Every point of every curve: environment, policy, seed, round, regret, reward."""
        import polars

        columns: dict[str, list[Any]] = {
            name: [] for name in ("environment", "policy", "seed", "round", "regret", "reward")
        }
        for run in sorted(self.runs(), key=lambda run: run.trial):
            trial, points = run.trial, thinned(run.trial.rounds)
            columns["environment"] += [trial.environment] * len(points)
            columns["policy"] += [trial.policy] * len(points)
            columns["seed"] += [trial.seed] * len(points)
            columns["round"] += points.tolist()
            columns["regret"] += run.regrets.tolist()
            columns["reward"] += run.rewards.tolist()
        return polars.DataFrame(columns)

    def __repr__(self) -> str:
        done, trials = len(self.runs()), len(self.trials())
        return f"{type(self).__name__}({self.experiment.name!r}, {done} of {trials} runs)"


def _belongs(event: Event, plan: Plan) -> bool:
    """Whether a panel shows this run or timing."""
    if isinstance(event, Run):
        return event.trial.environment == plan.environment and event.trial.policy in plan.policies
    if isinstance(event, Timed):
        where = event.environment, event.after
        return where == (plan.environment, plan.timed_after) and event.policy in plan.policies
    return False
