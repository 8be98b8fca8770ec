"""Errors of commands: one red line on stderr, and an exit code."""

from typing import NoReturn

import typer
from rich.console import Console

FAILED, BAD_INPUT, INTERRUPTED = 1, 2, 130


def complain(message: str) -> None:
    """Print an error and continue."""
    Console(stderr=True).print(message, style="red", markup=False, highlight=False, soft_wrap=True)


def stop(message: str, code: int) -> NoReturn:
    """Print an error and end the command."""
    complain(message)
    raise typer.Exit(code)
