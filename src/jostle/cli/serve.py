"""The ``jostle serve`` command: the decision service.

Heavy modules are imported inside the functions, so that ``--help`` answers at once.
"""

import gc
import os
import socket
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from jostle.cli.errors import BAD_INPUT, FAILED, one_line_errors, stop

if TYPE_CHECKING:
    from jostle.service.settings import Settings

NEEDED = (
    *("apsw", "httptools", "jinja2", "msgspec", "prometheus_client", "starlette", "structlog"),
    "uvicorn",
)
EXAMPLE = (
    '{"context": {"hour": 9}, "actions": [{"id": "a"}, {"id": "b", "features": {"price": 3}}]}'
)


def serve(
    data: Annotated[
        Path | None,
        typer.Option(
            "--data", help="Folder of the log, models and keys.", show_default="jostle-data"
        ),
    ] = None,
    host: Annotated[
        str | None,
        typer.Option("--host", help="Address to listen on.", show_default="127.0.0.1"),
    ] = None,
    port: Annotated[
        int | None,
        typer.Option("--port", help="Port to listen on; 0 for any.", show_default="8080"),
    ] = None,
    config: Annotated[
        Path | None,
        typer.Option("--config", help="TOML file with these and other settings."),
    ] = None,
    keys: Annotated[
        bool | None,
        typer.Option(
            "--keys/--no-keys",
            help="Whether requests need keys. Without, only this machine is served.",
            show_default="keys",
        ),
    ] = None,
    log_level: Annotated[
        str | None,
        typer.Option(
            "--log-level",
            help="[cyan]debug[/], [cyan]info[/], [cyan]warning[/] or [cyan]error[/]; lines of "
            "JSON on standard error.",
            show_default="warning",
        ),
    ] = None,
) -> None:
    """Serve decisions over HTTP, until Ctrl-C or SIGTERM.

    Decisions, rewards and models are kept in the data folder: what has been
    acknowledged is on the disk. The first start prints an admin key, once, and a
    command that asks for a decision. [cyan]jostle keys[/] makes further keys.

    Every setting can also be given as an environment variable
    ([cyan]JOSTLE_SERVE_PORT=9000[/]) or in a TOML file; flags go before variables,
    variables before the file.

    [bold]Examples[/]

    [cyan]jostle serve[/]
      http://127.0.0.1:8080, data in ./jostle-data

    [cyan]jostle serve --host 0.0.0.0 --data /var/lib/jostle --config serve.toml[/]
      for other machines, with settings from a file
    """
    with one_line_errors():
        from jostle.core.optional import require

        for module in (
            "msgspec",
            "apsw",
            "starlette",
            "uvicorn",
            "httptools",
            "prometheus_client",
            "jinja2",
        ):
            require(module, extra="serve")
        from jostle.service.settings import SettingsError, load

        flags = {
            "data": None if data is None else str(data), "host": host, "port": port,
            "keys": keys, "log_level": log_level,
        }  # fmt: skip
        try:
            settings = load(flags, os.environ, config)
        except SettingsError as error:
            stop(str(error), BAD_INPUT)
        _serve(settings)


def _serve(settings: "Settings") -> None:
    from jostle.service import dashboard
    from jostle.service.diagnostics import write_json_lines
    from jostle.service.server import run

    write_json_lines(settings.log_level)
    with _listen(settings.host, settings.port) as listening:
        address = _address(settings.host, listening.getsockname()[1])
        key = _first_key(settings)

        def ready() -> None:
            # What exists now stays: collecting garbage need not look at it again and again.
            gc.collect()
            gc.freeze()
            _greet(address, settings, key)

        run(settings, listening, ready, [dashboard.pages])


def _listen(host: str, port: int) -> socket.socket:
    """A socket that listens, so that an occupied port is found out before anything is started."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    found = socket.socket(family)
    found.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        found.bind((host.strip("[]"), port))
    except OSError as error:
        found.close()
        raise OSError(f"cannot listen on {host}:{port}: {error.strerror or error}") from None
    return found


def _address(host: str, port: int) -> str:
    if host in ("0.0.0.0", "::"):
        host = socket.gethostname()
    return f"http://[{host.strip('[]')}]:{port}" if ":" in host else f"http://{host}:{port}"


def _first_key(settings: "Settings") -> str | None:
    """An admin key, if there is no key yet."""
    from jostle.service.auth import Keys
    from jostle.service.roles import EVERY_APP
    from jostle.service.server import key_file, make_folder

    if not settings.keys:
        return None
    make_folder(settings)
    keys = Keys(key_file(settings))
    try:
        if keys.all():
            return None
    except ValueError as error:
        stop(str(error), FAILED)
    return keys.create({EVERY_APP: ["admin"]}, "first admin")[1]


def _greet(address: str, settings: "Settings", key: str | None) -> None:
    """Say where the service is, and how to ask it for a decision."""
    lines = [f"jostle serves {address}, data in {settings.data}; Ctrl-C stops it"]
    header = ""
    if key is not None:
        lines += ["", f"Admin key (shown this once): {key}"]
    if settings.keys:
        header = f" -H 'Authorization: Bearer {key or 'KEY'}'"
    url = f"{address}/v1/apps/{settings.app}/decisions"
    lines += [
        "",
        f"Dashboard: {address}/dashboard/",
        "",
        "Ask for a decision:",
        f"  curl -s {url}{header} -H 'Content-Type: application/json' -d '{EXAMPLE}'",
    ]
    typer.echo("\n".join(lines))
