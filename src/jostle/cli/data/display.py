"""Tables, progress bars, lines and colours of the ``jostle data`` commands."""

from typing import TYPE_CHECKING

from rich.console import Console

if TYPE_CHECKING:
    from rich.progress import Progress
    from rich.table import Table

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
"""Of the states of data sets and files."""

_NUMBERS = ("rows", "features", "classes", "users", "items")
_UNBROKEN = ("name", "set", "file")


def table(*headings: str) -> "Table":
    """A table that fits 80 columns, with numbers to the right and names on one line."""
    from rich import box
    from rich.table import Table

    made = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for heading in headings:
        made.add_column(
            heading,
            justify="right" if heading in _NUMBERS else "left",
            overflow="fold",
            no_wrap=heading in _UNBROKEN,
        )
    return made


def progress_bar(console: Console, download: bool = False) -> "Progress":
    """A progress bar that disappears when done, and is shown in terminals only.

    With ``download`` it also shows the number of bytes and the speed.
    """
    from rich import progress

    columns = [progress.DownloadColumn(), progress.TransferSpeedColumn()] if download else []
    return progress.Progress(
        progress.TextColumn("{task.description}"),
        progress.BarColumn(),
        *columns,
        progress.TimeRemainingColumn(compact=True),
        console=console,
        transient=True,
        disable=not console.is_terminal,
    )


def say(console: Console, message: str) -> None:
    """Print a line of plain text without breaking it."""
    console.print(message, markup=False, highlight=False, soft_wrap=True)
