"""Docstrings are plain text: indented equations stay as they are, and signs are only signs.

Python's help shows our docstrings as they are written. To reStructuredText an indented block would
be a quotation, |x| a substitution and a* the begin of emphasis.
"""

import re
from typing import Any

PAGE = re.compile(r"\bdocs/([\w/-]+)\.md")
TRAINING = re.compile(r"Training\(optimiser=.*?forget='\w+'\)")
CODE = re.compile(r"(``.+?``)")


def process(
    _app: Any, _what: str, _name: str, _object: Any, _options: Any, lines: list[str]
) -> None:
    """Rewrite the lines of a docstring in place."""
    made: list[str] = []
    literal = False
    for place, line in enumerate(lines):
        indented = line.startswith("    ")
        if literal and line and not indented:
            literal = False
        if indented and not literal and place and not lines[place - 1]:
            literal = True
            made += ["::", ""]
        made.append(line if literal else escaped(line))
    lines[:] = made


def shorten(_app: Any, _what: str, _name: str, _object: Any, _options: Any, *signature: Any) -> Any:
    """Signatures with ``training=Training()``, whose defaults are its own; None changes nothing."""
    arguments, returned = signature
    return None if arguments is None else (TRAINING.sub("Training()", arguments), returned)


def escaped(line: str) -> str:
    """The line with its signs protected, except within double backticks."""
    parts = CODE.split(line)
    return "".join(part if CODE.fullmatch(part) else _escaped(part) for part in parts)


def _escaped(text: str) -> str:
    text = re.sub(r"([*|`])", r"\\\1", text)
    text = re.sub(r"(?<=\w)_(?!\w)", r"\\_", text)
    return PAGE.sub(r":doc:`/\1`", text)


def setup(app: Any) -> dict[str, Any]:
    """Before napoleon, which reads the sections of arguments."""
    app.connect("autodoc-process-docstring", process, priority=100)
    app.connect("autodoc-process-signature", shorten)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
