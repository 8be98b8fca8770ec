"""``jostle reproduce``: run the experiments behind the paper's figures."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console

from jostle.cli.errors import INTERRUPTED, complain
from jostle.cli.options import Address, EngineName, Jobs, Renew, make_engine
from jostle.cli.session import bad_input, check_only, interruptible, perform, prepare

if TYPE_CHECKING:
    from jostle.lab.results.outcome import Outcome


def reproduce(
    figures: Annotated[
        list[str],
        typer.Argument(
            help="Figures of the paper, such as fig1a fig2b table1, or [cyan]all[/] of them. "
            "[cyan]fig1a[/] has the networks and training of the paper, [cyan]fig1a-jostle[/] "
            "those of jostle. Also the experiments that go beyond the paper: [cyan]practical[/], "
            "[cyan]ordinal[/], [cyan]skyline[/], [cyan]fresh[/], [cyan]sweep[/], "
            "[cyan]covariance[/], [cyan]cells[/], [cyan]cells-wide[/], [cyan]ablation[/], "
            "[cyan]field[/], [cyan]field-offers[/], [cyan]insurance[/], [cyan]half-life[/] "
            "and [cyan]front[/]."
        ),
    ],
    profile: Annotated[
        str,
        typer.Option(
            "--profile",
            help="How thoroughly: [cyan]quick[/] (a first look, ten minutes for all figures), "
            "[cyan]standard[/] (full length, 5 runs, tuned by halving) or [cyan]paper[/] (10 runs, "
            "tuned by its whole grid: days). Only figures in the paper's forms, such as fig1a, "
            "follow its protocol then; docs/lab.md says where they still differ.",
        ),
    ] = "quick",
    policies: Annotated[
        list[str] | None,
        typer.Option(
            "--policies",
            "-p",
            help="Policies to add to those of the figures, such as [cyan]mine.policies:Careful[/].",
            show_default="none",
        ),
    ] = None,
    only: Annotated[
        list[str] | None,
        typer.Option(
            "--only",
            help="Play just these policies of the figures, and leave the others for another time. "
            "[cyan]neural-ucb.paper[/] means every form of it, "
            "[cyan]neural-ucb.paper:covariance=diagonal[/] those with this setting.",
            show_default="all",
        ),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "--out",
            "-o",
            help="Folder for all of them, with one folder per figure.",
            show_default="runs/PROFILE",
        ),
    ] = None,
    renew: Renew = False,
    jobs: Jobs = None,
    engine: EngineName = "local",
    address: Address = None,
) -> None:
    """Run the experiments behind the paper's figures.

    Each figure gets a folder with its results and report, and index.html shows
    them all. Figures of real data need the data ([cyan]jostle data fetch all[/]);
    those whose data is missing are skipped with a message. After an interruption
    the same command continues where it stopped.

    [bold]Examples[/]

    [cyan]jostle reproduce all[/]
      a first look at every figure

    [cyan]jostle reproduce fig1a --profile paper[/]
      one in the paper's forms, by its protocol

    [cyan]jostle reproduce fig1a-jostle fig2b-jostle --profile standard[/]
      two with jostle's networks and training, at full length

    [cyan]jostle reproduce fig2a fig2b --profile paper --only npr.paper[/]
      one of their policies now, the others later by the same command without it

    [cyan]jostle reproduce all -p mine.policies:Careful -o runs/careful[/]
      your own policy in every figure
    """
    from jostle.core.grammar import split
    from jostle.lab.render.html import report as pages
    from jostle.lab.spec.paper import PAPER
    from jostle.lab.spec.profiles import with_policies, with_profile
    from jostle.lab.spec.registry import EXPERIMENTS, find

    console = Console()
    done: list[tuple[Outcome, str]] = []
    worst = 0
    with interruptible():
        with bad_input():
            names = list(PAPER) if "all" in figures else list(dict.fromkeys(figures))
            more = tuple(split(policies or []))
            chosen = [with_policies(with_profile(find(name), profile), more) for name in names]
            these = tuple(split(only or []))
            check_only(these, [name for each in chosen for name in each.policies])
            worker_engine = make_engine(engine, jobs, address)
        where = out or Path("runs") / profile
        with worker_engine:
            for each in chosen:
                try:
                    manifest = prepare(each)
                except (FileNotFoundError, ImportError) as error:
                    complain(f"{each.name} is skipped: {error}")
                    continue
                console.print(f"[bold]{each.name}[/] {each.title}", highlight=False)
                others = [where / name for name in EXPERIMENTS if name != each.name]
                outcome, code = perform(
                    console, manifest, where / each.name, worker_engine, others, renew, these
                )
                worst = max(worst, code)
                pages.save(outcome, where / each.name)
                done.append((outcome, each.name))
                page = pages.index(done, where)
                if code == INTERRUPTED:
                    break
        if done:
            console.print(f"report  {page}", markup=False, highlight=False, soft_wrap=True)
    raise typer.Exit(worst)
