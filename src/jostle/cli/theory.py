"""The ``jostle theory`` command: the regret bound on a bandit, and a check of every lemma.

Heavy modules are imported inside the function, so that ``--help`` answers at once.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from jostle.cli.options import NewFolder
from jostle.cli.session import bad_input, interruptible


def theory(
    environment: Annotated[
        str,
        typer.Argument(
            help="A synthetic bandit with a fixed pool of arms: h1 or h2, optionally with settings "
            "as in [cyan]h1:pool=50,noise=0.2[/]."
        ),
    ] = "h1",
    rounds: Annotated[
        int, typer.Option("--rounds", "-n", min=1, help="T, the number of rounds of each run.")
    ] = 2000,
    seeds: Annotated[
        int | None,
        typer.Option(
            "--seeds",
            "-s",
            min=1,
            help="Number of problems; each policy plays each of them.",
            show_default="5, and 3 for the perturbation",
        ),
    ] = None,
    width: Annotated[
        int, typer.Option("--width", "-m", min=2, help="m, the width of the networks.")
    ] = 64,
    depth: Annotated[
        int, typer.Option("--depth", "-L", min=2, help="L, the number of weight matrices.")
    ] = 3,
    lam: Annotated[
        float, typer.Option("--lambda", help="Regularisation; Theorem 4.7 requires at least 1.")
    ] = 1.0,
    delta: Annotated[
        float, typer.Option("--delta", help="Probability with which the bound may fail.")
    ] = 0.05,
    perturbation: Annotated[
        str | None,
        typer.Option(
            "--perturbation",
            help="Only measure how much of the perturbation these policies play, written as in "
            "[cyan]jostle run -p[/].",
        ),
    ] = None,
    output: NewFolder = None,
) -> None:
    """Compute the paper's regret bound for a bandit, and check each lemma on it.

    Prints the effective dimension of the arms, the regret bound of Theorem 4.7
    beside the measured regret, and a verdict on each lemma from an experiment.
    Algorithm 1 (NPR.descent) is compared with the same perturbed as strongly as
    Lemma 4.4 requires (NPR.theory), and with the linearised algorithm that the
    proofs analyse (NTKPerturbed). docs/theory.md explains each number and lists
    the corrections to the paper's formulas.

    The last section of the page is about the perturbation that is really
    played: the scores of each form of NPR at a history that stands still, round
    after round, compared with fits of Eq. (2) that converge.

    [bold]Examples[/]

    [cyan]jostle theory h1[/]
      the first bandit of the paper; takes a few minutes

    [cyan]jostle theory h2 -n 10000 -s 10[/]
      as many rounds as in the paper

    [cyan]jostle theory h1 --perturbation npr,npr.paper:step_size=0.03[/]
      only the perturbation, for these policies; -s is 3 by default

    [cyan]jostle theory h1:features=5,pool=20,shown=20 -n 500[/]
      a small bandit

    [bold]Output[/]

    theory.txt (the printed page), theory.png (all plots) and one PNG per plot,
    perturbation.png, theory.json (the numbers)
    """
    console = Console()
    with interruptible():
        from jostle.core.grammar import split
        from jostle.environments import Synthetic
        from jostle.factory import make_environment, make_policy
        from jostle.lab.results.locations import make_empty
        from jostle.theory.perturbation_study import SEEDS, run_perturbation_study
        from jostle.theory.report import page, perturbation_page, save, save_perturbation
        from jostle.theory.study import run_study

        with bad_input():
            world = make_environment(environment)
            if not isinstance(world, Synthetic) or world.pool is None:
                raise ValueError(
                    f"environment must be h1 or h2 with a fixed pool of arms, not {environment!r}"
                )
            forms = None if perturbation is None else split([perturbation])
            for form in forms or ():
                make_policy(form, world)
            folder = make_empty(output, f"theory-{environment}")
        tidy = _removed_if_it_fails(folder, made=output is None)
        with bad_input(), tidy, console.status("starting ...") as status:

            def report(step: str) -> None:
                status.update(f"{step} ...")
                if not console.is_terminal:
                    console.print(step, markup=False, highlight=False)

            if forms is None:
                study = run_study(
                    world,
                    rounds=rounds,
                    seeds=seeds or 5,
                    width=width,
                    depth=depth,
                    lam=lam,
                    delta=delta,
                    report=report,
                )
                paths, text = save(study, environment, folder), page(study, environment)
            else:
                probed = run_perturbation_study(
                    world,
                    forms,
                    rounds=rounds,
                    seeds=seeds or SEEDS,
                    width=width,
                    depth=depth,
                    report=report,
                )
                paths = save_perturbation(probed, environment, folder)
                text = perturbation_page(probed, environment)
        console.print()
        console.print(text, markup=False, highlight=False, soft_wrap=True)
        console.print(f"figure  {paths[0]}", markup=False, highlight=False, soft_wrap=True)


@contextmanager
def _removed_if_it_fails(folder: Path, *, made: bool) -> Iterator[None]:
    """Remove a folder that was made for results which did not come, and is still empty."""
    try:
        yield
    except (ValueError, KeyboardInterrupt):
        if made:
            folder.rmdir()
        raise
