"""``jostle data list``: the data sets, and which of them are installed."""

import os
from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console

from jostle.cli.data.display import COLOURS, say, table
from jostle.cli.errors import one_line_errors

if TYPE_CHECKING:
    from jostle.datasets.catalog.entry import Dataset


def list_sets(
    long: Annotated[
        bool, typer.Option("--long", "-l", help="Also show citations, licences and addresses.")
    ] = False,
) -> None:
    """List the data sets, and show which of them are installed.

    A set is [green]present[/]; [yellow]partial[/], if files derived by others replace some of the
    published ones; [red]incomplete[/], if required files are missing; or absent. This
    only checks which files exist: [cyan]jostle data verify[/] reads them.

    [bold]Examples[/]

    [cyan]jostle data list[/]

    [cyan]jostle data list --long[/]
      with citations, licences and addresses
    """
    with one_line_errors():
        from jostle.datasets import catalog
        from jostle.datasets.catalog.entry import HetRecSet, TableSet

        console = Console()
        entries = catalog.CATALOG.values()
        classification = table("name", "title", "rows", "features", "classes", "licence", "state")
        recommendation = table("name", "title", "users", "items", "licence", "state")
        for entry in entries:
            if isinstance(entry, TableSet):
                classification.add_row(*_row(entry, entry.rows, entry.features, entry.classes))
            elif isinstance(entry, HetRecSet):
                recommendation.add_row(*_row(entry, entry.users, entry.items))
        for title, rows in (("Classification", classification), ("Recommendation", recommendation)):
            console.print(f"[bold]{title}[/]")
            console.print(rows)
        if long:
            for entry in entries:
                console.print(f"[bold]{entry.name}[/]")
                for line in _description(entry):
                    say(console, f"  {line}")
                console.print()
        say(console, _data_folder())


def _row(entry: "Dataset", *size: int) -> Iterator[str]:
    state = _state(entry)
    yield from (entry.name, entry.title)
    yield from (f"{number:,}" for number in size)
    yield entry.licence.partition(";")[0]
    yield f"[{COLOURS[state]}]{state}[/]"


def _state(entry: "Dataset") -> str:
    """Whether a set is installed, by the names of the files that exist."""
    from jostle.datasets import paths

    folder = paths.path(entry.name)
    present = {file.name for file in entry.files if paths.find_in(folder, file.name)}
    missing = [f for f in entry.files if f.role == "required" and f.name not in present]
    if not missing:
        return "present"
    if all(file.stand_ins and present.issuperset(file.stand_ins) for file in missing):
        return "partial"
    return "incomplete" if present else "absent"


def _description(entry: "Dataset") -> Iterator[str]:
    for name, value in (
        ("citation", entry.citation),
        ("licence", entry.licence),
        ("page", entry.page),
        ("download", entry.url),
    ):
        yield f"{name:<9} {value}"
    origins = dict.fromkeys(file.origin for file in entry.files if file.origin)
    if origins:
        yield f"files derived by others, which fetch does not download: {', '.join(origins)}"


def _data_folder() -> str:
    from jostle.datasets import paths

    chosen = os.environ.get(paths.DATA)
    reason = f"${paths.DATA}" if chosen else f"set {paths.DATA} to use another"
    return f"data folder: {paths.data_folder()} ({reason})"
