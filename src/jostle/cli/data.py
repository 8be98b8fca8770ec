"""The ``jostle data`` commands: which data sets there are, getting them, checking them.

What can be piped goes to stdout, what went wrong to stderr, one line each. As in ``jostle.cli``,
everything heavy is imported inside the commands.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated
from urllib.parse import urlsplit

import typer
from rich.console import Console

from jostle.cli import dataset_text as words
from jostle.cli.errors import BAD_INPUT, FAILED, INTERRUPTED, complain, stop

if TYPE_CHECKING:
    from pathlib import Path

    from rich.progress import Progress
    from rich.table import Table

    from jostle.datasets.acquire.verify import Report
    from jostle.datasets.catalog.entry import Dataset

ALL = "all"

data = typer.Typer(no_args_is_help=True, rich_markup_mode="rich")


@data.callback()
def main() -> None:
    """List, fetch and check the data sets of the paper.

    Six classification sets (UCI) and two recommendation sets (HetRec 2011).
    None comes with jostle: [cyan]jostle data fetch[/] gets them from their own
    publishers.

    [bold]Where they are[/]

    In the folder that the environment variable JOSTLE_DATA names, one folder
    for each set, plain or gzipped; it may be read-only and shared. If it is
    not set, in your cache folder. [cyan]jostle data path[/] prints which.

    [bold]Examples[/]

    [cyan]jostle data list[/]
      what there is, and what of it is here

    [cyan]jostle data fetch mushroom shuttle[/]
      download two sets

    [cyan]JOSTLE_DATA=/data/bandits jostle data verify[/]
      check every file in another folder
    """


@data.command("list")
def list_sets(
    long: Annotated[
        bool, typer.Option("--long", "-l", help="Say also whom to cite and where each comes from.")
    ] = False,
) -> None:
    """Show the data sets, and which of them are here.

    A set is [green]present[/]; [yellow]partial[/], when files derived by others stand in for
    some of the published ones; [red]incomplete[/], when files are lacking that it
    cannot be used without; or absent. This only looks which files there are:
    [cyan]jostle data verify[/] reads them.

    [bold]Examples[/]

    [cyan]jostle data list[/]

    [cyan]jostle data list --long[/]
      with citations, licences and addresses
    """
    with _one_line_errors():
        from jostle.datasets import catalog
        from jostle.datasets.catalog.entry import HetRecSet, TableSet

        console = Console()
        entries = catalog.CATALOG.values()
        tables = _table("name", "title", "rows", "features", "classes", "licence", "here")
        for entry in entries:
            if isinstance(entry, TableSet):
                size = (entry.rows, entry.features, entry.classes)
                tables.add_row(*words.cells(entry, *size))
        social = _table("name", "title", "users", "items", "licence", "here")
        for entry in entries:
            if isinstance(entry, HetRecSet):
                social.add_row(*words.cells(entry, entry.users, entry.items))
        for kind, table in (("Classification", tables), ("Recommendation", social)):
            console.print(f"[bold]{kind}[/]")
            console.print(table)
        if long:
            for entry in entries:
                console.print(f"[bold]{entry.name}[/]")
                for line in words.description(entry):
                    _say(console, f"  {line}")
                console.print()
        _say(console, words.whereabouts())


@data.command()
def fetch(
    names: Annotated[
        list[str],
        typer.Argument(metavar="NAME", help="The data sets, by name; [cyan]all[/] for all."),
    ],
    force: Annotated[
        bool, typer.Option("--force", "-f", help="Download even what is here and right.")
    ] = False,
    base: Annotated[
        str | None,
        typer.Option(
            metavar="URL",
            help="Take them from a mirror that keeps the publishers' paths, such as "
            "[cyan]http://localhost:8000[/].",
            show_default="each set's own publisher",
        ),
    ] = None,
) -> None:
    """Download data sets from their publishers.

    What is here and right is left alone. A cut connection is resumed; what
    came is checked against the published checksums, and only then moved into
    place, so there is never a half set. If one fails the others are still
    fetched, and the command ends with code 1.

    The data folder is that of JOSTLE_DATA, if set; see [cyan]jostle data path[/].

    [bold]Examples[/]

    [cyan]jostle data fetch mushroom[/]

    [cyan]jostle data fetch all[/]
      all eight

    [cyan]jostle data fetch covertype --force[/]
      once more, though it is here
    """
    with _one_line_errors():
        wanted = _wanted(names)
        _check_base(base)
        console = Console()
        failed = []
        for name in wanted:
            try:
                _say(console, f"{name}: {_fetched(console, name, force, base)}")
            except KeyboardInterrupt:
                stop(f"Interrupted while fetching {name}; no half file is left.", INTERRUPTED)
            except (OSError, ValueError) as error:
                complain(f"{name}: {_plain(error)}")
                failed.append(name)
        if failed and len(wanted) > 1:
            complain(f"{len(failed)} of {len(wanted)} were not fetched: {', '.join(failed)}")
        if failed:
            raise typer.Exit(FAILED)


@data.command()
def verify(
    names: Annotated[
        list[str] | None,
        typer.Argument(metavar="NAME", help="The data sets, by name.", show_default="all of them"),
    ] = None,
) -> None:
    """Check every file against the published checksums.

    A file is [green]ok[/], missing, [red]wrong[/], or [yellow]unverified[/]: its rows and header
    are right, but no published checksum is known. Ends with code 0 if all that
    the sets need is here and nothing that is here is wrong. A set that is
    [yellow]partial[/], with files derived by others in place of absent originals,
    passes, and is named.

    [bold]Examples[/]

    [cyan]jostle data verify[/]

    [cyan]jostle data verify adult lastfm && echo fine[/]
    """
    with _one_line_errors():
        from jostle.datasets import catalog

        wanted = _wanted(names or [ALL])
        console = Console()
        reports = _reports(console, [catalog.get(name) for name in wanted])
        table = _table("set", "file", "result", "note")
        for report in reports:
            for row, finding in enumerate(report.findings):
                word = words.word(finding)
                colour = "red" if finding.file.name in report.missing else words.COLOURS[word]
                first = "" if row else report.name
                note = words.note(finding, report)
                table.add_row(first, finding.file.name, f"[{colour}]{word}[/]", note)
            table.add_section()
        console.print(table)
        whole = [report.name for report in reports if report.ok and report.original]
        if whole:
            _say(console, f"ok: {', '.join(whole)}")
        for report in reports:
            if report.ok and not report.original:
                _say(console, words.partial(report))
        for report in reports:
            for complaint in words.complaints(report):
                complain(complaint)
        if not all(report.ok for report in reports):
            raise typer.Exit(FAILED)


@data.command()
def path(
    name: Annotated[
        str | None,
        typer.Argument(help="A data set, for its folder.", show_default="the folder of all"),
    ] = None,
) -> None:
    """Print the data folder, or that of one set, and nothing else.

    It is printed whether or not it exists yet. It is the folder that the
    environment variable JOSTLE_DATA names, else one in your cache folder.

    [bold]Examples[/]

    [cyan]jostle data path[/]

    [cyan]ls "$(jostle data path mushroom)"[/]
    """
    with _one_line_errors():
        from jostle.datasets import paths as store

        folder = store.data_folder() if name is None else store.path(_known(name))
        typer.echo(folder.absolute())  # so that it stays right after a cd


def _fetched(console: Console, name: str, force: bool, base: str | None) -> str:
    """Fetch one set unless it is here, and say what was done."""
    from jostle.datasets import catalog, fetch
    from jostle.datasets.acquire import verify as integrity

    with _progress(console, moving=True) as bar:
        task = bar.add_task(f"checking {name}", total=None)
        if not force:
            report = integrity.verify(name)
            if report.original:
                return words.already(report)
        if not console.is_terminal:
            _say(console, f"{name}: fetching from {base or _host(catalog.get(name).url)} ...")

        def show(done: int, total: int | None) -> None:
            verb = "checking" if done == total else "fetching"
            bar.update(task, description=f"{verb} {name}", completed=done, total=total)

        bar.update(task, description=f"fetching {name}")
        folder = fetch(name, force=True, base=base, progress=show)  # it was checked above
    return f"fetched into {folder}"


def _reports(console: Console, entries: "list[Dataset]") -> "list[Report]":
    """Check all files of the sets, moving a bar by the bytes that were read."""
    from jostle.datasets import paths as store
    from jostle.datasets.acquire import verify as integrity

    places = {
        entry.name: [store.find_in(store.path(entry.name), file.name) for file in entry.files]
        for entry in entries
    }
    reports = []
    with _progress(console) as bar:
        total = sum(_bytes(place) for found in places.values() for place in found)
        task = bar.add_task("checking", total=total)
        for entry in entries:
            findings = []
            for file, place in zip(entry.files, places[entry.name], strict=True):
                bar.update(task, description=f"checking {entry.name}")
                findings.append(integrity.inspect(file, place))
                bar.advance(task, _bytes(place))
            reports.append(integrity.Report(entry.name, store.path(entry.name), tuple(findings)))
    return reports


def _bytes(place: "Path | None") -> int:
    return place.stat().st_size if place is not None and place.exists() else 0


def _wanted(names: list[str]) -> list[str]:
    """The names, each once, with ``all`` written out; an unknown one ends the command."""
    from jostle.datasets import catalog

    return list(
        dict.fromkeys(
            each for name in names for each in (catalog.CATALOG if name == ALL else [_known(name)])
        )
    )


def _known(name: str) -> str:
    from jostle.core.validation import unknown
    from jostle.datasets import catalog

    if name not in catalog.CATALOG:
        stop(unknown("data set", name, catalog.CATALOG), BAD_INPUT)
    return name


def _check_base(base: str | None) -> None:
    """Refuse a bad address at once rather than anew for each set."""
    if base is None:
        return
    try:
        parts = urlsplit(base)
    except ValueError:  # such as an unclosed bracket
        parts = urlsplit("")
    if parts.scheme not in ("http", "https") or not parts.netloc:
        stop(f"--base must be an address such as http://localhost:8000, not {base!r}", BAD_INPUT)


def _host(url: str) -> str:
    return urlsplit(url).netloc


def _table(*headings: str) -> "Table":
    """Narrow enough for 80 columns; numbers to the right, and names unbroken, to be copied."""
    from rich import box
    from rich.table import Table

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    numbers, whole = ("rows", "features", "classes", "users", "items"), ("name", "set", "file")
    for heading in headings:
        right = heading in numbers
        table.add_column(
            heading,
            justify="right" if right else "left",
            overflow="fold",
            no_wrap=heading in whole,
        )
    return table


def _progress(console: Console, moving: bool = False) -> "Progress":
    """A bar that is gone when done, and never there where lines are wanted.

    ``moving`` adds the bytes and the speed of a download, of known size or not.
    """
    from rich import progress as parts

    news = [parts.DownloadColumn(), parts.TransferSpeedColumn()] if moving else []
    return parts.Progress(
        parts.TextColumn("{task.description}"),
        parts.BarColumn(),
        *news,
        parts.TimeRemainingColumn(compact=True),
        console=console,
        transient=True,
        disable=not console.is_terminal,
    )


@contextmanager
def _one_line_errors() -> Iterator[None]:
    """Whatever the file system or Ctrl-C do to a command, the user gets one line and a code."""
    try:
        yield
    except BrokenPipeError:
        raise  # the reader of a pipe has gone: Typer ends quietly
    except OSError as error:
        stop(_plain(error), FAILED)
    except KeyboardInterrupt:
        stop("Interrupted", INTERRUPTED)


def _plain(error: Exception) -> str:
    return " ".join(str(error).split()) or type(error).__name__


def _say(console: Console, message: str) -> None:
    console.print(message, markup=False, highlight=False, soft_wrap=True)
