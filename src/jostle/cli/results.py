"""``jostle report``, ``summary`` and ``status``: results, and the progress of an experiment."""

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from jostle.cli.errors import FAILED, stop
from jostle.cli.session import bad_input, finish


def report(
    folder: Annotated[
        Path, typer.Argument(help="Folder of an experiment, finished or not.", metavar="FOLDER")
    ],
) -> None:
    """Write the figures and the report of an experiment again, and show its tables.

    [bold]Example[/]

    [cyan]jostle report runs/quick/fig1a[/]
    """
    with bad_input():
        from jostle.lab.results.folder import read

        outcome = read(folder)
    if outcome.trials() and not outcome.runs():
        stop(f"no run in {str(folder)!r} is finished yet; see: jostle status {folder}", FAILED)
    finish(Console(), outcome, folder)


def summary(
    folder: Annotated[
        Path,
        typer.Argument(
            help="Folder that holds folders of experiments, as [cyan]jostle reproduce[/] makes.",
            metavar="FOLDER",
        ),
    ],
    out: Annotated[
        Path,
        typer.Option(
            "--output",
            "--out",
            "-o",
            help="Folder for the pages; their figures go into images/ in it.",
        ),
    ] = Path("pages"),
) -> None:
    """Write all results of a folder as Markdown pages, with verdicts on the paper's claims.

    [bold]Example[/]

    [cyan]jostle summary results --out docs/results[/]
    """
    with bad_input():
        from jostle.lab.render.pages import INDEX, collect, save

        outcomes = collect(folder)
        save(outcomes, out, f"jostle summary {folder} --out {out}")
    typer.echo(out / f"{INDEX}.md")


def status(
    folder: Annotated[Path, typer.Argument(help="Folder of an experiment.", metavar="FOLDER")],
) -> None:
    """Show how far an experiment is, from another shell than the one it runs in.

    [bold]Example[/]

    [cyan]jostle status runs/quick/fig1a[/]
    """
    with bad_input():
        from jostle.lab.results import folder as store
        from jostle.lab.running.status import lines

        outcome = store.read(folder)
        shown = lines(store.status(folder), outcome, store.locked(folder))
    for line in shown:
        typer.echo(line)
