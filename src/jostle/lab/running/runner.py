"""Run an experiment in a folder: play what is missing and save each trial as it finishes."""

import time
from collections.abc import Callable, Iterable, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

from jostle.core.grammar import matches
from jostle.lab.results.folder import Store, read
from jostle.lab.results.manifest import Manifest
from jostle.lab.results.model import Run, Timed
from jostle.lab.results.outcome import Outcome
from jostle.lab.running.dispatch import compare
from jostle.lab.running.engine import Engine
from jostle.lab.running.progress import Display, Quiet
from jostle.lab.running.provenance import session
from jostle.lab.running.reuse import reusable_runs
from jostle.lab.running.status import StatusWriter
from jostle.lab.running.worker import WorkerError
from jostle.lab.spec.plan import Timing, Trial


def perform(
    manifest: Manifest,
    folder: Path,
    *,
    engine: Engine | None = None,
    command: str = "jostle.lab.run",
    others: Iterable[Path] = (),
    renew: bool = False,
    only: Sequence[str] = (),
    show: Callable[[Outcome], Display] = Quiet,
) -> Outcome:
    """Play what is missing of an experiment in ``folder`` and return all its results.

    Arguments:
        manifest: the experiment, as ``prepare`` returns it.
        folder: where its results are kept.
        engine: where to play; by default processes on this machine.
        command: what the user typed or called, for the record.
        others: folders of other experiments, whose trials are reused if they were played in
            exactly the same way.
        renew: if the folder holds another version of the experiment, keep the trials that both
            have in common and delete the others, rather than refuse it.
        only: play the policies that match one of these, such as ``npr.paper`` or
            ``neural-ucb:covariance=full``, and leave the others for another time; all by default.
        show: makes the display that shows the progress.

    If this raises or is interrupted, the trials finished by then are in the folder.
    """
    with Store(folder, manifest, renew) as store:
        outcome = read(folder)
        reused = list(reusable_runs(outcome, others))
        for run in reused:
            store.add(run)
            outcome.add(run)
        missing = [trial for trial in _in_order(outcome) if _wanted(trial, only)]
        untimed = [timing for timing in outcome.untimed() if _wanted(timing.trial, only)]
        if reused or missing or untimed:
            engine = engine or Engine()
            started = time.perf_counter()
            record = session(command, engine.name, engine.count(len(missing)), reused=len(reused))
            try:
                if missing or untimed:
                    _play(outcome, store, engine, show(outcome), record, missing, untimed)
            finally:
                record["seconds"] = time.perf_counter() - started
                store.keep_session(record)
                outcome.sessions.append(record)
        if not outcome.missing():
            store.compact()
    return outcome


def _play(
    outcome: Outcome,
    store: Store,
    engine: Engine,
    display: Display,
    record: dict[str, Any],
    missing: list[Trial],
    untimed: list[Timing],
) -> None:
    """Play trials and measure times, and save each result as soon as it is known."""
    status = StatusWriter(store, outcome)
    tuning = outcome.experiment.tuning
    with (
        engine.workers(len(missing)) as workers,
        closing(compare(missing, workers, tuning=tuning, timed=untimed)) as events,
        display as shown,
    ):
        for event in events:
            if isinstance(event, Run):
                _check_behaviour(event, outcome.manifest)
                store.add(event)
                record["trials"] += 1
            outcome.add(event)
            if isinstance(event, Timed):
                store.keep_times(outcome)
            status.update(event)
            shown.show(event)


def _check_behaviour(run: Run, manifest: Manifest) -> None:
    """Refuse a run of a worker whose code is not ours, as may happen on a cluster."""
    expected = manifest.behaviour_of(run.trial)
    if run.behaviour != expected:
        raise WorkerError(
            f"a worker plays with other code than this process: its behaviour numbers are "
            f"{dict(run.behaviour)}, expected {expected}; install the same jostle on all machines"
        )


def _wanted(trial: Trial, only: Sequence[str]) -> bool:
    return not only or any(matches(pattern, trial.policy) for pattern in only)


def _in_order(outcome: Outcome) -> list[Trial]:
    """The missing trials, seed by seed."""
    missing = set(outcome.missing())
    return [trial for trial in outcome.trials() if trial in missing]
