"""The pages of the documentation, and what tests take out of them: code, commands, links."""

import re
import shlex
from pathlib import Path

ROOT = Path(__file__).parent.parent
DOCS = ROOT / "docs"
GENERATED = DOCS / "results"
FENCE = re.compile(r"^( *)```(\w*)\n(.*?)^\1```", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"!?\[[^\]]*\]\(([^)\s]+)\)")


def pages(*, generated=False):
    """All pages, by their path from the root of the repository; those of results if asked for."""
    found = [*ROOT.glob("*.md"), *DOCS.rglob("*.md")]
    kept = [path for path in found if generated or GENERATED not in path.parents]
    return sorted(path.relative_to(ROOT).as_posix() for path in kept if "_build" not in path.parts)


def text(page):
    return (ROOT / page).read_text("utf-8")


def blocks(page, language):
    """The fenced blocks of a page in this language."""
    return [code for _, found, code in FENCE.findall(text(page)) if found == language]


def commands(page):
    """The ``jostle`` commands of a page, in shell blocks and indented ones, as lists of words."""
    lines = [line for code in blocks(page, "sh") for line in code.splitlines()]
    prose = FENCE.sub("", text(page))
    lines += re.findall(r"(?<=\n)    (jostle .*)", prose)
    return [shlex.split(line, comments=True) for line in lines if line.startswith("jostle ")]


def saved_files(page):
    """The blocks that a page names as files: ``# name.py`` at their top, or `name.toml` before."""
    files = {}
    for code in blocks(page, "python"):
        if named := re.match(r"# (\w+\.py)\n", code):
            files[named[1]] = code
    named = re.findall(r"`([\w-]+\.toml)`:?\n\n```toml\n(.*?)```", text(page), re.DOTALL)
    return {**files, **dict(named)}


def said_to_be_printed(code):
    """What comments say is printed: behind ``print(...)`` up to an ellipsis, or after all code."""
    behind = re.findall(r"print\(.*\)  # (\S.*?)(?: \.\.\.)?$", code, re.MULTILINE)
    exact = [said for said in behind if re.match(r"[A-Z0-9(\[]|\w+$|.*:", said)]
    after = re.findall(r"\n\n((?:# .*\n)+)$", code)
    return exact + [line[2:] for lines in after for line in lines.splitlines()]


def anchors(page):
    """The names by which headings can be linked to, as GitHub and MyST make them."""
    titles = re.findall(r"^#+ (.*)$", FENCE.sub("", text(page)), re.MULTILINE)
    plain = (re.sub(r"[^\w\- ]", "", re.sub(r"[`*]", "", title)).lower() for title in titles)
    return {title.replace(" ", "-") for title in plain}


def links(page):
    """The links of a page that lead to files of the repository: (path, anchor)."""
    prose = re.sub(r"`[^`\n]*`", "", FENCE.sub("", text(page)))
    for target in LINK.findall(prose):
        if not re.match(r"[a-z]+:", target):
            path, _, anchor = target.partition("#")
            yield (ROOT / page).parent / path if path else ROOT / page, anchor
