"""The ``jostle`` command.

Heavy modules are imported inside the commands, so that ``--help`` answers at once.
"""

from typing import Annotated

import typer

from jostle import __version__
from jostle.cli.backup import backup
from jostle.cli.bench import bench
from jostle.cli.data import data
from jostle.cli.demo import demo
from jostle.cli.evaluate import evaluate
from jostle.cli.keys import keys
from jostle.cli.migrate import migrate
from jostle.cli.replay import replay
from jostle.cli.reproduce import reproduce
from jostle.cli.results import report, status, summary
from jostle.cli.run import run
from jostle.cli.serve import serve
from jostle.cli.theory import theory

app = typer.Typer(
    help="Neural contextual bandits that explore by perturbing the rewards they learn from.",
    no_args_is_help=True,
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
)
for command in (
    run,
    reproduce,
    report,
    summary,
    status,
    migrate,
    evaluate,
    theory,
    bench,
    serve,
    demo,
    backup,
    replay,
):
    app.command()(command)
app.add_typer(data, name="data")
app.add_typer(keys, name="keys")


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
