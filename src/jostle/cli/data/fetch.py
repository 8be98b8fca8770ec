"""``jostle data fetch``: downloading data sets; the download itself is ``datasets.acquire``."""

from typing import TYPE_CHECKING, Annotated
from urllib.parse import urlsplit

import typer
from rich.console import Console

from jostle.cli.data.arguments import dataset_names
from jostle.cli.data.display import progress_bar, say
from jostle.cli.errors import (
    BAD_INPUT,
    FAILED,
    INTERRUPTED,
    complain,
    one_line,
    one_line_errors,
    stop,
)

if TYPE_CHECKING:
    from jostle.datasets.acquire.verify import Report


def fetch(
    names: Annotated[
        list[str],
        typer.Argument(metavar="NAME", help="Names of data sets, or [cyan]all[/]."),
    ],
    force: Annotated[
        bool, typer.Option("--force", "-f", help="Download sets that are already installed, too.")
    ] = False,
    base: Annotated[
        str | None,
        typer.Option(
            metavar="URL",
            help="Download from a mirror that keeps the publishers' paths, such as "
            "[cyan]http://localhost:8000[/].",
            show_default="the publisher of each set",
        ),
    ] = None,
) -> None:
    """Download data sets from their publishers.

    Sets that are installed and verified are skipped. A broken download is
    resumed. Files are checked against the published checksums before they are
    moved into place, so that a set is never half installed. If one set fails,
    the others are still fetched, and the exit code is 1.

    The data folder is that of JOSTLE_DATA, if set; see [cyan]jostle data path[/].

    [bold]Examples[/]

    [cyan]jostle data fetch mushroom[/]

    [cyan]jostle data fetch all[/]
      download all eight sets

    [cyan]jostle data fetch covertype --force[/]
      download a set again
    """
    with one_line_errors():
        requested = dataset_names(names)
        _check_base(base)
        console = Console()
        failed = []
        for name in requested:
            try:
                say(console, f"{name}: {_fetch(console, name, force, base)}")
            except KeyboardInterrupt:
                stop(f"Interrupted while fetching {name}; no partial files are left.", INTERRUPTED)
            except (OSError, ValueError) as error:
                complain(f"{name}: {one_line(error)}")
                failed.append(name)
        if failed and len(requested) > 1:
            complain(f"{len(failed)} of {len(requested)} sets failed: {', '.join(failed)}")
        if failed:
            raise typer.Exit(FAILED)


def _fetch(console: Console, name: str, force: bool, base: str | None) -> str:
    """Fetch a set unless it is installed, and say what was done."""
    from jostle.datasets import catalog, fetch, verify

    with progress_bar(console, download=True) as bar:
        task = bar.add_task(f"checking {name}", total=None)
        if not force:
            report = verify(name)
            if report.original:
                return _installed(report)
        if not console.is_terminal:
            source = base or urlsplit(catalog.get(name).url).netloc
            say(console, f"{name}: fetching from {source} ...")

        def show(done: int, total: int | None) -> None:
            verb = "checking" if done == total else "fetching"
            bar.update(task, description=f"{verb} {name}", completed=done, total=total)

        bar.update(task, description=f"fetching {name}")
        folder = fetch(name, force=True, base=base, progress=show)  # it was checked above
    return f"fetched into {folder}"


def _installed(report: "Report") -> str:
    wrong = [finding.file.name for finding in report.wrong]
    but = f", but these optional files are wrong: {', '.join(wrong)}" if wrong else ""
    return f"already in {report.folder}{but} (use --force to download it again)"


def _check_base(base: str | None) -> None:
    """Exit on a bad address before any set is tried."""
    if base is None:
        return
    try:
        parts = urlsplit(base)
    except ValueError:  # such as an unclosed bracket
        parts = urlsplit("")
    if parts.scheme not in ("http", "https") or not parts.netloc:
        stop(f"--base must be an address such as http://localhost:8000, not {base!r}", BAD_INPUT)
