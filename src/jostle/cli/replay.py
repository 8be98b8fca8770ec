"""The ``jostle replay`` command: the state of a service computed again from its log.

Heavy modules are imported inside the function, so that ``--help`` answers at once.
"""

from pathlib import Path
from typing import Annotated

import typer

from jostle.cli.errors import BAD_INPUT, FAILED, complain, one_line_errors, stop


def replay(
    data: Annotated[Path, typer.Argument(help="The folder of the service.", metavar="DATA")] = Path(
        "jostle-data"
    ),
    apps: Annotated[
        list[str] | None,
        typer.Option("--app", "-a", help="An app, as often as you like.", show_default="all"),
    ] = None,
    verify: Annotated[
        bool,
        typer.Option(
            "--verify",
            help="Compare the hash of every version with the logged one, make every decision "
            "again and compare it byte for byte, and check that each was closed once.",
        ),
    ] = False,
    snapshot: Annotated[
        bool,
        typer.Option("--snapshot", help="Start at the newest snapshot instead of the beginning."),
    ] = False,
) -> None:
    """Compute the state of a service again from its log, and print its SHA-256.

    The log is the truth: on the same type of machine and with the same versions
    the hash is that of the running service, whether replay starts at the
    beginning or at a snapshot. The service may be running meanwhile.

    [bold]Examples[/]

    [cyan]jostle replay[/]
      the hashes of all apps in ./jostle-data

    [cyan]jostle replay /srv/jostle --app shop --verify[/]
      also make every logged decision again
    """
    with one_line_errors():
        from jostle.service.log.sqlite import SqliteLog
        from jostle.service.replay import replay as replay_app

        try:
            log = SqliteLog(data)
            names = apps or list(log.apps())
            log.close()
            results = [
                replay_app(data, name, verify=verify, from_snapshot=snapshot) for name in names
            ]
        except ValueError as error:
            stop(str(error), BAD_INPUT)
        for found in results:
            checked = ""
            if verify:
                checked = f"  {found.decisions} decisions, {found.versions} versions verified"
            typer.echo(
                f"{found.app}  position {found.position}  observations {found.observations}  "
                f"sha256 {found.sha256}{checked}"
            )
        differences = [f"{found.app}: {each}" for found in results for each in found.errors]
        for each in differences[:20]:
            complain(each)
        if differences:
            stop(f"{len(differences)} differences", FAILED)
