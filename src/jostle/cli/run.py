"""``jostle run``: run an experiment from options, a TOML file or by name."""

import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console

from jostle.cli.options import Address, EngineName, Jobs, Renew, make_engine
from jostle.cli.session import bad_input, finish, interruptible, perform, prepare

if TYPE_CHECKING:
    from jostle.lab.results.manifest import Manifest
    from jostle.lab.spec.experiment import Experiment


def run(
    experiment: Annotated[
        str | None,
        typer.Argument(
            help="A TOML file, or the name of a figure of the paper, such as [cyan]fig1a[/].",
            show_default="the one that the options describe",
        ),
    ] = None,
    environment: Annotated[
        list[str] | None,
        typer.Option(
            "--environment",
            "-e",
            help="The environment: h1 or h2 (the synthetic bandits of the paper) or a data set, "
            "such as mushroom (see [cyan]jostle data list[/]), or a stream of applications, such "
            "as clicks or drift (see docs/streams.md), optionally with settings: "
            "[cyan]h1:pool=none,noise=0.2[/] (pool=none draws new arms in each round) or "
            "[cyan]mushroom:encoding=paper[/]. Repeat the option for several environments.",
            show_default="h1 and wheel:delta=0.5",
        ),
    ] = None,
    policies: Annotated[
        list[str] | None,
        typer.Option(
            "--policies",
            "-p",
            help="The policies to compare: names separated by commas, optionally with settings, "
            "as in [cyan]npr:noise=0.2,steps=10,uniform[/], classes of your own, as in "
            "[cyan]package.module:ClassName[/], or explorers of Vowpal Wabbit, as in "
            "[cyan]vw.squarecb[/].",
            show_default="six; all that suit with --environment",
        ),
    ] = None,
    rounds: Annotated[
        int | None,
        typer.Option("--rounds", "-n", min=1, help="Rounds per run.", show_default="2000"),
    ] = None,
    seeds: Annotated[
        int | None,
        typer.Option(
            "--seeds",
            "-s",
            min=1,
            help="Runs per policy. Runs with the same seed meet the same arms and noise, whatever "
            "the policy.",
            show_default="5",
        ),
    ] = None,
    tune: Annotated[
        str | None,
        typer.Option(
            "--tune",
            "-t",
            help="How each run tunes its settings on its first 1,000 rounds: [cyan]none[/], "
            "[cyan]grid[/] (as in the paper) or [cyan]halving[/] (the same, cheaper).",
            show_default="none",
        ),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "--out",
            "-o",
            help="Folder for the results. The same experiment in the same folder continues where "
            "it stopped; a folder that holds another one is refused (but see --renew).",
            show_default="runs/NAME, or runs/NAME-TIME without an EXPERIMENT",
        ),
    ] = None,
    new: Annotated[
        bool,
        typer.Option(
            "--new",
            help="Start again in a new folder, even if the same command was interrupted before.",
        ),
    ] = False,
    renew: Renew = False,
    jobs: Jobs = None,
    engine: EngineName = "local",
    address: Address = None,
) -> None:
    """Compare policies on bandits and write a table, a figure and a report.

    Every policy plays the same bandits with the same seeds. Regret is the
    expected reward of the best arm shown minus that of the chosen arm, summed
    over the rounds: lower is better. Every finished run is saved at once: after
    Ctrl-C (or a crash), the same command continues where it stopped.

    [bold]Examples[/]

    [cyan]jostle run[/]
      a first look: six policies on h1 and on a wheel that needs exploration

    [cyan]jostle run -e clicks[/]
      all policies on a stream of adverts with rare clicks, 2,000 rounds, 5 seeds

    [cyan]jostle run -e h2 -p npr,epsilon-greedy -n 10000 -s 10 -o runs/mine[/]
      two policies on h2, longer, in a folder of your choice

    [cyan]jostle run -p npr,npr:noise=0.3,npr:noise=0[/]
      one policy with three settings

    [cyan]jostle run -e h1:pool=none -p mine.policies:Careful,npr[/]
      your own policy, on arms that are new in each round

    [cyan]jostle run mine.toml[/]
      an experiment from a file, of five lines such as

      environments = \\["h1", "mushroom"]
      policies = \\["npr", "lin-ucb", "uniform"]
      rounds = 2000
      seeds = 5
      tuning = "halving"

    [bold]Files[/]

    report.html (open it in a browser), figure.png, figure.svg,
    trials.parquet (all curves and final values), manifest.json

    Much of a short run is compilation. To compile only once for many runs, set
    the environment variable JAX_COMPILATION_CACHE_DIR to a folder.
    """
    console = Console()
    with interruptible():
        with bad_input():
            if new and output is not None:
                raise ValueError("--new chooses a folder of its own: leave out --output, or --new")
            chosen = _experiment(experiment, environment, policies, rounds, seeds, tune)
            worker_engine = make_engine(engine, jobs, address)
            manifest = prepare(chosen)
        named = output is not None or (experiment is not None and not new)
        folder = output or (
            Path("runs") / chosen.name if named else _stamped_folder(console, manifest, new)
        )
        fresh = not folder.exists()
        outcome, code = perform(console, manifest, folder, worker_engine, renew=renew)
        if outcome.runs() or not chosen.kind.played:
            finish(console, outcome, folder)
        elif fresh and not named:
            shutil.rmtree(folder)  # it holds nothing, and the user did not ask for it by name
    raise typer.Exit(code)


def _stamped_folder(console: Console, manifest: "Manifest", new: bool) -> Path:
    """The newest folder in which the same command was interrupted, or a new one."""
    from jostle.lab.results.folder import read, unfinished
    from jostle.lab.results.locations import stamped, stamped_before

    name = manifest.experiment.name
    folder = None if new else unfinished(stamped_before(name), manifest)
    if folder is None:
        return stamped(name)
    before = read(folder)
    console.print(
        f"Continuing {folder}, where {len(before.runs())} of {len(before.trials())} runs are "
        "finished (--new starts again).",
        markup=False,
        highlight=False,
        soft_wrap=True,
    )
    return folder


def _experiment(
    name: str | None,
    environments: list[str] | None,
    policies: list[str] | None,
    rounds: int | None,
    seeds: int | None,
    tune: str | None,
) -> "Experiment":
    """The experiment with this name or from this file, changed as the options say."""
    from jostle.core.grammar import split
    from jostle.lab.results.locations import slug
    from jostle.lab.spec.experiment import Experiment
    from jostle.lab.spec.extra import FIRST_LOOK
    from jostle.lab.spec.registry import find

    fields: dict[str, Any] = {}
    if environments is not None:
        fields["environments"] = environments
    if policies is not None:
        fields["policies"] = split(policies)
        if not fields["policies"]:
            raise ValueError("policies is empty: give at least one, such as npr")
    if rounds is not None:
        fields["rounds"] = rounds
    if seeds is not None:
        fields["seeds"] = seeds
    if tune is not None:
        fields["tuning"] = tune
    if name is None and environments is None:
        name = FIRST_LOOK
    if name is not None:
        return find(name).replace(**fields)
    name = slug("-".join(fields["environments"]))
    return Experiment.from_mapping({"name": name, "times": True, **fields})
