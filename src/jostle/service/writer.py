"""``Writer``: a thread that makes commands durable in groups, and then answers them."""

import asyncio
import contextlib
import queue
import threading
import time
from collections.abc import Callable
from typing import Any

from jostle.service.books import Books, Happened
from jostle.service.commands import Call, Command
from jostle.service.log.base import LogFullError
from jostle.service.log.sqlite import SqliteLog
from jostle.service.problems import Busy

Listener = Callable[[list[Command], list[Happened]], None]
"""Called after a commit with the commands and with what happened."""
Housekeeping = Callable[[SqliteLog], None]
HOUSEKEEPING = 30.0
"""Seconds between calls of it, if anything has happened."""
HELD = 32
"""Commands of one turn of an event loop that are held back until its end, to be committed together.
The writer would otherwise commit the first one alone, while others are being decided, and take
turns with them all the time."""
HELD_SECONDS = 0.005
"""How long, at most."""


class Submission:
    """Commands that are answered together: all of them are in one transaction."""

    __slots__ = ("commands", "future", "loop")

    def __init__(self, commands: list[Command] | Call, answered: bool = True):
        self.commands = commands
        self.loop = asyncio.get_running_loop() if answered else None
        self.future: asyncio.Future[Any] | None = self.loop.create_future() if self.loop else None

    def resolve(self, outcome: Any) -> None:
        """Answer, in the thread of the loop; whoever asked may have gone."""
        if self.future is None or self.future.done():
            return
        if isinstance(outcome, BaseException):
            self.future.set_exception(outcome)
        else:
            self.future.set_result(outcome)


class Writer:
    """Takes commands from event loops, and commits them in groups.

    Arguments:
        books: processes the commands; from now on only this thread may use them.
        queue_limit: commands that may wait.
        group: commands in one transaction, unless a single submission has more.
        close_interval: seconds between looks for decisions whose time is over.
        listener: learns what happened, in this thread.
        housekeeping: called now and then in a transaction of its own, and before the end.
    """

    def __init__(
        self,
        books: Books,
        *,
        queue_limit: int,
        group: int,
        close_interval: float,
        listener: Listener,
        housekeeping: Housekeeping,
    ):
        self._books, self._listener, self._housekeeping = books, listener, housekeeping
        self._limit, self._group, self._interval = queue_limit, group, close_interval
        self._queue: queue.SimpleQueue[list[Submission] | None] = queue.SimpleQueue()
        self._lock = threading.Lock()
        self._held: list[Submission] = []
        self._held_commands, self._held_since = 0, 0.0
        self.waiting = 0
        """Commands that have not been answered."""
        self.problem = ""
        """Why the last transaction failed; empty if it did not."""
        self._closing = False
        self._thread = threading.Thread(target=self._work, name="jostle-writer", daemon=True)
        self._thread.start()

    async def submit(self, commands: list[Command]) -> list[Any]:
        """Do the commands in one transaction; their outcomes, once they are on the disk.

        No commands at all mean: close decisions whose time is over, now.
        """
        outcomes: list[Any] = await self._put(commands, len(commands))
        return outcomes

    async def call(self, function: Callable[[SqliteLog], Any], *, transaction: bool = True) -> Any:
        """Call a function with the log, in a transaction of its own or in none; its result."""
        return await self._put(Call(function, transaction), 1)

    def call_soon(self, function: Callable[[SqliteLog], Any]) -> None:
        """The same from any thread, without waiting for it."""
        self._queue.put([Submission(Call(function), answered=False)])

    def open_events(self, app: int) -> int:
        """How many decisions of an app wait for rewards."""
        return self._books.open[app]

    def recount(self) -> None:
        """Count open decisions again; in this thread only, that is in a call."""
        self._books.recount()

    def close(self) -> None:
        """Finish what is queued and stop."""
        self._closing = True
        self._send_held()
        self._queue.put(None)
        self._thread.join()

    async def _put(self, commands: list[Command] | Call, count: int) -> Any:
        if self._closing:
            raise Busy("the service is closing")
        if self.waiting and self.waiting + count > self._limit:
            raise Busy(f"{self.waiting} requests wait to be written, and {self._limit} may")
        submission = Submission(commands)
        assert submission.future is not None
        self._add(count)
        if isinstance(commands, Call):
            self._send_held()
            self._queue.put([submission])
        else:
            self._hold(submission, count)
        try:
            return await submission.future
        finally:
            self._add(-count)

    def _hold(self, submission: Submission, count: int) -> None:
        """Send a submission to the thread at the end of the loop's turn, or now if many wait."""
        assert submission.loop is not None
        now = time.monotonic()
        with self._lock:
            # What another loop has left is no longer waited for if that loop has ended.
            first = not self._held or self._held[-1].loop is not submission.loop
            if not self._held:
                self._held_commands, self._held_since = 0, now
            self._held.append(submission)
            self._held_commands += max(1, count)
            full = self._held_commands >= HELD or now - self._held_since >= HELD_SECONDS
        if full:
            self._send_held()
        elif first:
            submission.loop.call_soon(self._send_held)

    def _send_held(self) -> None:
        with self._lock:
            held, self._held = self._held, []
            if held:
                self._queue.put(held)

    def _add(self, count: int) -> None:
        with self._lock:
            self.waiting += count

    def _work(self) -> None:
        looked = tidied = time.monotonic()
        stop = False
        while not stop:
            group: list[Submission] = []
            with contextlib.suppress(queue.Empty):
                group, stop = self._gather(self._queue.get(timeout=self._interval))
            due = time.monotonic() - looked >= self._interval
            if due:
                looked = time.monotonic()
            if group or due:
                self._commit(group, due)
            if stop or time.monotonic() - tidied >= HOUSEKEEPING:
                tidied = time.monotonic()
                self._commit([Submission(Call(self._housekeeping), answered=False)], due=False)

    def _gather(self, first: list[Submission] | None) -> tuple[list[Submission], bool]:
        """The first submissions and those that wait behind them; whether it is time to stop."""
        group: list[Submission] = []
        size, each = 0, first
        while each is not None:
            group += each
            if isinstance(each[-1].commands, Call):  # which comes alone
                return group, False
            size += sum(len(one.commands) for one in each)
            if size >= self._group:
                return group, False
            try:
                each = self._queue.get_nowait()
            except queue.Empty:
                return group, False
        return group, True

    def _commit(self, group: list[Submission], due: bool) -> None:
        try:
            answers = self._answers(group, due)
            if group:
                full = (str(each) for each in answers if isinstance(each, Busy))
                self.problem = next(full, "")
        except LogFullError as error:
            self.problem = str(error)
            answers = [Busy(str(error), retry_after=5.0) for _ in group]
        except Exception as error:
            if len(group) > 1:  # so that one bad command does not fail the others
                for each in group:
                    self._commit([each], False)
                return
            self.problem = f"{type(error).__name__}: {error}"
            answers = [error for _ in group]
        _tell(list(zip(group, answers, strict=True)))

    def _answers(self, group: list[Submission], due: bool) -> list[Any]:
        """What each submission is answered; calls come last, since ``_gather`` stops at them."""
        lists = [each.commands for each in group if not isinstance(each.commands, Call)]
        answers: list[Any] = []
        if lists or (due and self._books.anything_due()):
            commands = [command for each in lists for command in each]
            close = due or not all(lists)  # whoever submits no commands asks for this
            outcomes, happened = self._books.process(commands, close=close)
            self._listener(commands, happened)
            remaining = iter(outcomes)
            answers = [[next(remaining) for _ in each] for each in lists]
        for each in group[len(lists) :]:
            assert isinstance(each.commands, Call)
            try:
                log, inside = self._books.log, each.commands.transaction
                with log.transaction() if inside else contextlib.nullcontext():
                    answer = each.commands.function(log)
            except LogFullError as error:  # what was committed before it stays answered
                answer = Busy(str(error), retry_after=5.0)
            except Exception as error:
                answer = error
            answers.append(answer)
        return answers


def _tell(answers: list[tuple[Submission, Any]]) -> None:
    """Answer submissions, each in its own loop; one wake-up for all of a loop's."""
    by_loop: dict[Any, list[tuple[Submission, Any]]] = {}
    for submission, outcome in answers:
        if submission.loop is not None:
            by_loop.setdefault(submission.loop, []).append((submission, outcome))
    for loop, mine in by_loop.items():
        try:
            loop.call_soon_threadsafe(_resolve, mine)
        except RuntimeError:  # the loop is closed: nobody waits any more
            continue


def _resolve(answers: list[tuple[Submission, Any]]) -> None:
    for submission, outcome in answers:
        submission.resolve(outcome)
