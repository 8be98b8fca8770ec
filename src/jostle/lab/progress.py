"""News of a comparison as it goes: bars in a terminal, plain lines elsewhere."""

from typing import Protocol, Self

from rich.console import Console
from rich.markup import escape
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TaskID,
    TextColumn,
    TimeRemainingColumn,
)

from jostle.lab.plan import Advanced, Comparison, Event, Plan, Run, Timed, Trial


class Display(Protocol):
    """Shows events to a person."""

    def __enter__(self) -> Self: ...
    def __exit__(self, *error: object) -> None: ...
    def show(self, event: Event, comparison: Comparison) -> None:
        """Take note of an event, which ``comparison`` already knows of."""


def display(console: Console, plan: Plan) -> Display:
    """What suits the console."""
    return Bars(console, plan) if console.is_terminal else Lines(console)


class Bars:
    """A bar for each policy and one for all, with the time left."""

    def __init__(self, console: Console, plan: Plan):
        self._progress = Progress(
            TextColumn("{task.description}"),
            BarColumn(bar_width=None),
            MofNCompleteColumn(),
            TextColumn("{task.fields[news]}"),
            TimeRemainingColumn(compact=True),
            console=console,
            transient=True,
            expand=True,
        )
        self._done: dict[Trial, float] = {}  # in runs: 0.5 is half a run
        self._seeds = len(plan.seeds)
        self._bars: dict[str | None, TaskID] = {
            policy: self._add(escape(policy), self._seeds) for policy in plan.policies
        }
        self._bars[None] = self._add("[bold]all runs[/]", self._seeds * len(plan.policies))
        self._progress.update(self._bars[None], news="compiling")

    def __enter__(self) -> Self:
        self._progress.start()
        return self

    def __exit__(self, *error: object) -> None:
        self._progress.stop()

    def show(self, event: Event, comparison: Comparison) -> None:
        """Move the bars of the event's policy and of all."""
        if isinstance(event, Timed):
            self._progress.update(self._bars[None], news=f"timed {escape(event.policy)}")
        elif isinstance(event, Advanced):
            self._done[event.trial] = event.rounds / event.trial.rounds
            self._move(event.trial.policy)
        else:
            finals = [run.regret for run in comparison.of(event.trial.policy)]
            news = f"regret {sum(finals) / len(finals):.1f}"
            self._progress.update(self._bars[event.trial.policy], news=news)

    def _add(self, description: str, total: int) -> TaskID:
        return self._progress.add_task(description, total=total, news="")

    def _move(self, policy: str) -> None:
        mine = sum(done for trial, done in self._done.items() if trial.policy == policy)
        self._progress.update(self._bars[policy], completed=mine)
        self._progress.update(self._bars[None], completed=sum(self._done.values()), news="")


class Lines:
    """A line for each finished run: for logs and pipes."""

    def __init__(self, console: Console):
        self._console = console

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        pass

    def show(self, event: Event, comparison: Comparison) -> None:
        """Say that a run is finished."""
        if isinstance(event, Run):
            count, trials = len(comparison.runs), len(comparison.plan.trials())
            policy, seed = event.trial.policy, event.trial.seed
            self._console.print(
                f"[{count}/{trials}] {policy}, seed {seed}: regret {event.regret:.1f}",
                markup=False,
                highlight=False,
                soft_wrap=True,
            )
