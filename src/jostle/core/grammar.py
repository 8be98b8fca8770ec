"""Parsing of names with settings: ``npr``, ``npr:noise=0.2,steps=10``, ``my.module:Mine``.

A value in parentheses is a list of numbers, ``(0.6,0.5)``, or text with commas and colons of its
own, such as a name with settings: ``units:of=(h1:shown=50,noise=0.2),reward_scale=0.01``.

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
    *front, tail = _cut(text.strip(), ":")
    head = ":".join(front)
    if "=" not in tail:  # no settings; the colon may be that of module:Class
        head, tail = text.strip(), ""
    settings: dict[str, Any] = {}
    for piece in filter(None, (piece.strip() for piece in _cut(tail, ","))):
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
        for piece in filter(None, (piece.strip() for piece in _cut(text, ","))):
            if "=" in piece and ":" not in piece.partition("=")[0] and len(names) > first:
                names[-1] += ("," if "=" in names[-1] else ":") + piece
            else:
                names.append(piece)
    for name in names:
        if names.count(name) > 1:
            raise ValueError(f"{name!r} is named twice")
    return names


def matches(pattern: str, name: str) -> bool:
    """Whether ``name`` is that of ``pattern`` and has, among others, all settings of it."""
    wanted, found = parse(pattern), parse(name)
    return wanted.name == found.name and wanted.settings.items() <= found.settings.items()


def value(text: str) -> Any:
    """The value that a setting has when it is written as ``text``."""
    if text.casefold() in WORDS:
        return WORDS[text.casefold()]
    if text.startswith("(") and text.endswith(")"):
        inside = text[1:-1].strip()
        values = [value(each.strip()) for each in filter(None, _cut(inside, ","))]
        numbers = values and all(isinstance(each, int | float) for each in values)
        return tuple(values) if numbers else inside
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text


def _cut(text: str, mark: str) -> list[str]:
    """The pieces of ``text`` between those of ``mark`` that are not in parentheses."""
    pieces, depth = [""], 0
    for letter in text:
        depth += (letter == "(") - (letter == ")")
        if depth < 0:
            break
        if letter == mark and depth == 0:
            pieces.append("")
        else:
            pieces[-1] += letter
    if depth != 0:
        raise ValueError(f"{text!r}: a parenthesis is missing")
    return pieces
