"""``jostle report``, ``summary`` and ``status``: what was found, and how far it is."""

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from jostle.cli.errors import FAILED, stop
from jostle.cli.session import bad_input, finish


def report(
    folder: Annotated[Path, typer.Argument(help="Of an experiment, finished or not.")],
) -> None:
    """Write the figures and the report of an experiment again, and show its table."""
    with bad_input():
        from jostle.lab.results.folder import read

        outcome = read(folder)
    if not outcome.runs() and outcome.experiment.figure != "statistics":
        stop(f"no trial of {str(folder)!r} is finished", FAILED)
    finish(Console(), outcome, folder)


def summary(
    folder: Annotated[Path, typer.Argument(help="Of folders of experiments, as reproduce makes.")],
    out: Annotated[
        Path,
        typer.Option(
            "--output", "--out", "-o", help="The page; figures go into images/ beside it."
        ),
    ] = Path("results.md"),
) -> None:
    """Write all results of a folder as one Markdown page, the paper's claims judged by them."""
    with bad_input():
        from jostle.lab.render.markdown import collect, save

        outcomes = collect(folder)
        save(outcomes, out, f"jostle summary {folder} --out {out}")
    typer.echo(out)


def status(
    folder: Annotated[Path, typer.Argument(help="Of an experiment.")],
) -> None:
    """Say how far an experiment is, from another shell than the one it runs in."""
    with bad_input():
        from jostle.lab.results import folder as store
        from jostle.lab.running.status import lines

        outcome = store.read(folder)
        told = lines(store.status(folder), outcome, store.locked(folder))
    for line in told:
        typer.echo(line)
