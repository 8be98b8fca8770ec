"""The reference of the command line, written from the commands themselves."""

import re
from collections.abc import Iterator
from typing import Any

PLACE = "<!-- commands -->"


def write(_app: Any, _docname: str, source: list[str]) -> None:
    """Put the commands in their place on the page that has one."""
    if PLACE in source[0]:
        source[0] = source[0].replace(PLACE, "\n".join(reference()))


def reference() -> Iterator[str]:
    """Every command with its help, arguments and options, as Markdown."""
    from typer.main import get_command

    from jostle.cli import app

    yield from _group(get_command(app), "jostle", 2)


def _group(command: Any, name: str, level: int) -> Iterator[str]:
    for word, each in sorted(command.commands.items()):
        full = f"{name} {word}"
        yield f"{'#' * level} {full}\n"
        yield f"{_plain(each.help or '')}\n"
        if hasattr(each, "commands"):
            yield from _group(each, full, level + 1)
            continue
        rows = [_row(parameter) for parameter in each.params if not parameter.hidden]
        if rows:
            yield "| argument or option | meaning | default |\n|---|---|---|"
            yield "\n".join(rows) + "\n"


def _row(parameter: Any) -> str:
    names = ", ".join(f"`{each}`" for each in (*parameter.opts, *parameter.secondary_opts))
    if parameter.param_type_name == "argument":
        names = f"`{parameter.metavar or parameter.name.upper()}`"
    default = parameter.default
    shown = "" if default in (None, False, (), []) or callable(default) else f"`{default}`"
    meaning = _plain(getattr(parameter, "help", "") or "").replace("\n", " ").replace("|", r"\|")
    return f"| {names} | {meaning} | {shown} |"


def _plain(text: str) -> str:
    """Help without the markup of the terminal: commands as code, titles in bold."""
    text = re.sub(r"\[cyan\](.*?)\[/(?:cyan)?\]", r"`\1`", text, flags=re.DOTALL)
    text = re.sub(r"\[bold\](.*?)\[/(?:bold)?\]", r"**\1**", text, flags=re.DOTALL)
    return text.replace("\b", "").replace("\\[", "[")


def setup(app: Any) -> dict[str, Any]:
    """Write when the page is read."""
    app.connect("source-read", write)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
