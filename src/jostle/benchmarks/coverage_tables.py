"""The figures of ``evaluation_coverage`` as Markdown, and the page that shows them.

    python -m jostle.benchmarks.coverage_tables docs/evaluation_coverage.json docs/evaluation.md

Writes them into the page between two comments; ``tests/evaluation/test_coverage_study.py`` fails
while the page shows other figures than the file.
"""

import json
import statistics
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

BEGIN, END = "<!-- coverage: python -m jostle.benchmarks.coverage_tables -->", "<!-- end -->"
LOGS = {
    "uniform": "uniform",
    "epsilon-greedy": "epsilon-greedy around fixed estimates",
    "lin-ts": "LinTS while learning, floor 0.05",
    "npr": "NPR while learning, floor 0.05",
}
ADAPTIVE = ("lin-ts", "npr")
TARGETS = {"uniform": "uniform", "lin-ucb": "LinUCB", "npr": "NPR of another seed"}
INTERVALS = {
    "ips normal": "normal, IPS",
    "snips normal": "normal, SNIPS",
    "dr normal": "normal, DR",
    "snips bootstrap": "bootstrap, SNIPS",
    "bernstein": "bernstein",
    "sequence": "sequence",
    "running": "running",
}
ALWAYS = {
    "sequence at all times": "sequence, always",
    "running at all times": "running, always",
}


def page_text(content: dict[str, Any]) -> str:
    """What the page says of the study: coverage, widths and bias."""
    parts = [
        _table({**INTERVALS, **ALWAYS}, content, " held", _coverage),
        "Widths, for comparison, as means over the same logs and targets:",
        _table(INTERVALS, content, " width", lambda values: f"{statistics.fmean(values):.2f}"),
        _in_words(content),
        _bias(content["npr"]),
    ]
    if len({content[name]["npr"]["truth"] for name in LOGS}) > 1:
        parts.append(
            "The rows were measured at different times: the frozen NPR among the targets is not "
            "the same in all of them."
        )
    return "\n\n".join(parts)


def replaced(page: str, content: dict[str, Any]) -> str:
    """The page with these figures."""
    before, _, rest = page.partition(BEGIN)
    _, _, after = rest.partition(END)
    return f"{before}{BEGIN}\n\n{page_text(content)}\n\n{END}{after}"


def write(figures: Path, page: Path) -> None:
    """Write the figures of a file into the page."""
    page.write_text(replaced(page.read_text(), json.loads(figures.read_text())))


def _table(
    columns: dict[str, str],
    content: dict[str, Any],
    suffix: str,
    cell: Callable[[list[float]], str],
) -> str:
    lines = [
        "| log written by | " + " | ".join(columns.values()) + " |",
        "|---" * (len(columns) + 1) + "|",
    ]
    for name, words in LOGS.items():
        cells = [cell(_over_targets(content[name], key + suffix)) for key in columns]
        lines.append(f"| {words} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def _over_targets(logger: dict[str, Any], key: str) -> list[float]:
    return [logger[target][key] for target in TARGETS]


def _coverage(values: list[float]) -> str:
    return f"{100 * statistics.fmean(values):.1f} ({100 * min(values):.1f})"


def _in_words(content: dict[str, Any]) -> str:
    """The lowest and highest coverage of any target, where it matters."""
    fixed = [name for name in LOGS if name not in ADAPTIVE]
    asymptotic = [key for key in INTERVALS if "normal" in key or "bootstrap" in key]
    sure = [key for key in INTERVALS if key not in asymptotic]

    def between(names: Iterable[str], keys: Iterable[str]) -> str:
        found = [
            100 * value
            for name in names
            for key in keys
            for value in _over_targets(content[name], f"{key} held")
        ]
        return f"{min(found):.1f} to {max(found):.1f} %"

    return (
        "Where the logging policy did not learn, normal intervals and the bootstrap held the truth "
        f"in {between(fixed, asymptotic)} of the logs, whichever the target. Where it was "
        f"learning, normal intervals of IPS held it in {between(ADAPTIVE, ['ips normal'])}, of DR "
        f"in {between(ADAPTIVE, ['dr normal'])}, and the bootstrap of SNIPS in "
        f"{between(ADAPTIVE, ['snips bootstrap'])}: no interval that rests on many independent "
        "rows can be relied on there. `bernstein`, `sequence` and `running` held it in "
        f"{between(LOGS, sure)} of all logs, and the two sequences after every row in "
        f"{between(LOGS, ALWAYS)}. They promise 95 %, and are wider than they would have to be."
    )


def _bias(own: dict[str, Any]) -> str:
    lines = [
        "Whether IPS is unbiased on NPR's own logs, over the first 200 of them:",
        "",
        "| target | truth | bias of IPS | its standard error | as a share of the truth |",
        "|---|---|---|---|---|",
    ]
    for target, words in TARGETS.items():
        truth, error = own[target]["truth"], own[target]["ips error of bias"]
        bias = own[target]["ips bias"]
        lines.append(
            f"| {words} | {truth:.3f} | {bias:+.4f} | {error:.4f} | {100 * error / truth:.1f} % |"
        )
    return "\n".join(lines)


if __name__ == "__main__":
    write(*map(Path, sys.argv[1:]))
