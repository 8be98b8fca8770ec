"""What an experiment came to, as far as it is known."""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from jostle.lab.results.manifest import Manifest
from jostle.lab.results.model import Broken, Comparison, Event, Run, Timed, thinned
from jostle.lab.spec.experiment import Experiment
from jostle.lab.spec.plan import Plan, Trial

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
        """One a panel."""
        self.sessions = list(sessions)
        """When, where and how long it was worked on."""
        self.folder = folder
        """Where it is kept, if it is."""
        self.broken: list[Broken] = []
        """The trials that raised errors, in this process."""
        for event in events:
            self.add(event)

    def add(self, event: Event) -> None:
        """Take note of news."""
        if isinstance(event, Broken):
            self.broken.append(event)
        if isinstance(event, Run):
            where = event.trial.environment, event.trial.policy
        elif isinstance(event, Timed):
            where = event.environment, event.policy
        else:
            return
        for comparison in self.comparisons:
            plan = comparison.plan
            if plan.environment == where[0] and where[1] in plan.policies:
                comparison.add(event)

    @property
    def plans(self) -> list[Plan]:
        """What each panel compares."""
        return [comparison.plan for comparison in self.comparisons]

    def runs(self) -> list[Run]:
        """All finished runs."""
        return [run for comparison in self.comparisons for run in comparison.runs]

    def trials(self) -> list[Trial]:
        """All trials: the first seed of every panel first, and what is dear last."""
        seeds = self.experiment.seeds
        trials = [(plan, trial) for plan in self.plans for trial in plan.trials()]
        trials.sort(key=lambda each: (each[1].policy in each[0].fewer, seeds.index(each[1].seed)))
        return [trial for _, trial in trials]

    def missing(self) -> list[Trial]:
        """The trials that were not finished."""
        return [trial for comparison in self.comparisons for trial in comparison.missing()]

    def alike(self, other: "Outcome") -> Iterator[Run]:
        """The runs that this one misses and ``other`` has, played in just the way it asks for."""
        missing = set(self.missing())
        for run in other.runs():
            trial = run.trial
            if trial in missing and self.manifest.deciding(trial) == other.manifest.deciding(trial):
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

    def table(self) -> "polars.DataFrame":
        """A row for each policy on each environment, the best first: mean, error, rank, times."""
        import polars

        from jostle.lab.analysis.ranking import rows

        return polars.DataFrame(
            [
                {"environment": comparison.plan.environment, **row._asdict()}
                for comparison in self.comparisons
                for row in rows(comparison)
            ]
        )

    def plot(self) -> Any:
        """The figure, as Matplotlib's; a notebook shows it."""
        from jostle.lab.render.figures.draw import draw

        return draw(self)

    def _repr_html_(self) -> str:
        return self.table()._repr_html_()

    def __repr__(self) -> str:
        done, all_trials = len(self.runs()), len(self.trials())
        return f"Outcome({self.experiment.name!r}, {done} of {all_trials} runs)"
