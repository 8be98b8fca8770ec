"""The laboratory from a notebook or a script: ``run``, ``read`` and the ``Results`` they return."""

import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from jostle.lab.results import folder as folders
from jostle.lab.results.outcome import Outcome
from jostle.lab.spec.experiment import Experiment
from jostle.lab.spec.registry import find

if TYPE_CHECKING:
    import polars
    from matplotlib.figure import Figure

    from jostle.lab.running.progress import Display


class Results(Outcome):
    """The results of an experiment with a table and a figure; a notebook shows the table."""

    @classmethod
    def of(cls, outcome: Outcome) -> Self:
        """The same results, ready to be shown."""
        made = cls(outcome.manifest, sessions=outcome.sessions, folder=outcome.folder)
        made.comparisons, made.broken = outcome.comparisons, outcome.broken
        return made

    def table(self) -> "polars.DataFrame":
        """One row per policy and environment, best first: mean, error, rank, times."""
        import polars

        from jostle.lab.analysis.ranking import rows

        return polars.DataFrame(
            [
                {"environment": comparison.plan.environment, **row._asdict()}
                for comparison in self.comparisons
                for row in rows(comparison)
            ]
        )

    def plot(self) -> "Figure":
        """The figure, as a Matplotlib figure."""
        from jostle.lab.render.figures.draw import draw

        figure: Figure = draw(self)
        return figure

    def _repr_html_(self) -> str:
        return self.table()._repr_html_()


def run(
    experiment: Experiment | Mapping[str, Any] | str | None = None,
    *,
    folder: str | Path | None = None,
    jobs: int | None = None,
    engine: str = "local",
    address: str | None = None,
    renew: bool = False,
    **fields: Any,
) -> Results:
    """Run an experiment and return its results.

    Arguments:
        experiment: an ``Experiment``, a mapping of its fields, the name of one of the paper's
            figures, or the path of a TOML file. Or pass the fields themselves:
            ``run(environments=["h1"], policies=["npr", "lin-ucb"], rounds=500, seeds=3)``.
        folder: the folder of the results, by default ``runs/NAME``. The same experiment in the
            same folder continues where it stopped.
        jobs: the number of worker processes; by default one per core.
        engine: "local" or "ray".
        address: the address of a Ray cluster.
        renew: if the folder holds another version of the experiment, keep the runs that both have
            in common and delete the others, rather than refuse the folder.
        fields: fields of the experiment that replace its own.
    """
    from jostle.lab.running.engine import Engine
    from jostle.lab.running.prepare import prepare
    from jostle.lab.running.runner import perform

    chosen = _experiment(experiment, fields)
    where = Path(folder) if folder is not None else Path("runs") / chosen.name
    workers = Engine(engine, jobs, address)
    outcome = perform(
        prepare(chosen, skip=_warn_skipped), where, engine=workers, renew=renew, show=_bars
    )
    for broken in outcome.broken:
        message = f"{broken.trial.policy} on {broken.trial.environment}: {broken.message}"
        warnings.warn(message, RuntimeWarning, stacklevel=2)
    return Results.of(outcome)


def read(folder: str | Path) -> Results:
    """Read the results in a folder, finished or not."""
    return Results.of(folders.read(Path(folder)))


def _experiment(given: Any, fields: dict[str, Any]) -> Experiment:
    if given is None:
        return Experiment.from_mapping({"name": "experiment", **fields})
    if isinstance(given, Mapping):
        return Experiment.from_mapping({**given, **fields})
    if isinstance(given, str | Path):
        given = find(str(given))
    if not isinstance(given, Experiment):
        raise TypeError(f"experiment must be an Experiment, a mapping or a name, not {given!r}")
    return given.replace(**fields)


def _warn_skipped(policy: str, reason: str) -> None:
    warnings.warn(f"{policy} is skipped: {reason}", RuntimeWarning, stacklevel=4)


def _bars(outcome: Outcome) -> "Display":
    """Bars if there is a notebook or a terminal to show them."""
    from rich.console import Console

    from jostle.lab.running.progress import Bars, Quiet

    console = Console()
    return Bars(console, outcome) if console.is_terminal or console.is_jupyter else Quiet(outcome)
