"""The ``jostle evaluate`` command: what other policies would have earned, from a log.

Heavy modules are imported inside the functions, so that ``--help`` answers at once.
"""

import json
import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console

from jostle.cli.options import NewFolder
from jostle.cli.session import bad_input, interruptible, own_modules

if TYPE_CHECKING:
    from jostle.evaluation import Comparison

NUMBERS = "evaluation.json"


def evaluate(
    log: Annotated[
        Path,
        typer.Argument(
            help="Logged decisions: .parquet, .jsonl, or a .csv of the Open Bandit Dataset.",
            metavar="LOG",
        ),
    ],
    policies: Annotated[
        list[str],
        typer.Option(
            "--policy",
            "-p",
            help="What to evaluate, as often as you like: a policy ([cyan]npr:noise=0.2[/]), which "
            "learns as it goes; an agent's file ([cyan]agent.npz[/]), as it is; [cyan]uniform[/]; "
            "an arm's number or label.",
        ),
    ],
    baseline: Annotated[
        str,
        typer.Option("--baseline", "-b", help="What the policies are compared with."),
    ] = "logged",
    estimators: Annotated[
        str,
        typer.Option("--estimators", help="Estimators, separated by commas."),
    ] = "ips,snips,dr",
    interval: Annotated[
        str,
        typer.Option(
            "--interval",
            help="[cyan]normal[/], [cyan]bootstrap[/], [cyan]bernstein[/], [cyan]sequence[/], "
            "[cyan]running[/] or [cyan]none[/]. bernstein, sequence and running also hold if the "
            "policy that wrote the log was learning.",
        ),
    ] = "normal",
    level: Annotated[
        float, typer.Option("--level", help="Probability with which an interval should hold.")
    ] = 0.95,
    reward_range: Annotated[
        tuple[float, float] | None,
        typer.Option(
            "--reward-range",
            help="The smallest and the largest possible reward, for bernstein, sequence, running.",
            show_default="those of the log",
        ),
    ] = None,
    largest_weight: Annotated[
        float | None,
        typer.Option(
            "--largest-weight",
            help="A bound on the importance weights that is known beforehand, such as the number "
            "of arms where the log chose uniformly, for bernstein, sequence, running.",
            show_default="from the logged probabilities of all arms, if they are there",
        ),
    ] = None,
    model: Annotated[
        str,
        typer.Option(
            "--model",
            help="The reward model of dm, dr, sndr, switch-dr and dros: [cyan]ridge[/] or "
            "[cyan]network[/].",
        ),
    ] = "ridge",
    groups: Annotated[
        str | None,
        typer.Option(
            "--groups",
            help="The group of each arm in the order of their numbers, separated by commas, for "
            "the estimator mips: [cyan]0,0,1,1[/].",
            show_default=False,
        ),
    ] = None,
    repair: Annotated[
        list[str] | None,
        typer.Option(
            "--repair",
            help="What to do about bad rows, which are refused otherwise: [cyan]drop-rows[/], "
            "[cyan]renormalise[/], [cyan]missing-reward-is-zero[/].",
        ),
    ] = None,
    output: NewFolder = None,
) -> None:
    """Estimate what policies would have earned, from logged decisions alone.

    Prints a table of estimates with intervals, and of differences from the
    baseline with intervals of their own. Warnings say in plain words when the
    log cannot answer. docs/evaluation.md explains the numbers.

    [bold]Examples[/]

    [cyan]jostle evaluate log.parquet --policy npr --policy agent.npz --baseline logged[/]
      two policies against the one that wrote the log

    [cyan]jostle evaluate log.parquet -p uniform --estimators dr,switch-dr --interval bootstrap[/]
      other estimators and intervals

    [cyan]jostle evaluate log.parquet -p agent.npz --interval sequence --reward-range 0 1[/]
      intervals that hold although the logging policy was learning

    [bold]Files[/]

    report.html (open it in a browser) with a forest plot, the importance weights
    and the value over time; evaluation.json (the numbers)
    """
    console = Console()
    with interruptible():
        from jostle.core.grammar import split
        from jostle.evaluation import compare, scan
        from jostle.evaluation.named_targets import labels_of, target_of
        from jostle.lab.render.html import evaluation_page
        from jostle.lab.results.locations import make_empty

        own_modules()
        with bad_input():
            logged = scan(log, repair=repair or ())
            texts = [*policies, baseline]
            labels = labels_of(texts)
            targets = {labels[text]: target_of(text, logged) for text in texts}
            with console.status("evaluating ..."):
                found = compare(
                    logged,
                    targets,
                    labels[baseline],
                    split([estimators]),
                    None if interval == "none" else interval,
                    level=level,
                    model=model,
                    reward_range=reward_range,
                    largest_weight=largest_weight,
                    groups=None if groups is None else [each.strip() for each in groups.split(",")],
                )
            folder = make_empty(output, f"evaluate-{log.stem}")
        command = shlex.join(["jostle", *sys.argv[1:]])
        path = evaluation_page.save(found, folder, title=f"Policies on {log.name}", command=command)
        _write_numbers(found, folder / NUMBERS, command)
        _show(console, found)
        console.print(f"report  {path}", markup=False, highlight=False, soft_wrap=True)


def _show(console: Console, comparison: "Comparison") -> None:
    """Print the table, the verdicts and the warnings."""
    from rich.box import SIMPLE_HEAD
    from rich.table import Table
    from rich.text import Text

    from jostle.lab.render.evaluation_table import compact_lines, evaluation_warnings, verdict

    table = Table(
        title=f"{comparison.rows:,} rows",
        title_justify="left",
        box=SIMPLE_HEAD,
        show_edge=False,
        padding=0,
    )
    titles = ["policy", "by", "value", "difference", "effective\nsize", "largest\nweight"]
    if console.width < 100:  # the report has it, and a weight that is too large is warned of
        titles.pop()
    for place, title in enumerate(titles):
        words = place < 2
        table.add_column(
            title,
            justify="left" if words else "right",
            overflow="fold",
            no_wrap=not words,
            min_width=6,
        )
    for line in compact_lines(comparison):
        table.add_row(*(Text(cell) for cell in line[: len(titles)]))
    console.print(table)
    for sentence in verdict(comparison):
        console.print(sentence, markup=False, highlight=False)
    for subject, warning in evaluation_warnings(comparison):
        console.print(f"{subject}: {warning}", style="yellow", markup=False, highlight=False)


def _write_numbers(comparison: "Comparison", path: Path, command: str) -> None:
    from jostle.core.atomic import atomic

    content = {
        "format": "jostle-evaluation",
        "command": command,
        "rows": comparison.rows,
        "baseline": comparison.baseline,
        "interval": comparison.interval,
        "level": comparison.level,
        "estimates": comparison.lines(),
    }
    with atomic(path) as file:
        file.write((json.dumps(content, indent=2) + "\n").encode())
