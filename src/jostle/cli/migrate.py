"""``jostle migrate``: convert results that an older version of jostle wrote."""

from pathlib import Path
from typing import Annotated

import typer

from jostle.cli.session import bad_input, interruptible


def migrate(
    folders: Annotated[
        list[Path],
        typer.Argument(
            help="Folders of experiments, such as results/fig1a, or folders of such folders."
        ),
    ],
) -> None:
    """Convert results that jostle 0.1 wrote to the present format.

    Settings that were rounded to six digits are replaced by their exact values
    wherever today's code, given the same name, has a value that rounds to them;
    others stay as they were recorded. The behaviour numbers are 1 and the commit
    is "unknown (before 0.2)". The runs themselves do not change. Folders that
    have been converted are left as they are.

    [bold]Example[/]

    [cyan]jostle migrate runs/fig1a results[/]
    """
    from jostle.lab.running.migrate import experiment_folders, migrate_folder

    with interruptible(), bad_input():
        for folder in experiment_folders(folders):
            notes = migrate_folder(folder)
            if notes is None:
                typer.echo(f"{folder}: up to date")
                continue
            typer.echo(f"{folder}: converted")
            for note in notes:
                typer.echo(f"  {note}")
