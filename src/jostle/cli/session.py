"""Shared by the commands of the laboratory: run an experiment, print its results and errors."""

import os
import shlex
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import typer
from rich.console import Console

from jostle.cli.errors import BAD_INPUT, FAILED, INTERRUPTED, complain, stop

if TYPE_CHECKING:
    from jostle.lab.results.manifest import Manifest
    from jostle.lab.results.outcome import Outcome
    from jostle.lab.running.engine import Engine
    from jostle.lab.spec.experiment import Experiment

ANNOUNCED_BYTES = 2**25  # the memory of a covariance from which on it is announced


@contextmanager
def bad_input() -> Iterator[None]:
    """Turn errors in what the user asked for into one line and an exit code."""
    from jostle.lab.running.worker import WorkerError

    try:
        yield
    except (ValueError, TypeError) as error:
        stop(str(error), BAD_INPUT)
    except (FileNotFoundError, ImportError, WorkerError) as error:  # missing data or package
        stop(str(error), FAILED)


@contextmanager
def interruptible() -> Iterator[None]:
    """Turn Ctrl-C into one line and an exit code."""
    try:
        yield
    except KeyboardInterrupt:
        stop("Interrupted", INTERRUPTED)


def own_modules() -> None:
    """Let policies of the user's own be found in the working directory, as Python itself would."""
    if os.getcwd() not in sys.path:
        sys.path.insert(0, os.getcwd())


def prepare(experiment: "Experiment") -> "Manifest":
    """Build everything once, so that errors come before the work; large memory is announced."""
    from jostle.lab.running import prepare as preparing

    own_modules()
    return preparing.prepare(experiment, _announce, _skip)


def _skip(policy: str, reason: str) -> None:
    typer.echo(f"{policy} is skipped: {reason}", err=True)


def _announce(policy: str, covariance_bytes: int) -> None:
    if covariance_bytes > ANNOUNCED_BYTES:
        typer.echo(f"{policy}: {covariance_bytes / 2**30:.2f} GiB per run for its full covariance")


def check_only(patterns: Sequence[str], policies: Iterable[str]) -> None:
    """Refuse a pattern of ``--only`` that matches none of the policies."""
    from jostle.core.grammar import matches
    from jostle.core.validation import unknown

    policies = list(dict.fromkeys(policies))
    for pattern in patterns:
        if not any(matches(pattern, policy) for policy in policies):
            raise ValueError(unknown("policy of --only", pattern, policies))


def perform(
    console: Console,
    manifest: "Manifest",
    folder: Path,
    engine: "Engine",
    others: Iterable[Path] = (),
    renew: bool = False,
    only: Sequence[str] = (),
) -> tuple["Outcome", int]:
    """Play what is missing of an experiment; its results, and the exit code of the command."""
    from jostle.lab.results.folder import FolderError, read
    from jostle.lab.running import runner
    from jostle.lab.running.progress import display
    from jostle.lab.running.worker import WorkerError

    command = shlex.join(["jostle", *sys.argv[1:]])
    try:
        outcome = runner.perform(
            manifest,
            folder,
            engine=engine,
            command=command,
            others=others,
            renew=renew,
            only=only,
            show=lambda outcome: display(console, outcome),
        )
    except KeyboardInterrupt:
        outcome = read(folder)
        _say_stopped("Interrupted", outcome)
        return outcome, INTERRUPTED
    except WorkerError as error:
        outcome = read(folder)
        _say_stopped(str(error), outcome)
        return outcome, FAILED
    except FolderError as error:
        stop(str(error), BAD_INPUT)
    for broken in outcome.broken:
        typer.echo(broken.details, err=True)
        where = f"{broken.trial.policy} on {broken.trial.environment}"
        complain(f"{where}, seed {broken.trial.seed}: {broken.message}")
    return outcome, FAILED if outcome.broken else 0


def _say_stopped(reason: str, outcome: "Outcome") -> None:
    done, trials = len(outcome.runs()), len(outcome.trials())
    complain(f"{reason}. {done} of {trials} runs are finished; run the same command to continue.")


def finish(console: Console, outcome: "Outcome", folder: Path) -> None:
    """Write the report and the figures, then show the tables."""
    from jostle.lab.render import terminal
    from jostle.lab.render.html import report as pages

    paths = pages.save(outcome, folder)
    terminal.show(console, outcome)
    for path in paths[:2]:
        name = "report" if path.suffix == ".html" else "figure"
        console.print(f"{name}  {path}", markup=False, highlight=False, soft_wrap=True)
