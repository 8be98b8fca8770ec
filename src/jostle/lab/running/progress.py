"""Progress of a running experiment: bars in a terminal or notebook, plain lines elsewhere."""

from typing import Protocol, Self

from rich.console import Console
from rich.markup import escape
from rich.progress import (
    BarColumn,
    Progress,
    TaskID,
    TaskProgressColumn,
    TextColumn,
    TimeRemainingColumn,
)

from jostle.lab.results.model import Advanced, Broken, Event, Run, Timed
from jostle.lab.results.outcome import Outcome
from jostle.lab.spec.plan import Trial


class Display(Protocol):
    """Shows events to a person."""

    def __enter__(self) -> Self: ...
    def __exit__(self, *error: object) -> None: ...
    def show(self, event: Event) -> None:
        """Show an event that has already been added to the outcome."""


def display(console: Console, outcome: Outcome) -> Display:
    """Bars for a terminal, lines for a log or pipe."""
    return Bars(console, outcome) if console.is_terminal else Lines(console, outcome)


def trial_text(trial: Trial, outcome: Outcome) -> str:
    """A trial in a few words, such as "npr on h1, seed 0"."""
    several = len({plan.environment for plan in outcome.plans}) > 1
    where = f" on {trial.environment}" if several else ""
    return f"{trial.policy}{where}, seed {trial.seed}"


class Bars:
    """A bar for the experiment, with the time left, and one for each trial being played."""

    def __init__(self, console: Console, outcome: Outcome):
        self._outcome = outcome
        self._progress = Progress(
            TextColumn("{task.description}"),
            BarColumn(bar_width=None),
            TaskProgressColumn(),
            TimeRemainingColumn(compact=True),
            console=console,
            transient=True,
            expand=True,
        )
        self._shares: dict[Trial, float] = {run.trial: 1.0 for run in outcome.runs()}
        self._bars: dict[Trial, TaskID] = {}
        self._count = len(outcome.trials())
        self._all = self._progress.add_task(self._title(), total=self._count)

    def __enter__(self) -> Self:
        self._progress.start()
        return self

    def __exit__(self, *error: object) -> None:
        self._progress.stop()

    def show(self, event: Event) -> None:
        """Advance the bar of the event's trial and that of the experiment."""
        if isinstance(event, Timed):
            title = f"[bold]timing {escape(event.policy)}[/]"
            self._progress.update(self._all, description=title, completed=self._count)
            return
        if isinstance(event, Advanced):
            self._move(event.trial, event.share)
        else:
            self._move(event.trial, 1.0)
            self._progress.remove_task(self._bars.pop(event.trial))
        if isinstance(event, Broken):
            self._progress.console.print(_broken(event, self._outcome), style="red", markup=False)
        done = sum(self._shares.values())
        self._progress.update(self._all, description=self._title(), completed=done)

    def _move(self, trial: Trial, share: float) -> None:
        if trial not in self._bars:
            words = escape(trial_text(trial, self._outcome))
            self._bars[trial] = self._progress.add_task(words, total=1.0)
        self._shares[trial] = share
        self._progress.update(self._bars[trial], completed=share)

    def _title(self) -> str:
        name, done = escape(self._outcome.experiment.name), len(self._outcome.runs())
        return f"[bold]{name}: {done} of {self._count} runs[/]"


class Quiet:
    """Shows nothing."""

    def __init__(self, outcome: Outcome):
        self._outcome = outcome

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        pass

    def show(self, event: Event) -> None:
        """Nothing."""


class Lines(Quiet):
    """One line per finished run, for logs and pipes."""

    def __init__(self, console: Console, outcome: Outcome):
        self._console = console
        self._outcome = outcome

    def show(self, event: Event) -> None:
        """Print a line for a finished or failed run."""
        if isinstance(event, Run):
            count, trials = len(self._outcome.runs()), len(self._outcome.trials())
            words = trial_text(event.trial, self._outcome)
            self._print(f"[{count}/{trials}] {words}: regret {event.regret:.1f}")
        elif isinstance(event, Broken):
            self._print(_broken(event, self._outcome))

    def _print(self, text: str) -> None:
        self._console.print(text, markup=False, highlight=False, soft_wrap=True)


def _broken(event: Broken, outcome: Outcome) -> str:
    return f"{trial_text(event.trial, outcome)} failed: {event.message}"
