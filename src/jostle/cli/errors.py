"""How commands report errors: one red line on stderr, and an exit code."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import NoReturn

import typer
from rich.console import Console

FAILED, BAD_INPUT, INTERRUPTED = 1, 2, 130


def complain(message: str) -> None:
    """Print an error and continue."""
    Console(stderr=True).print(message, style="red", markup=False, highlight=False, soft_wrap=True)


def stop(message: str, code: int) -> NoReturn:
    """Print an error and exit with ``code``."""
    complain(message)
    raise typer.Exit(code)


@contextmanager
def one_line_errors() -> Iterator[None]:
    """Turn file system errors, missing packages and Ctrl-C into one line and an exit code."""
    try:
        yield
    except BrokenPipeError:
        raise  # whoever read our output has closed the pipe: Typer exits quietly
    except (OSError, ImportError) as error:
        stop(one_line(error), FAILED)
    except KeyboardInterrupt:
        stop("Interrupted", INTERRUPTED)


def one_line(error: Exception) -> str:
    """The message of an error without line breaks."""
    return " ".join(str(error).split()) or type(error).__name__
