"""The ``jostle bench`` command: speed, latency and memory, as tables.

Heavy modules are imported inside the functions, so that ``--help`` answers at once.
"""

from typing import Annotated

import typer
from rich.console import Console

from jostle.cli.errors import BAD_INPUT, INTERRUPTED, stop


def bench(
    names: Annotated[
        list[str] | None,
        typer.Argument(
            help="Benchmarks to run; [cyan]--list[/] describes them.", show_default="all"
        ),
    ] = None,
    quick: Annotated[
        bool, typer.Option("--quick", help="Fewer repetitions: rougher figures, in less time.")
    ] = False,
    show_list: Annotated[
        bool, typer.Option("--list", help="List the benchmarks and what they measure, and exit.")
    ] = False,
    sizes: Annotated[
        bool,
        typer.Option(
            "--sizes",
            help="Instead, time choosing and learning of every policy with growing numbers of arms "
            "and network widths.",
        ),
    ] = False,
) -> None:
    """Measure speed, latency and memory.

    Each line of the table compares our code with a reference that is measured
    in the same run, in turns, so that the ratios are meaningful on a busy
    machine too. "expected" is the ratio that we hold ourselves to.

    [bold]Examples[/]

    [cyan]jostle bench[/]
      all benchmarks; takes several minutes

    [cyan]jostle bench agent[/]
      latency of Agent.learn and Agent.choose: p50, p99, p99.9 and maximum

    [cyan]jostle bench agent decision --quick[/]
      two benchmarks with fewer repetitions

    [cyan]jostle bench --sizes[/]
      every policy with 20 to 500 arms, and with networks of width 32 to 256

    [bold]Benchmarks[/]

    agent, agent-policies, decision, exploration, solved, units (needs the data sets), online,
    pooled-update, late-round, bounded-memory, lin-ucb, covariance, import, trial, workers,
    encoding, deciding, records (needs the data sets), warm-start, warm-start-regret,
    warm-start-weights, service; and with PyTorch installed ([cyan]pip install
    'jostle\\[torch]'[/]) pytorch-learning and pytorch-regret, which compare with an implementation
    like that of the paper's authors. With obp 0.4.1 in another environment, whose Python
    JOSTLE_OBP_PYTHON names, evaluation compares with it
    """
    console = Console()
    try:
        if show_list:
            _show_list(console)
        elif sizes:
            _bench_sizes(console)
        else:
            _bench_ratios(console, names, quick)
    except KeyboardInterrupt:
        stop("Interrupted", INTERRUPTED)


def _show_list(console: Console) -> None:
    from rich.table import Table

    from jostle.benchmarks.suite import SUITE, description

    table = Table("name", "what it measures")
    for name in SUITE:
        table.add_row(name, description(name))
    console.print(table)


def _bench_ratios(console: Console, names: list[str] | None, quick: bool) -> None:
    """Run the named benchmarks, or all of them, and print one table."""
    from rich.table import Table

    from jostle.benchmarks.suite import SUITE, run
    from jostle.core.validation import unknown

    chosen = names or list(SUITE)
    for name in chosen:
        if name not in SUITE:
            stop(unknown("benchmark", name, SUITE), BAD_INPUT)
    table = Table("what", "ours", "reference", "ratio", "expected", "", title="Benchmarks")
    details = []
    try:
        with console.status("measuring ...") as status:
            for name in chosen:
                status.update(f"measuring: {name} ...")
                for row in run(name, quick):
                    verdict = "[green]ok[/]" if row.ok else "[red]missed[/]"
                    table.add_row(
                        row.name, row.ours, row.reference, f"{row.ratio:.2f}", row.expected, verdict
                    )
                    details += [row.details] if row.details else []
    finally:  # also after an error or Ctrl-C, print what has been measured
        console.print(table)
        for text in details:
            console.print(text, markup=False, highlight=False, soft_wrap=True)


def _bench_sizes(console: Console) -> None:
    """Print milliseconds per round for choosing and learning, by arms and by width."""
    from itertools import groupby

    from rich.table import Table

    from jostle.benchmarks import policy_scaling

    studies = {
        "arms shown (networks of width 64)": (policy_scaling.ARMS, policy_scaling.over_arms),
        "width of the network (20 arms)": (policy_scaling.WIDTHS, policy_scaling.over_widths),
    }
    for title, (columns, study) in studies.items():
        heads = [f"{verb} {size}" for verb in ("choose", "learn") for size in columns]
        table = Table("ms per round", *heads, title=title)
        with console.status(f"measuring: {title} ..."):
            for name, costs in groupby(study(), key=lambda cost: cost.policy):
                done = list(costs)
                cells = [cost.choosing for cost in done] + [cost.learning for cost in done]
                table.add_row(name, *(f"{cell:.3f}" for cell in cells))
        console.print(table)
