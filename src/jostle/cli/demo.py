"""The ``jostle demo`` command: the decision service with a simulated application.

Heavy modules are imported inside the functions, so that ``--help`` answers at once.
"""

import contextlib
import os
import signal
import subprocess
import sys
import tempfile
import threading
import webbrowser
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import typer

from jostle.cli.errors import FAILED, one_line_errors, stop

WAIT = 20.0
"""Seconds that decisions of the demo wait for a click."""
FLOOR = 0.1
"""Probability that the adverts share: with more, it is soon known what others would earn."""
SNAPSHOT = 30.0
"""Seconds between versions of its model, so that there soon is something to roll back to."""
PATIENCE = 60.0
"""Seconds for the server to start, or to stop."""


def demo(
    port: Annotated[int, typer.Option("--port", help="Port of the server; 0 for any.")] = 0,
    rate: Annotated[float, typer.Option("--rate", help="Visitors per second.", min=0.1)] = 20.0,
    seconds: Annotated[
        float | None, typer.Option("--seconds", help="Stop by itself after so long.")
    ] = None,
    browser: Annotated[
        bool, typer.Option("--browser/--no-browser", help="Whether to open the dashboard.")
    ] = True,
) -> None:
    """Start [cyan]jostle serve[/] in a temporary folder, with a simulated shop.

    Visitors see one of six adverts and click after some seconds, if at all. A fifth
    of the clicks is sent twice, a tenth comes too late. The dashboard shows how the
    service learns from them. Ctrl-C stops everything and removes the folder.
    """
    with one_line_errors(), tempfile.TemporaryDirectory(prefix="jostle-demo-") as folder:
        from jostle.core.optional import require

        for module in ("httpx", "msgspec"):
            require(module, extra="serve")
        from jostle.service.auth import KEY_FILE, Keys

        key = Keys(Path(folder) / KEY_FILE).create({"*": ["admin"]}, "demo")[1]
        with _server(Path(folder), port) as address, _interruptible() as stopped:
            _show(address, key, browser)
            visitors = _drive(address, key, rate, stopped, seconds)
            typer.echo(f"{visitors:,} visitors came. Stopping ...")


@contextlib.contextmanager
def _server(folder: Path, port: int) -> Iterator[str]:
    """A server while it runs; its address."""
    command = [sys.executable, "-m", "jostle", "serve", "--data", str(folder), "--port", str(port)]
    # In a group of its own: Ctrl-C is for the demo, which then stops the server after the traffic.
    environment = {"JOSTLE_SERVE_CORE_SNAPSHOT": str(SNAPSHOT), **os.environ}
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, text=True, start_new_session=True, env=environment
    )
    try:
        yield _address(process)
    finally:
        process.send_signal(signal.SIGTERM)
        try:
            process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        assert process.stdout is not None
        process.stdout.close()


def _address(process: "subprocess.Popen[str]") -> str:
    """Where the server answers, which its first line tells once it does."""
    assert process.stdout is not None
    impatient = threading.Timer(PATIENCE, process.kill)
    impatient.start()
    try:
        words = process.stdout.readline().split()
    finally:
        impatient.cancel()
    found = [word.rstrip(",") for word in words if word.startswith("http://")]
    if not found:
        stop("jostle serve did not start; what it said is above", FAILED)
    return found[0]


@contextlib.contextmanager
def _interruptible() -> Iterator[threading.Event]:
    """An event that Ctrl-C or SIGTERM sets."""
    stopped = threading.Event()
    before = {
        number: signal.signal(number, lambda *_: stopped.set())
        for number in (signal.SIGINT, signal.SIGTERM)
    }
    try:
        yield stopped
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _show(address: str, key: str, browser: bool) -> None:
    dashboard = f"{address}/dashboard/apps/default?span=minutes"
    typer.echo(f"Dashboard: {dashboard}\nSign in with the key: {key}\nCtrl-C stops the demo.")
    if browser:
        webbrowser.open(dashboard)


def _drive(
    address: str, key: str, rate: float, stopped: threading.Event, seconds: float | None
) -> int:
    from jostle import Client
    from jostle.cli.demo_traffic import Shop, run

    if seconds is not None:
        threading.Timer(seconds, stopped.set).start()
    with Client(address, key) as client:
        client.put_config({"wait": WAIT, "floor": FLOOR})
        return run(Shop(client, WAIT), rate, stopped.wait)
