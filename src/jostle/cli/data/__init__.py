"""The ``jostle data`` commands: list, fetch and verify the data sets, and print where they are.

Results go to stdout and can be piped; errors go to stderr, one line each. As in ``jostle.cli``,
everything heavy is imported inside the commands.
"""

import typer

from jostle.cli.data.fetch import fetch
from jostle.cli.data.list import list_sets
from jostle.cli.data.path import path
from jostle.cli.data.verify import verify

data = typer.Typer(no_args_is_help=True, rich_markup_mode="rich")
data.command("list")(list_sets)
data.command()(fetch)
data.command()(verify)
data.command()(path)


@data.callback()
def main() -> None:
    """List, fetch and verify the data sets of the paper.

    There are six classification sets (UCI) and two recommendation sets (HetRec
    2011). They are not part of jostle: [cyan]jostle data fetch[/] downloads them from
    their publishers.

    [bold]Where they are stored[/]

    In the folder that the environment variable JOSTLE_DATA names, one folder
    per set, with files plain or gzipped. It may be read-only and shared. If the
    variable is not set, they are in your cache folder. [cyan]jostle data path[/] prints
    the folder in use.

    [bold]Examples[/]

    [cyan]jostle data list[/]
      show all sets, and which of them are installed

    [cyan]jostle data fetch mushroom shuttle[/]
      download two sets

    [cyan]JOSTLE_DATA=/data/bandits jostle data verify[/]
      check every file in another folder
    """
