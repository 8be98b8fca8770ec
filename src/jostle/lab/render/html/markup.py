"""Pieces of HTML. Whatever is passed in is text, and escaped here."""

from collections.abc import Iterable, Mapping, Sequence
from html import escape
from typing import Any, NamedTuple


class Cell(NamedTuple):
    """What a cell of a table shows, and what it is sorted by (None comes last)."""

    text: str
    value: Any = None


def table(
    heads: Sequence[str], lines: Iterable[Sequence[Cell]], sorted_by: str | None = None
) -> str:
    """A table that a click on a head sorts; the first cell of a line names it."""
    lines = list(lines)
    order = ' aria-sort="ascending"'
    looks = [
        ' class="words"' if any(isinstance(line[place].value, str) for line in lines) else ""
        for place in range(len(heads))
    ]
    top = "".join(
        f'<th scope="col"{look}{order if head == sorted_by else ""}>'
        f'<button type="button">{escape(head)}</button></th>'
        for head, look in zip(heads, looks, strict=True)
    )
    body = "\n".join(
        "<tr>"
        + "".join(
            _cell(cell, 'th scope="row"' if place == 0 else f"td{looks[place]}")
            for place, cell in enumerate(line)
        )
        + "</tr>"
        for line in lines
    )
    return (
        f'<div class="scroll"><table><thead><tr>{top}</tr></thead>\n'
        f"<tbody>{body}</tbody></table></div>"
    )


def _cell(cell: Cell, tag: str) -> str:
    exact = "" if cell.value is None else escape(str(cell.value))
    return f'<{tag} data-value="{exact}">{escape(cell.text)}</{tag[:2]}>'


def definitions(items: Mapping[str, Any]) -> str:
    """Names and what they mean."""
    inner = "".join(
        f"<dt>{escape(name)}</dt><dd>{escape(str(value))}</dd>" for name, value in items.items()
    )
    return f"<dl>{inner}</dl>"


def details(summary: str, content: str) -> str:
    """Something to unfold; ``content`` is HTML already."""
    return f"<details><summary>{escape(summary)}</summary>{content}</details>"


def paragraph(text: str, kind: str = "") -> str:
    """A paragraph, maybe of a class."""
    return f'<p class="{kind}">{escape(text)}</p>' if kind else f"<p>{escape(text)}</p>"


def bullets(texts: Iterable[str]) -> str:
    """A list."""
    return "<ul>" + "".join(f"<li>{escape(text)}</li>" for text in texts) + "</ul>"
