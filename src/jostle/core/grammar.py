"""Parsing of names with settings: ``npr``, ``npr:noise=0.2,steps=10``, ``my.module:Mine``.

This is text only, and needs no JAX: ``jostle.factory`` builds the objects.
"""

from collections.abc import Iterable
from typing import Any, NamedTuple

WORDS = {"none": None, "true": True, "false": False}


class Name(NamedTuple):
    """A name and the settings given with it."""

    name: str
    settings: dict[str, Any]


def parse(text: str) -> Name:
    """Parse ``name`` or ``name:setting=value,setting=value``."""
    head, _, tail = text.strip().rpartition(":")
    if "=" not in tail:  # no settings; the colon may be that of module:Class
        head, tail = text.strip(), ""
    settings: dict[str, Any] = {}
    for piece in filter(None, (piece.strip() for piece in tail.split(","))):
        key, equals, written = (part.strip() for part in piece.partition("="))
        if not (equals and key and written):
            raise ValueError(f"{text!r}: settings are written name=value, not {piece!r}")
        if key in settings:
            raise ValueError(f"{text!r}: {key} is set twice")
        settings[key] = value(written)
    if not head or "=" in head:
        raise ValueError(f"{text!r} is not written name or name:setting=value,setting=value")
    return Name(head, settings)


def split(texts: Iterable[str]) -> list[str]:
    """The names in comma-separated lists, each kept together with its settings.

    A piece that is only ``setting=value`` belongs to the name before it.
    """
    names: list[str] = []
    for text in texts:
        first = len(names)
        for piece in filter(None, (piece.strip() for piece in text.split(","))):
            if "=" in piece and ":" not in piece.partition("=")[0] and len(names) > first:
                names[-1] += ("," if "=" in names[-1] else ":") + piece
            else:
                names.append(piece)
    for name in names:
        if names.count(name) > 1:
            raise ValueError(f"{name!r} is named twice")
    return names


def value(text: str) -> Any:
    """The value that a setting has when it is written as ``text``."""
    if text.casefold() in WORDS:
        return WORDS[text.casefold()]
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text
