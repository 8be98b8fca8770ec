"""The ``jostle theory`` command. As in ``jostle.cli``, everything heavy is imported inside."""

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from jostle.cli.errors import BAD_INPUT, FAILED, INTERRUPTED, stop


def theory(
    environment: Annotated[
        str,
        typer.Argument(
            help="A synthetic bandit with a fixed pool of arms: h1 or h2, maybe with settings, as "
            "in [cyan]h1:pool=50,noise=0.2[/]."
        ),
    ] = "h1",
    rounds: Annotated[int, typer.Option("--rounds", "-n", min=1, help="T, of each run.")] = 2000,
    seeds: Annotated[
        int, typer.Option("--seeds", "-s", min=1, help="Problems, each played by every policy.")
    ] = 5,
    width: Annotated[int, typer.Option("--width", "-m", min=2, help="m of the networks.")] = 64,
    depth: Annotated[int, typer.Option("--depth", "-L", min=2, help="L of the networks.")] = 3,
    lam: Annotated[
        float, typer.Option("--lambda", help="Regularisation; the theorem wants 1 or more.")
    ] = 1.0,
    delta: Annotated[
        float, typer.Option("--delta", help="How unlikely the bound may be to fail.")
    ] = 0.05,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "--out",
            "-o",
            help="Folder for the results: a new or empty one, since nothing is overwritten.",
            show_default="runs/theory-ENVIRONMENT-TIME",
        ),
    ] = None,
) -> None:
    """What the paper's theory says about a bandit, and whether its lemmas hold there.

    Prints a page: the effective dimension of the arms, the regret bound of
    Theorem 4.7 beside the regret that was measured, and a verdict on each
    lemma from an experiment. Practice (NPR as one would use it) plays beside
    theory (NPR perturbed as hard as Lemma 4.4 asks) and beside the linearised
    algorithm that the proofs are about (NTKPerturbed). docs/theory.md explains
    each number, and where the paper's formulas had to be mended.

    [bold]Examples[/]

    [cyan]jostle theory h1[/]
      the paper's first bandit, in some minutes

    [cyan]jostle theory h2 -n 10000 -s 10[/]
      as long as the paper's runs

    [cyan]jostle theory h1:features=5,pool=20,shown=20 -n 500[/]
      a small one

    [bold]What it writes[/]

    theory.txt (the page), theory.png (the figure) and its panels one by one,
    theory.json (the numbers)
    """
    console = Console()
    try:
        from jostle.environments import Synthetic
        from jostle.factory import make_environment
        from jostle.lab.results.locations import make_empty
        from jostle.theory.page import page, save
        from jostle.theory.study import study

        try:
            world = make_environment(environment)
            if not isinstance(world, Synthetic) or world.pool is None:
                raise ValueError(
                    f"environment must be h1 or h2 with a fixed pool of arms, not {environment!r}"
                )
            folder = make_empty(output, f"theory-{environment}")
        except ValueError as error:
            stop(str(error), BAD_INPUT)
        except (FileNotFoundError, ImportError) as error:  # data or a package that is not here
            stop(str(error), FAILED)
        try:
            with console.status("starting ...") as status:

                def tell(text: str) -> None:
                    status.update(f"{text} ...")
                    if not console.is_terminal:
                        console.print(text, markup=False, highlight=False)

                found = study(
                    world,
                    rounds=rounds,
                    seeds=seeds,
                    width=width,
                    depth=depth,
                    lam=lam,
                    delta=delta,
                    report=tell,
                )
                paths = save(found, environment, folder)
        except (ValueError, KeyboardInterrupt) as error:
            if output is None:
                folder.rmdir()  # nothing to put into the folder that was made for it
            if isinstance(error, KeyboardInterrupt):
                raise
            stop(str(error), BAD_INPUT)
        console.print()
        console.print(page(found, environment), markup=False, highlight=False, soft_wrap=True)
        console.print(f"figure  {paths[0]}", markup=False, highlight=False, soft_wrap=True)
    except KeyboardInterrupt:
        stop("Interrupted", INTERRUPTED)
