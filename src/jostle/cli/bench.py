"""``jostle bench``: speed and memory, as tables."""

from typing import Annotated

import typer
from rich.console import Console

from jostle.cli.errors import BAD_INPUT, stop


def bench(
    only: Annotated[
        list[str] | None,
        typer.Argument(help="The benchmarks to run, by name.", show_default="all of them"),
    ] = None,
    sizes: Annotated[
        bool,
        typer.Option(
            "--sizes", help="Instead, time choosing and learning of every policy as sizes grow."
        ),
    ] = False,
) -> None:
    """Measure speed and memory, as ratios to a yardstick run in turns with ours.

    Each line compares our code with something measured beside it in the same
    run, so that the figures mean something on a busy machine too. With PyTorch
    installed ([cyan]pip install 'jostle\\[torch]'[/]) it also compares with learning the
    way the paper's authors did.

    [bold]Examples[/]

    [cyan]jostle bench[/]
      everything, in a few minutes

    [cyan]jostle bench decision exploration[/]
      only these two

    [cyan]jostle bench --sizes[/]
      every policy with 20 to 500 arms, and with networks 32 to 256 wide
    """
    if sizes:
        _bench_sizes(Console())
    else:
        _bench_ratios(Console(), only)


def _bench_ratios(console: Console, only: list[str] | None) -> None:
    """The suite, or some of it, as one table."""
    from rich.table import Table

    from jostle.benchmarks.suite import SUITE, run_suite
    from jostle.core.validation import unknown

    names = only or list(SUITE)
    for name in names:
        if name not in SUITE:
            stop(unknown("benchmark", name, SUITE), BAD_INPUT)
    table = Table("what", "ours", "yardstick", "ratio", "wanted", "", title="Benchmarks")
    try:
        with console.status("measuring ...") as status:
            for name in names:
                status.update(f"measuring: {name} ...")
                for row in run_suite([name]):
                    verdict = "[green]ok[/]" if row.ok else "[red]missed[/]"
                    table.add_row(
                        row.name, row.ours, row.yardstick, f"{row.ratio:.2f}", row.wanted, verdict
                    )
    finally:  # whatever stops it, what was measured is shown
        console.print(table)


def _bench_sizes(console: Console) -> None:
    """Milliseconds a round, choosing and learning, one table for arms and one for widths."""
    from itertools import groupby

    from rich.table import Table

    from jostle.benchmarks import sizes

    studies = {
        "arms shown (networks 64 wide)": (sizes.ARMS, sizes.over_arms),
        "width of the network (20 arms)": (sizes.WIDTHS, sizes.over_widths),
    }
    for title, (columns, study) in studies.items():
        heads = [f"{verb} {size}" for verb in ("choose", "learn") for size in columns]
        table = Table("ms a round", *heads, title=title)
        with console.status(f"measuring: {title} ..."):
            for name, costs in groupby(study(), key=lambda cost: cost.policy):
                done = list(costs)
                cells = [cost.choosing for cost in done] + [cost.learning for cost in done]
                table.add_row(name, *(f"{cell:.3f}" for cell in cells))
        console.print(table)
