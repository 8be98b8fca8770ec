"""The ``jostle keys`` commands: keys of the decision service, also while it runs."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from jostle.cli.errors import BAD_INPUT, one_line_errors, stop

if TYPE_CHECKING:
    from jostle.service.auth import Keys

keys = typer.Typer(
    help="Make, list and revoke keys of [cyan]jostle serve[/], also while it runs.",
    no_args_is_help=True,
)

Data = Annotated[
    Path, typer.Option("--data", help="The folder that [cyan]jostle serve[/] was given.")
]
DATA = Path("jostle-data")


@keys.command()
def create(
    roles: Annotated[
        list[str],
        typer.Argument(
            help="[cyan]decide[/], [cyan]reward[/], [cyan]read[/] or [cyan]admin[/] (all three).",
            metavar="ROLE...",
        ),
    ],
    app: Annotated[
        str, typer.Option("--app", help="The app; [cyan]*[/] is all of them and the server.")
    ] = "default",
    name: Annotated[str, typer.Option("--name", help="A note on what it is for.")] = "",
    data: Data = DATA,
) -> None:
    """Make a key and print it, once. A running server accepts it within a second.

    [bold]Example[/]

    [cyan]jostle keys create decide reward --app shop --name "front end"[/]
    """
    with one_line_errors():
        try:
            id, key = _keys(data).create({app: roles}, name)
        except ValueError as error:
            stop(str(error), BAD_INPUT)
        typer.echo(key)
        typer.echo(f"The key's id is {id}; jostle keys revoke {id} revokes it.", err=True)


@keys.command("list")
def list_keys(data: Data = DATA) -> None:
    """List the keys: ids, roles per app, notes. The keys themselves are not stored."""
    with one_line_errors():
        try:
            found = _keys(data).all()
        except ValueError as error:
            stop(str(error), BAD_INPUT)
        for key in found:
            grants = "; ".join(f"{app}: {', '.join(held)}" for app, held in key.grants.items())
            typer.echo(f"{key.id}  {grants}  {key.name}".rstrip())


@keys.command()
def revoke(
    id: Annotated[str, typer.Argument(help="The id of the key, which is also its second part.")],
    data: Data = DATA,
) -> None:
    """Revoke a key. A running server refuses it within a second."""
    with one_line_errors():
        if not _keys(data).revoke(id):
            stop(f"there is no key of id {id!r}; jostle keys list lists them", BAD_INPUT)


def _keys(data: Path) -> "Keys":
    from jostle.core.optional import require

    for module in ("msgspec", "structlog"):
        require(module, extra="serve")
    from jostle.service.auth import KEY_FILE, Keys

    if not data.is_dir():
        stop(f"there is no folder {data}: start jostle serve first, or pass --data", BAD_INPUT)
    return Keys(data / KEY_FILE)
