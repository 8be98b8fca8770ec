"""An experiment from its description to its results, in a folder that can be taken up again."""

import time
import warnings
from collections.abc import Callable, Iterable, Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

from jostle.lab.results.folder import Store, read, session
from jostle.lab.results.manifest import Manifest
from jostle.lab.results.model import Run, Timed
from jostle.lab.results.outcome import Outcome
from jostle.lab.running.dispatch import compare
from jostle.lab.running.engine import Engine
from jostle.lab.running.prepare import Panels, prepare
from jostle.lab.running.progress import Bars, Display, Quiet
from jostle.lab.running.reuse import found_elsewhere
from jostle.lab.running.status import Heartbeat
from jostle.lab.spec.experiment import Experiment
from jostle.lab.spec.plan import Trial


def perform(
    experiment: Experiment,
    folder: Path,
    *,
    panels: Panels | None = None,
    engine: Engine | None = None,
    command: str = "jostle.lab.run",
    others: Iterable[Path] = (),
    renew: bool = False,
    show: Callable[[Outcome], Display] = Quiet,
) -> Outcome:
    """Play what is missing of an experiment in ``folder`` and return all there is then.

    Trials that an experiment in one of the folders ``others`` has played in just the same way are
    taken from there. If ``folder`` holds another form of the experiment it is refused, unless
    ``renew`` has it keep the trials that both have in common. ``show`` makes a display of the
    outcome as it stands, which is then told the news. Whatever raises or interrupts, the trials
    finished by then are in the folder.
    """
    panels = panels or prepare(experiment)
    with Store(folder, Manifest.of(experiment, panels), renew) as store:
        outcome = read(folder)
        taken = list(found_elsewhere(outcome, others))
        for run in taken:
            store.add(run)
            outcome.add(run)
        missing, untimed = _in_order(outcome), _untimed(outcome)
        if taken or missing or untimed:
            engine = engine or Engine()
            started = time.perf_counter()
            note = session(command, engine.name, engine.count(len(missing)), taken=len(taken))
            try:
                if missing or untimed:
                    _play(outcome, store, engine, show(outcome), note, missing, untimed)
            finally:
                note["seconds"] = time.perf_counter() - started
                store.keep_session(note)
                outcome.sessions.append(note)
        if not outcome.missing():
            store.compact()
    return outcome


def _play(
    outcome: Outcome,
    store: Store,
    engine: Engine,
    display: Display,
    note: dict[str, Any],
    missing: list[Trial],
    untimed: list[Trial],
) -> None:
    """Play trials and measure times, each kept as soon as it is known."""
    heartbeat = Heartbeat(store, outcome)
    tuning = outcome.experiment.tuning
    with (
        engine.workers(len(missing)) as workers,
        closing(compare(missing, workers, tuning=tuning, timed=untimed)) as events,
        display as shown,
    ):
        for event in events:
            if isinstance(event, Run):
                store.add(event)
                note["trials"] += 1
            outcome.add(event)
            if isinstance(event, Timed):
                store.keep_times(outcome)
            heartbeat.take(event)
            shown.show(event)


def run(
    experiment: Experiment | Mapping[str, Any] | str | None = None,
    *,
    folder: str | Path | None = None,
    jobs: int | None = None,
    engine: str = "local",
    address: str | None = None,
    renew: bool = False,
    **fields: Any,
) -> Outcome:
    """Run an experiment, from a notebook or a script.

    Arguments:
        experiment: an ``Experiment``, a mapping of its fields, the name of one of the paper's
            figures, or the path of a TOML file. Or give the fields themselves:
            ``run(environments=["h1"], policies=["npr", "lin-ucb"], rounds=500, seeds=3)``.
        folder: where to keep it; the same experiment in the same folder goes on where it stopped.
            By default ``runs/NAME``.
        jobs: worker processes; one a core by default.
        engine: "local" or "ray".
        address: of a Ray cluster.
        renew: if the folder holds the experiment in another form, keep the runs that both forms
            have in common and let go of the rest, rather than refuse.
        fields: fields of the experiment, in place of those it has.
    """
    chosen = _experiment(experiment, fields)
    where = Path(folder) if folder is not None else Path("runs") / chosen.name
    outcome = perform(chosen, where, engine=Engine(engine, jobs, address), renew=renew, show=_bars)
    for broken in outcome.broken:
        told = f"{broken.trial.policy} on {broken.trial.environment}: {broken.message}"
        warnings.warn(told, RuntimeWarning, stacklevel=2)
    return outcome


def _experiment(given: Any, fields: dict[str, Any]) -> Experiment:
    if given is None:
        return Experiment.from_mapping({"name": "experiment", **fields})
    if isinstance(given, Mapping):
        return Experiment.from_mapping({**given, **fields})
    if isinstance(given, str | Path):
        from jostle.lab.spec.registry import find

        given = find(str(given))
    if not isinstance(given, Experiment):
        raise TypeError(f"experiment must be an Experiment, a mapping or a name, not {given!r}")
    return given.replace(**fields)


def _bars(outcome: Outcome) -> Display:
    """Bars where there is a notebook or a terminal to show them."""
    from rich.console import Console

    console = Console()
    return Bars(console, outcome) if console.is_terminal or console.is_jupyter else Quiet(outcome)


def _in_order(outcome: Outcome) -> list[Trial]:
    """What is missing, seed by seed."""
    missing = set(outcome.missing())
    return [trial for trial in outcome.trials() if trial in missing]


def _untimed(outcome: Outcome) -> list[Trial]:
    """A trial of each policy that is yet to be timed."""
    if not outcome.experiment.times:
        return []
    first = outcome.experiment.seeds[0]
    return [
        Trial(plan.environment, policy, plan.rounds, first)
        for comparison in outcome.comparisons
        for plan in [comparison.plan]
        for policy in plan.policies
        if policy not in comparison.times
    ]
