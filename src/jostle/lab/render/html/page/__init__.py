"""The files that a page is made of, and how they are filled in."""

import re
from importlib.resources import files


def piece(name: str) -> str:
    """One of the files beside this one."""
    return files(__package__).joinpath(name).read_text("utf-8")


def fill(name: str, **parts: str) -> str:
    """A template with its ``{{places}}`` filled.

    In one pass, so that nothing inserted is ever taken for a place.
    """
    return re.sub(r"\{\{(\w+)\}\}", lambda match: parts[match[1]], piece(name))


def page(title: str, kind: str, body: str, *, summary: str = "", scripts: str = "") -> str:
    """A whole page; all but the style is HTML already, with whatever is foreign escaped."""
    style = piece("style.css")
    parts = {"title": title, "kind": kind, "summary": summary, "body": body, "scripts": scripts}
    return fill("frame.html", style=style, **parts)
