"""Markdown whose lines wrap: paragraphs and list items, but not tables, headings or code."""

import re
import textwrap

WIDTH = 100
FENCE = "```"
_MARK = re.compile(r"^([-+*>#|]|\d+[.)])$")
"""Words that would begin a list, a quotation or a heading if a line began with them."""
_ITEM = re.compile(r"^(- |\d+\. )")
_GLUE = "\0"


def wrap(page: str, width: int = WIDTH) -> str:
    """The page with no line longer than ``width``, except those of tables, images and headings."""
    blocks, inside = [], False
    for block in page.split("\n\n"):
        fences = sum(line.startswith(FENCE) for line in block.splitlines())
        blocks.append(block if inside or fences else _wrapped(block, width))
        inside ^= fences % 2 == 1
    return "\n\n".join(blocks)


def _wrapped(block: str, width: int) -> str:
    if block.startswith(("|", "#", "![", "<!--", "    ")):
        return block
    if _ITEM.match(block):
        items = re.split(r"\n(?=- |\d+\. )", block)
        return "\n".join(_filled(item, width, len(_ITEM.match(item)[0])) for item in items)  # type: ignore[index]
    return _filled(block, width, 0)


def _filled(text: str, width: int, hanging: int) -> str:
    first, *words = text.split()
    glued = first
    for word in words:
        # A mark stays with the word before it, except the one that begins an item.
        glued += (_GLUE if _MARK.match(word) else " ") + word
    lines = textwrap.wrap(
        glued,
        width,
        subsequent_indent=" " * hanging,
        break_long_words=False,
        break_on_hyphens=False,
    )
    return "\n".join(lines).replace(_GLUE, " ")
