"""The ``jostle backup`` command: a copy of a service's data, also while it runs."""

from pathlib import Path
from typing import Annotated

import typer

from jostle.cli.errors import BAD_INPUT, one_line_errors, stop


def backup(
    target: Annotated[Path, typer.Argument(help="Folder for the copy; must be new or empty.")],
    data: Annotated[
        Path, typer.Option("--data", help="The folder that [cyan]jostle serve[/] was given.")
    ] = Path("jostle-data"),
) -> None:
    """Copy the data of [cyan]jostle serve[/], also while it runs.

    The copy has everything that was acknowledged before it began, and is a data
    folder itself: [cyan]jostle serve --data COPY[/] continues from it.

    [bold]Example[/]

    [cyan]jostle backup backups/2026-01-31 --data /var/lib/jostle[/]
    """
    with one_line_errors():
        from jostle.core.optional import require

        for module in ("apsw", "msgspec", "structlog"):
            require(module, extra="serve")
        from jostle.service.backup import back_up

        try:
            size = back_up(data, target)
        except (FileNotFoundError, FileExistsError) as error:
            stop(str(error), BAD_INPUT)
        typer.echo(f"{target}: {size:,} bytes")
