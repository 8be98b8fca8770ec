"""What the commands of the laboratory share: playing an experiment before the user's eyes."""

import os
import shlex
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import typer
from rich.console import Console

from jostle.cli.errors import BAD_INPUT, FAILED, INTERRUPTED, complain, stop

if TYPE_CHECKING:
    from jostle.lab.results.outcome import Outcome
    from jostle.lab.running.engine import Engine
    from jostle.lab.running.prepare import Panels
    from jostle.lab.spec.experiment import Experiment

WORTH_SAYING = 2**25  # bytes


@contextmanager
def bad_input() -> Iterator[None]:
    """Errors of the user's making, as one line each."""
    from jostle.lab.running.worker import WorkerError

    try:
        yield
    except (ValueError, TypeError) as error:
        stop(str(error), BAD_INPUT)
    except (FileNotFoundError, ImportError, WorkerError) as error:  # data or a package not here
        stop(str(error), FAILED)


@contextmanager
def interruptible() -> Iterator[None]:
    """Ctrl-C, as one line and an exit code."""
    try:
        yield
    except KeyboardInterrupt:
        stop("Interrupted", INTERRUPTED)


def prepare(experiment: "Experiment") -> "Panels":
    """Everything made once, so that errors come before the work; large memory is said."""
    from jostle.lab.running import prepare as panels

    # Policies of the user's own are looked for where the command was given, as Python would.
    if os.getcwd() not in sys.path:
        sys.path.insert(0, os.getcwd())
    made = panels.prepare(experiment)
    for name, needed in made.bytes.items():
        if needed > WORTH_SAYING:
            typer.echo(f"{name}: {needed / 2**30:.2f} GiB a run for its full covariance")
    return made


def perform(
    console: Console,
    experiment: "Experiment",
    panels: "Panels",
    folder: Path,
    engine: "Engine",
    others: Iterable[Path] = (),
    renew: bool = False,
    again: str = "the same command",
) -> tuple["Outcome", int]:
    """Play what is missing; what there is then, and the exit code."""
    from jostle.lab.results.folder import FolderError, read
    from jostle.lab.running import runner as running
    from jostle.lab.running.progress import display
    from jostle.lab.running.worker import WorkerError

    command = shlex.join(["jostle", *sys.argv[1:]])
    try:
        outcome = running.perform(
            experiment,
            folder,
            panels=panels,
            engine=engine,
            command=command,
            others=others,
            renew=renew,
            show=lambda outcome: display(console, outcome),
        )
    except KeyboardInterrupt:
        outcome = read(folder)
        _say_stopped("Interrupted", outcome, again)
        return outcome, INTERRUPTED
    except WorkerError as error:
        outcome = read(folder)
        _say_stopped(str(error), outcome, again)
        return outcome, FAILED
    except FolderError as error:
        stop(str(error), BAD_INPUT)
    for broken in outcome.broken:
        typer.echo(broken.details, err=True)
        where = f"{broken.trial.policy} on {broken.trial.environment}"
        complain(f"{where}, seed {broken.trial.seed}: {broken.message}")
    return outcome, FAILED if outcome.broken else 0


def _say_stopped(reason: str, outcome: "Outcome", again: str) -> None:
    done, wanted = len(outcome.runs()), len(outcome.trials())
    complain(f"{reason}. {done} of {wanted} runs are finished and kept; {again} goes on.")


def finish(console: Console, outcome: "Outcome", folder: Path) -> None:
    """Write the report and the figures, then show the tables."""
    from jostle.lab.render import terminal
    from jostle.lab.render.html import report as pages

    paths = pages.save(outcome, folder)
    terminal.show(console, outcome)
    for path in paths[:2]:
        name = "report" if path.suffix == ".html" else "figure"
        console.print(f"{name}  {path}", markup=False, highlight=False, soft_wrap=True)
