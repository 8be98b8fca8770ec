"""Options that several commands of the laboratory share."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from jostle.lab.running.engine import Engine

Jobs = Annotated[
    int | None,
    typer.Option(
        "--jobs",
        "-j",
        min=1,
        help="Number of workers, of one thread each. The results do not depend on it.",
        show_default="one per core",
    ),
]
EngineName = Annotated[
    str,
    typer.Option(
        "--engine",
        help="Where to play: [cyan]local[/] (processes on this machine) or [cyan]ray[/] "
        "(needs pip install 'jostle\\[ray]').",
    ),
]
Address = Annotated[
    str | None,
    typer.Option(
        "--address",
        help="Address of a Ray cluster, as host:port or ray://host:port.",
        show_default="a private Ray on this machine",
    ),
]
NewFolder = Annotated[
    Path | None,
    typer.Option(
        "--output",
        "--out",
        "-o",
        help="Folder for the results; must be new or empty, since nothing is overwritten.",
        show_default="a new one in runs, named after the command and the time",
    ),
]
Renew = Annotated[
    bool,
    typer.Option(
        "--renew",
        help="If the folder holds another version of the experiment (other settings, seeds, "
        "policies or code), keep the runs that both have in common, delete the others and play "
        "what is missing. A folder with no run in common is refused.",
    ),
]


def make_engine(name: str, jobs: int | None, address: str | None) -> "Engine":
    """The engine that the options describe."""
    from jostle.lab.running.engine import Engine

    return Engine(name, jobs, address)
