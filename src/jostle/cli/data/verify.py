"""``jostle data verify``: checking every file against the published checksums."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console

from jostle.cli.data.arguments import ALL, dataset_names
from jostle.cli.data.display import COLOURS, progress_bar, say, table
from jostle.cli.errors import FAILED, complain, one_line_errors

if TYPE_CHECKING:
    from pathlib import Path

    from jostle.datasets.acquire.verify import Finding, Report
    from jostle.datasets.catalog.entry import Dataset


def verify(
    names: Annotated[
        list[str] | None,
        typer.Argument(metavar="NAME", help="Names of data sets.", show_default="all"),
    ] = None,
) -> None:
    """Check every file against the published checksums.

    A file is [green]ok[/], missing, [red]wrong[/], or [yellow]unverified[/] if no checksum of it is
    known but its header and number of lines are right. The exit code is 0 if no
    required file is missing and no file is wrong. A [yellow]partial[/] set, in which files
    derived by others replace missing originals, passes and is reported.

    [bold]Examples[/]

    [cyan]jostle data verify[/]

    [cyan]jostle data verify adult lastfm && echo fine[/]
    """
    with one_line_errors():
        from jostle.datasets import catalog

        console = Console()
        entries = [catalog.get(name) for name in dataset_names(names or [ALL])]
        reports = _reports(console, entries)
        rows = table("set", "file", "result", "note")
        for report in reports:
            for index, finding in enumerate(report.findings):
                result = _result(finding)
                colour = "red" if finding.file.name in report.missing else COLOURS[result]
                rows.add_row(
                    "" if index else report.name,
                    finding.file.name,
                    f"[{colour}]{result}[/]",
                    _note(finding, report),
                )
            rows.add_section()
        console.print(rows)
        originals = [report.name for report in reports if report.ok and report.original]
        if originals:
            say(console, f"ok: {', '.join(originals)}")
        for report in reports:
            if report.ok and not report.original:
                say(console, _partial(report))
        for report in reports:
            for error in _errors(report):
                complain(error)
        if not all(report.ok for report in reports):
            raise typer.Exit(FAILED)


def _reports(console: Console, entries: "list[Dataset]") -> "list[Report]":
    """Check all files of the sets, with a progress bar by the bytes read."""
    from jostle.datasets import paths
    from jostle.datasets.acquire.verify import Report, inspect

    places = {
        entry.name: [paths.find(entry.name, file.name) for file in entry.files] for entry in entries
    }
    reports = []
    with progress_bar(console) as bar:
        total = sum(_bytes(place) for found in places.values() for place in found)
        task = bar.add_task("checking", total=total)
        for entry in entries:
            findings = []
            for file, place in zip(entry.files, places[entry.name], strict=True):
                bar.update(task, description=f"checking {entry.name}")
                findings.append(inspect(file, place))
                bar.advance(task, _bytes(place))
            reports.append(Report(entry.name, paths.path(entry.name), tuple(findings)))
    return reports


def _bytes(place: "Path | None") -> int:
    return place.stat().st_size if place is not None and place.exists() else 0


def _result(finding: "Finding") -> str:
    """The result in one word: ok, unverified, wrong or missing."""
    from jostle.datasets.acquire.verify import Status

    wrong = finding.status in (Status.WRONG, Status.MALFORMED)
    return "wrong" if wrong else finding.status.value


def _note(finding: "Finding", report: "Report") -> str:
    """A remark on a file, short enough for a table."""
    from jostle.datasets.acquire.verify import Status

    file = finding.file
    if finding.status is Status.OK:
        return "partial" if file.role == "partial" else ""
    if finding.status is Status.WRONG:
        return "checksum"  # the checksums themselves are in the error message
    if finding.status is Status.MISSING and file.role == "required":
        return "required" if file.name in report.missing else "partial instead"
    return finding.note


def _partial(report: "Report") -> str:
    """That partial files replace missing originals."""
    from jostle.datasets.acquire.verify import Status

    missing = [
        finding.file
        for finding in report.findings
        if finding.file.role == "required" and finding.status is Status.MISSING
    ]
    used = ", ".join(name for file in missing for name in file.stand_ins)
    return (
        f"partial: {report.name}: usable, but not the published set: {used} instead of "
        f"{', '.join(file.name for file in missing)}"
    )


def _errors(report: "Report") -> Iterator[str]:
    """A line for all missing files and one for each wrong file, with the remedy."""
    from jostle.datasets import paths

    name = report.name
    if report.missing:
        some = any(finding.place for finding in report.findings)
        what = f"missing {', '.join(report.missing)}" if some else "not installed"
        yield (
            f"{name}: {what} (looked in {report.folder}); to download it: jostle data fetch "
            f"{name}; if it is elsewhere: set {paths.DATA}"
        )
    for finding in report.wrong:
        origin = finding.file.origin
        remedy = f"get it from {origin}" if origin else f"jostle data fetch {name} --force"
        yield f"{name}: {finding.place} is wrong: {finding.note}; to replace it: {remedy}"
