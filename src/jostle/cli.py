"""The ``jostle`` command.

Everything heavy is imported inside the commands, so that ``--help`` answers at once.
"""

import os
import shlex
import sys
import time
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console

from jostle import __version__
from jostle.complaints import BAD_INPUT, FAILED, INTERRUPTED, complain, stop
from jostle.data_cli import data
from jostle.theory_cli import theory

if TYPE_CHECKING:
    from jostle.lab.plan import Comparison, Plan
    from jostle.lab.results import Facts
    from jostle.policies import Policy

WORTH_SAYING = 2**25  # bytes


app = typer.Typer(
    help="Neural contextual bandits that explore by perturbing the rewards they learn from.",
    no_args_is_help=True,
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
)
app.add_typer(data, name="data")
app.command()(theory)


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(__version__)
        raise typer.Exit


@app.callback()
def main(
    version: Annotated[
        bool,
        typer.Option(
            "--version", help="Print the version.", callback=_print_version, is_eager=True
        ),
    ] = False,
) -> None:
    """Neural contextual bandits that explore by perturbing the rewards they learn from."""


@app.command(no_args_is_help=False)
def run(
    environment: Annotated[
        str,
        typer.Option(
            "--environment",
            "-e",
            help="What to play: h1 or h2, the synthetic bandits of the paper, or a data set, as "
            "mushroom (see [cyan]jostle data list[/]); maybe with settings, as in "
            "[cyan]h1:pool=none,noise=0.2[/] (pool=none draws new arms each round) or "
            "[cyan]mushroom:encoding=paper[/].",
        ),
    ] = "h1",
    policies: Annotated[
        list[str] | None,
        typer.Option(
            "--policies",
            "-p",
            help="Who plays: names with commas between them, maybe with settings, as in "
            "[cyan]npr:noise=0.2,steps=10,uniform[/], or a class of your own as "
            "[cyan]package.module:ClassName[/]. By default every policy that suits, but for "
            "ntk-perturbed, which is there to study the theory.",
            show_default="all that suit the environment",
        ),
    ] = None,
    rounds: Annotated[
        int, typer.Option("--rounds", "-n", min=1, help="Rounds of each run.")
    ] = 2000,
    seeds: Annotated[
        int,
        typer.Option(
            "--seeds",
            "-s",
            min=1,
            help="Runs of each policy. With one seed all policies meet the same arms and noise.",
        ),
    ] = 5,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            help="Folder for the results: a new or empty one, since nothing is overwritten.",
            show_default="runs/ENVIRONMENT-TIME",
        ),
    ] = None,
    jobs: Annotated[
        int | None,
        typer.Option(
            "--jobs",
            "-j",
            min=1,
            help="Processes, of one thread each. The numbers do not depend on it.",
            show_default="one a core",
        ),
    ] = None,
) -> None:
    """Compare policies on a bandit: a table, a figure and a report.

    Each policy plays the same bandit with the same seeds. Regret is what the
    best arm shown would have brought on average, less what the chosen one
    would, summed over the rounds: less is better. When all runs are done,
    choosing and learning are timed. Ctrl-C stops early and reports the runs
    that are finished.

    [bold]Examples[/]

    [cyan]jostle run[/]
      all policies on h1, 2,000 rounds, 5 seeds

    [cyan]jostle run -e h2 -p npr,epsilon-greedy -n 10000 -s 10[/]
      two policies, longer, on h2

    [cyan]jostle run -p npr,npr:noise=0.3,npr:noise=0[/]
      one policy with three settings

    [cyan]jostle run -e h1:pool=none -p mine.policies:Careful,npr[/]
      your own policy, on arms that are new each round

    [bold]What it writes[/]

    report.html (open it in a browser), regret.png, regret.svg,
    results.json, curves.npz

    Much of a short run is compilation. To compile but once for many of them,
    name a folder in the environment variable JAX_COMPILATION_CACHE_DIR.
    """
    console = Console()
    started = time.perf_counter()
    try:
        from jostle.lab.compare import compare, cores
        from jostle.lab.plan import Comparison
        from jostle.lab.progress import display
        from jostle.lab.results import make_folder
        from jostle.lab.workers import WorkerError

        try:
            plan, facts = _plan(environment, policies, rounds, seeds)
            folder = make_folder(output, environment)
        except ValueError as error:
            stop(str(error), BAD_INPUT)
        except (FileNotFoundError, ImportError) as error:  # data or a package that is not here
            stop(str(error), FAILED)
        facts.jobs = min(jobs or cores(), len(plan.trials()))
        comparison = Comparison(plan)
        stopped: str | None = None
        code = 0
        try:
            with closing(compare(plan, facts.jobs)) as events, display(console, plan) as shown:
                for event in events:
                    comparison.add(event)
                    shown.show(event, comparison)
        except KeyboardInterrupt:
            stopped, code = "Interrupted", INTERRUPTED
        except WorkerError as error:
            if error.details:
                typer.echo(error.details, err=True)
            stopped, code = str(error), FAILED
        facts.seconds = time.perf_counter() - started
        if stopped:
            _say_stopped(stopped, comparison)
        if comparison.runs:
            _finish(console, comparison, facts, folder)
        elif output is None:
            folder.rmdir()  # nothing to put into the folder that was made for it
    except KeyboardInterrupt:
        stop("Interrupted", INTERRUPTED)
    raise typer.Exit(code)


@app.command()
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
    from jostle.checks import unknown

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


def _plan(
    environment: str, policies: list[str] | None, rounds: int, seeds: int
) -> tuple["Plan", "Facts"]:
    """The comparison that was asked for, checked, and everything worth noting about it."""
    from jostle.lab import naming
    from jostle.lab.plan import Plan
    from jostle.lab.results import Facts
    from jostle.simulation import check_rounds

    # Policies of the user's own are looked for where the command was given, as Python would.
    if os.getcwd() not in sys.path:
        sys.path.insert(0, os.getcwd())
    world = naming.make_environment(environment)
    names = naming.suitable(world) if policies is None else naming.split(policies)
    if not names:
        raise ValueError("policies is empty: name at least one, such as npr")
    made = {name: naming.make_policy(name, world) for name in names}
    _say_memory(made, check_rounds(world, rounds))
    facts = Facts(
        command=shlex.join(["jostle", *sys.argv[1:]]),
        environment=naming.describe(world),
        policies={name: naming.describe(policy) for name, policy in made.items()},
    )
    rounds = check_rounds(world, rounds)
    return Plan(environment, tuple(names), rounds, tuple(range(seeds))), facts


def _say_memory(policies: "dict[str, Policy]", rounds: int) -> None:
    """Whose state will be large, before it is made."""
    from jostle.policies.gradient import GradientPolicy

    for name, policy in policies.items():
        needed = policy.covariance_bytes(rounds) if isinstance(policy, GradientPolicy) else 0
        if needed > WORTH_SAYING:
            typer.echo(f"{name}: {needed / 2**30:.2f} GiB a run for its full covariance")


def _finish(console: Console, comparison: "Comparison", facts: "Facts", folder: Path) -> None:
    """Write all there is to write, then show it."""
    from jostle.lab import figures, report, results, table
    from jostle.lab.headline import headline

    results.save(comparison, facts, folder)
    pictures = figures.save(comparison, folder)
    page = folder / results.REPORT
    report.save(comparison, facts, pictures[0], page)
    plan = comparison.plan
    console.print()
    title = f"{plan.environment}, {plan.rounds:,} rounds"
    console.print(table.as_rich(table.rows(comparison), title))
    console.print(table.NOTE, style="dim", highlight=False)
    console.print("\n" + " ".join(headline(comparison)) + "\n", markup=False, highlight=False)
    for name, path in (("figure", pictures[0]), ("report", page)):
        console.print(f"{name}  {path}", markup=False, highlight=False, soft_wrap=True)


def _say_stopped(reason: str, comparison: "Comparison") -> None:
    from jostle.lab.report import missing_text

    done, wanted = len(comparison.runs), len(comparison.plan.trials())
    missing = missing_text(comparison)
    told = f"missing: {missing}" if missing else "missing: the times of some policies"
    complain(f"{reason}. {done} of {wanted} runs are finished; {told}.")
