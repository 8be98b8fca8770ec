"""What ``jostle data`` says of a data set: whether it is here, and what is wrong with it."""

import os
from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from jostle.datasets.acquire.verify import Finding, Report
    from jostle.datasets.catalog.entry import Dataset

COLOURS = {
    "present": "green",
    "partial": "yellow",
    "incomplete": "red",
    "absent": "dim",
    "ok": "green",
    "unverified": "yellow",
    "wrong": "red",
    "missing": "dim",
}


def presence(entry: "Dataset") -> str:
    """What ``list`` says of a set: from the names of the files that are here, unread."""
    from jostle.datasets import paths as store

    folder = store.path(entry.name)
    here = {file.name for file in entry.files if store.find_in(folder, file.name)}
    absent = [f for f in entry.files if f.role == "required" and f.name not in here]
    if not absent:
        return "present"
    if all(file.stand_ins and here.issuperset(file.stand_ins) for file in absent):
        return "partial"
    return "incomplete" if here else "absent"


def cells(entry: "Dataset", *size: int) -> Iterator[str]:
    """The row of a set in the list."""
    state = presence(entry)
    yield from (entry.name, entry.title)
    yield from (f"{number:,}" for number in size)
    yield entry.licence.partition(";")[0]
    yield f"[{COLOURS[state]}]{state}[/]"


def description(entry: "Dataset") -> Iterator[str]:
    """Whom to cite and where a set comes from, line by line."""
    for kind in ("citation", "licence", "page", "url"):
        yield f"{kind:<9} {getattr(entry, kind)}"
    origins = dict.fromkeys(file.origin for file in entry.files if file.origin)
    if origins:
        yield f"not fetched: the files that others made from it: {', '.join(origins)}"


def word(finding: "Finding") -> str:
    """What a file is: ok, unverified, wrong or missing."""
    from jostle.datasets.acquire.verify import Status

    bad = (Status.WRONG, Status.MALFORMED)
    return "wrong" if finding.status in bad else finding.status.value


def note(finding: "Finding", report: "Report") -> str:
    """What a person should know of a file, short enough for a table."""
    from jostle.datasets.acquire.verify import Status

    file = finding.file
    if finding.status is Status.OK:
        return "partial" if file.role == "partial" else ""
    if finding.status is Status.WRONG:
        return "checksum"  # the checksums themselves are in the line on stderr
    if finding.status is Status.MISSING and file.role == "required":
        return "required" if file.name in report.missing else "partial instead"
    return finding.note


def partial(report: "Report") -> str:
    """That files made by others stand in for published ones."""
    from jostle.datasets.acquire.verify import Status

    absent = [
        finding.file
        for finding in report.findings
        if finding.file.role == "required" and finding.status is Status.MISSING
    ]
    used = ", ".join(name for file in absent for name in file.stand_ins)
    return (
        f"partial: {report.name}: usable, but not the published set; {used} stand in for "
        f"{', '.join(file.name for file in absent)}"
    )


def complaints(report: "Report") -> Iterator[str]:
    """A line for what is lacking and one for each wrong file, with what to do about it."""
    from jostle.datasets import paths as store

    name = report.name
    if report.missing:
        some = any(finding.place for finding in report.findings)
        state = f"lacks {', '.join(report.missing)}" if some else "is not here"
        yield (
            f"{name}: {state} (looked in {report.folder}); to download: jostle data fetch {name}; "
            f"if elsewhere: set {store.DATA}"
        )
    for finding in report.wrong:
        origin = finding.file.origin
        remedy = f"take it from {origin}" if origin else f"jostle data fetch {name} --force"
        yield f"{name}: {finding.place} is wrong: {finding.note}; to replace it: {remedy}"


def whereabouts() -> str:
    """Where data sets are looked for, and why there."""
    from jostle.datasets import paths as store

    chosen = os.environ.get(store.DATA)
    reason = f"${store.DATA}" if chosen else f"set {store.DATA} to keep them elsewhere"
    return f"data folder: {store.data_folder()} ({reason})"


def already(report: "Report") -> str:
    """That a set need not be fetched."""
    wrong = [finding.file.name for finding in report.wrong]
    but = f", though these are wrong: {', '.join(wrong)}" if wrong else ""
    return f"already in {report.folder}{but} (--force fetches anew)"
