"""``jostle data path``: the folder of the data sets, for scripts."""

from typing import Annotated

import typer

from jostle.cli.data.arguments import dataset_name
from jostle.cli.errors import one_line_errors


def path(
    name: Annotated[
        str | None,
        typer.Argument(help="Print the folder of this data set.", show_default="the folder of all"),
    ] = None,
) -> None:
    """Print the folder of all data sets, or of one, and nothing else.

    It is the folder that the environment variable JOSTLE_DATA names, or one in
    your cache folder. It is printed whether or not it exists.

    [bold]Examples[/]

    [cyan]jostle data path[/]

    [cyan]ls "$(jostle data path mushroom)"[/]
    """
    with one_line_errors():
        from jostle.datasets import paths

        folder = paths.data_folder() if name is None else paths.path(dataset_name(name))
        typer.echo(folder.absolute())  # valid after a cd as well
