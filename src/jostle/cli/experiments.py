"""``jostle run`` and ``jostle reproduce``: experiments, typed."""

import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console

from jostle.cli.errors import INTERRUPTED, complain
from jostle.cli.session import bad_input, finish, interruptible, perform, prepare

if TYPE_CHECKING:
    from jostle.lab.results.outcome import Outcome
    from jostle.lab.running.engine import Engine
    from jostle.lab.spec.experiment import Experiment

Jobs = Annotated[
    int | None,
    typer.Option(
        "--jobs",
        "-j",
        min=1,
        help="Workers, of one thread each. The numbers do not depend on it.",
        show_default="one a core",
    ),
]
EngineName = Annotated[
    str,
    typer.Option(
        "--engine",
        help="Where: [cyan]local[/] (processes here) or [cyan]ray[/] "
        "(pip install 'jostle\\[ray]').",
    ),
]
Address = Annotated[
    str | None,
    typer.Option(
        "--address",
        help="Of a Ray cluster, as host:port or ray://host:port.",
        show_default="a Ray of our own, here",
    ),
]
Renew = Annotated[
    bool,
    typer.Option(
        "--renew",
        help="If the folder holds the experiment in another form (other settings, seeds or "
        "policies), keep the runs that both forms have in common and lose the others, rather than "
        "refuse it. With none in common it is refused all the same.",
    ),
]


def run(
    experiment: Annotated[
        str | None,
        typer.Argument(
            help="A TOML file, or a figure of the paper by name, as [cyan]fig1a[/].",
            show_default="what the options say",
        ),
    ] = None,
    environment: Annotated[
        list[str] | None,
        typer.Option(
            "--environment",
            "-e",
            help="What to play: h1 or h2, the synthetic bandits of the paper, or a data set, as "
            "mushroom (see [cyan]jostle data list[/]); maybe with settings, as in "
            "[cyan]h1:pool=none,noise=0.2[/] (pool=none draws new arms each round) or "
            "[cyan]mushroom:encoding=paper[/]. Repeat it for several.",
            show_default="h1",
        ),
    ] = None,
    policies: Annotated[
        list[str] | None,
        typer.Option(
            "--policies",
            "-p",
            help="Who plays: names with commas between them, maybe with settings, as in "
            "[cyan]npr:noise=0.2,steps=10,uniform[/], or a class of your own as "
            "[cyan]package.module:ClassName[/]. By default every policy that suits.",
            show_default="all that suit the environment",
        ),
    ] = None,
    rounds: Annotated[
        int | None,
        typer.Option("--rounds", "-n", min=1, help="Rounds of each run.", show_default="2000"),
    ] = None,
    seeds: Annotated[
        int | None,
        typer.Option(
            "--seeds",
            "-s",
            min=1,
            help="Runs of each policy. With one seed all policies meet the same arms and noise.",
            show_default="5",
        ),
    ] = None,
    tune: Annotated[
        str | None,
        typer.Option(
            "--tune",
            "-t",
            help="How each run finds its settings on its first 1,000 rounds: [cyan]none[/], "
            "[cyan]grid[/] (the paper's protocol) or [cyan]halving[/] (the same, cheaper).",
            show_default="none",
        ),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "--out",
            "-o",
            help="Folder for the results. The same experiment in the same folder goes on where it "
            "stopped; another one is refused, since nothing is overwritten (but see --renew).",
            show_default="runs/NAME",
        ),
    ] = None,
    renew: Renew = False,
    jobs: Jobs = None,
    engine: EngineName = "local",
    address: Address = None,
) -> None:
    """Compare policies on bandits: a table, a figure and a report.

    Each policy plays the same bandit with the same seeds. Regret is what the
    best arm shown would have brought on average, less what the chosen one
    would, summed over the rounds: less is better. Every finished run is kept:
    after Ctrl-C (or worse), the same command with the same output goes on.

    [bold]Examples[/]

    [cyan]jostle run[/]
      all policies on h1, 2,000 rounds, 5 seeds

    [cyan]jostle run -e h2 -p npr,epsilon-greedy -n 10000 -s 10 -o runs/mine[/]
      two policies, longer, on h2, in a folder that can be taken up again

    [cyan]jostle run -p npr,npr:noise=0.3,npr:noise=0[/]
      one policy with three settings

    [cyan]jostle run -e h1:pool=none -p mine.policies:Careful,npr[/]
      your own policy, on arms that are new each round

    [cyan]jostle run mine.toml[/]
      an experiment from a file, of five lines such as

      environments = \\["h1", "mushroom"]
      policies = \\["npr", "lin-ucb", "uniform"]
      rounds = 2000
      seeds = 5
      tuning = "halving"

    [bold]What it writes[/]

    report.html (open it in a browser), figure.png, figure.svg,
    trials.parquet (all curves and final values), manifest.json

    Much of a short run is compilation. To compile but once for many of them,
    name a folder in the environment variable JAX_COMPILATION_CACHE_DIR.
    """
    from jostle.lab.results.locations import stamped

    console = Console()
    with interruptible():
        with bad_input():
            chosen = _experiment(experiment, environment, policies, rounds, seeds, tune)
            worker_engine = _engine(engine, jobs, address)
            panels = prepare(chosen)
        named = experiment is not None or output is not None
        folder = output or (Path("runs") / chosen.name if named else stamped(chosen.name))
        again = "the same command" + ("" if named else f" with --output {folder}")
        outcome, code = perform(
            console, chosen, panels, folder, worker_engine, renew=renew, again=again
        )
        if outcome.runs() or chosen.figure == "statistics":
            finish(console, outcome, folder)
        elif not named:
            shutil.rmtree(folder)  # nothing came of it, and nobody asked for it by name
    raise typer.Exit(code)


def reproduce(
    figures: Annotated[
        list[str],
        typer.Argument(
            help="Figures of the paper, as fig1a fig2b table1, or [cyan]all[/] of them; also "
            "[cyan]practical[/], [cyan]ordinal[/], [cyan]skyline[/], [cyan]fresh[/], "
            "[cyan]sweep[/], [cyan]covariance[/], [cyan]cells[/], [cyan]cells-wide[/], "
            "[cyan]ablation[/] and [cyan]front[/], which go past it."
        ),
    ],
    profile: Annotated[
        str,
        typer.Option(
            "--profile",
            help="How thoroughly: [cyan]quick[/] (a first look, ten minutes for all), "
            "[cyan]standard[/] (full length, 5 runs, tuned by halving) or [cyan]paper[/] (its "
            "exact protocol: days).",
        ),
    ] = "quick",
    policies: Annotated[
        list[str] | None,
        typer.Option(
            "--policies",
            "-p",
            help="Policies to compare beside those of the figures, as "
            "[cyan]mine.policies:Careful[/].",
            show_default="none",
        ),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "--out",
            "-o",
            help="Folder for all of them.",
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
    them all. Figures of real data need it ([cyan]jostle data fetch all[/]); those
    whose data is not here are left out, and said to be. Whatever stops it, the
    same command goes on where it stopped.

    [bold]Examples[/]

    [cyan]jostle reproduce all[/]
      a first look at every figure

    [cyan]jostle reproduce fig1a fig2b --profile standard[/]
      two of them in earnest

    [cyan]jostle reproduce all -p mine.policies:Careful -o runs/careful[/]
      your own policy in every figure
    """
    from jostle.core.grammar import split
    from jostle.lab.render.html import report as pages
    from jostle.lab.spec.paper import PAPER
    from jostle.lab.spec.profiles import with_policies, with_profile
    from jostle.lab.spec.registry import KNOWN, find

    console = Console()
    done: list[tuple[Outcome, str]] = []
    worst = 0
    with interruptible():
        with bad_input():
            names = list(PAPER) if "all" in figures else list(dict.fromkeys(figures))
            more = tuple(split(policies or []))
            chosen = [with_policies(with_profile(find(name), profile), more) for name in names]
            worker_engine = _engine(engine, jobs, address)
        where = out or Path("runs") / profile
        with worker_engine:
            for each in chosen:
                try:
                    panels = prepare(each)
                except (FileNotFoundError, ImportError) as error:
                    complain(f"{each.name} is left out: {error}")
                    continue
                console.print(f"[bold]{each.name}[/] {each.title}", highlight=False)
                others = [where / name for name in KNOWN if name != each.name]
                outcome, code = perform(
                    console, each, panels, where / each.name, worker_engine, others, renew
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


def _experiment(
    name: str | None,
    environments: list[str] | None,
    policies: list[str] | None,
    rounds: int | None,
    seeds: int | None,
    tune: str | None,
) -> "Experiment":
    """The experiment that was asked for, from a file or figure, with what the options change."""
    from jostle.core.grammar import split
    from jostle.lab.results.locations import slug
    from jostle.lab.spec.experiment import Experiment
    from jostle.lab.spec.registry import find

    fields: dict[str, Any] = {}
    if environments is not None:
        fields["environments"] = environments
    if policies is not None:
        fields["policies"] = split(policies)
        if not fields["policies"]:
            raise ValueError("policies is empty: name at least one, such as npr")
    if rounds is not None:
        fields["rounds"] = rounds
    if seeds is not None:
        fields["seeds"] = seeds
    if tune is not None:
        fields["tuning"] = tune
    if name is not None:
        return find(name).replace(**fields)
    fields.setdefault("environments", ["h1"])
    name = slug("-".join(fields["environments"]))
    return Experiment.from_mapping({"name": name, "times": True, **fields})


def _engine(name: str, jobs: int | None, address: str | None) -> "Engine":
    from jostle.lab.running.engine import Engine

    return Engine(name, jobs, address)
