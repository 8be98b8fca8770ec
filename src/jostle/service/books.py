"""``Books``: the rules by which decisions are opened, rewarded and closed, on top of the log.

Everything happens inside one transaction per group of commands, on what the log knows of their
events. Nothing is kept in memory between groups that would have to be taken back if a commit fails.
"""

import math
from collections import Counter
from collections.abc import Callable
from typing import Any

from jostle.decisions.rewards import MOST_IDS, Tally
from jostle.service.commands import Activate, Command, Decide, Reward
from jostle.service.log.base import Entry, Event, State, Trail
from jostle.service.log.records import (
    Activated,
    Closed,
    Decided,
    Kind,
    Record,
    Rewarded,
    decode,
    encode,
)
from jostle.service.log.sqlite import SqliteLog
from jostle.service.making import same_request
from jostle.service.messages import Answer, Config
from jostle.service.problems import NotFound, Used

MOST_CLOSED = 2000
"""Decisions that are closed in one transaction at most, so that nobody waits for more."""
MOST_POSITIONS = 2000
"""Records that an event's trail remembers."""

Happened = tuple[int, float, Any]
"""App, time and body of a record; the body is None for a reward that was a duplicate."""


class Books:
    """Processes groups of commands.

    Arguments:
        log: to write.
        configs: the present configuration of each app, by its number.
        clock: seconds since 1970. If it goes back, time stands still until it has caught up.
    """

    def __init__(self, log: SqliteLog, configs: dict[int, Config], clock: Callable[[], float]):
        self.log, self.configs, self.clock = log, configs, clock
        self.open: Counter[int] = Counter()
        """How many events of each app are not closed."""
        self.recount()
        self.now = -math.inf

    def process(self, commands: list[Command], *, close: bool) -> tuple[list[Any], list[Happened]]:
        """Do all of the commands in one transaction.

        Arguments:
            commands: what to do.
            close: whether to look for decisions whose time is over.

        Returns the outcome of each command (a problem is one, too), and what happened.
        """
        self.now = max(self.now, self.clock())
        with self.log.transaction():
            page = Page(self, commands)
            page.evict(commands)
            if close:
                page.close_due()
            outcomes = [page.do(command) for command in commands]
            page.write()
        self.open.update(page.opened)
        return outcomes, page.happened

    def recount(self) -> None:
        """Count the events that are not closed."""
        self.open = Counter(self.log.count_open())

    def anything_due(self) -> bool:
        """Whether any decision's time is over."""
        now = max(self.now, self.clock())
        return any(self.log.due_events(app, now, 1) for app in self.configs)


class Page:
    """One group of commands, and the records it makes."""

    def __init__(self, books: Books, commands: list[Command]):
        self._books, self._log, self._now = books, books.log, books.now
        self._first = books.log.next_position
        self._entries: list[Entry] = []
        self.happened: list[Happened] = []
        self.opened: Counter[int] = Counter()
        self._touched: dict[tuple[int, str], Event] = {}
        self._removed: list[tuple[int, str]] = []
        self._events = books.log.find_events(
            {
                (command.app, command.event)
                for command in commands
                if not (isinstance(command, Decide) and command.fresh)
            }
        )

    def do(self, command: Command) -> Any:
        """The outcome of one command."""
        if isinstance(command, Decide):
            return self._decide(command)
        if isinstance(command, Reward):
            return self._reward(command)
        return self._activate(command)

    def write(self) -> None:
        """Write what the commands have made."""
        if self._entries:
            self._log.append(self._entries)
        self._log.remove_events(self._removed)
        self._log.put_events(self._touched.values())

    def evict(self, commands: list[Command]) -> None:
        """Close the oldest decisions of apps that will have too many."""
        coming = Counter(each.app for each in commands if isinstance(each, Decide))
        for app, count in coming.items():
            excess = self._books.open[app] + count - self._books.configs[app].pending
            if excess > 0:
                for event in self._due(app, math.inf, min(excess, MOST_CLOSED)):
                    self._end(event, evicted=True)

    def close_due(self) -> None:
        """Close decisions whose time is over."""
        for app in self._books.configs:
            for event in self._due(app, self._now, MOST_CLOSED):
                if event.state < State.CLOSED:  # not evicted just now
                    self._end(event)

    def _decide(self, command: Decide) -> Any:
        key = command.app, command.event
        event = self._current(key)
        if event is not None and event.position:
            if event.state == State.ERASED:
                return Used(f"event_id {command.event!r:.60} belongs to an erased decision")
            if event.digest != command.digest and not self._asked_before(event, command):
                return Used(
                    f"event_id {command.event!r:.60} was used for another request: decisions need "
                    "ids of their own"
                )
            return Answer(self._decided(event).answer, created=False)
        made = command.decided
        trail = event.trail if event is not None else Trail()
        trail.action = made.chosen
        trail.probability, trail.agreement = made.probability, made.agreement
        trail.choices, trail.baseline, trail.decided = made.choices, made.baseline, self._now
        state = State.DEFERRED if made.deferred else State.OPEN
        position = self._append(command.app, Kind.DECIDED, command.event, made)
        if event is None:
            self.opened[command.app] += 1
        event = Event(
            command.app, command.event, position, command.digest, state, made.expires, trail
        )
        self._events[key] = self._touched[key] = event
        self._close_if_settled(event)
        return Answer(made.answer, created=True)

    def _reward(self, command: Reward) -> Any:
        key = command.app, command.event
        event = self._current(key)
        config = self._books.configs[command.app]
        if event is None:
            event = Event(
                command.app, command.event, 0, "", State.EARLY, self._now + config.wait, Trail()
            )
            self._events[key] = event
            self.opened[command.app] += 1
        trail = event.trail
        if command.reward_id is not None and command.reward_id in trail.ids:
            self.happened.append((command.app, self._now, None))
            return "duplicate"
        state = "pending" if event.state == State.EARLY else "joined"
        if event.state >= State.CLOSED or trail.final:
            state = "late"
        else:
            tally = Tally(trail.count, trail.value)
            tally.add(config.aggregation, command.value, None)
            trail.count, trail.value, trail.final = tally.count, tally.value, command.final
        if command.reward_id is not None and len(trail.ids) < MOST_IDS:
            trail.ids.append(command.reward_id)
        delay = self._now - trail.decided if state == "joined" else None
        body = Rewarded(command.value, state, command.reward_id, command.final, delay)
        self._note(event, Kind.REWARDED, body)
        self._close_if_settled(event)
        return state

    def _activate(self, command: Activate) -> Any:
        event = self._current((command.app, command.event))
        if event is None or not event.position:
            return NotFound(f"there is no decision with the event_id {command.event!r:.60}")
        if event.state >= State.CLOSED:
            return "late"
        if event.state == State.OPEN:
            return "active"
        event.state = State.OPEN
        self._note(event, Kind.ACTIVATED, Activated())
        self._close_if_settled(event)
        return "activated"

    def _current(self, key: tuple[int, str]) -> Event | None:
        """What is known of an event, after closing it if its time is over."""
        event = self._events.get(key)
        if event is not None and event.state < State.CLOSED and event.expires <= self._now:
            self._end(event)
            event = self._events.get(key)
        return event

    def _close_if_settled(self, event: Event) -> None:
        """Close an active decision whose rewards are complete."""
        if event.state == State.OPEN:
            if event.trail.final:
                self._close(event, "final")
            elif event.trail.count and self._books.configs[event.app].learn_at_once:
                self._close(event, "rewarded")

    def _end(self, event: Event, evicted: bool = False) -> None:
        """Close a decision whose time is over, or that has to make room."""
        if event.state == State.EARLY:  # its decision has never come
            key = event.app, event.id
            del self._events[key]
            self._touched.pop(key, None)
            self._removed.append(key)
            self.opened[event.app] -= 1
        elif event.state == State.DEFERRED:
            self._close(event, "inactive")
        elif evicted:
            self._close(event, "evicted")
        else:
            self._close(event, "waited" if event.trail.count else "default")

    def _close(self, event: Event, reason: str) -> None:
        config, trail = self._books.configs[event.app], event.trail
        reward = Tally(trail.count, trail.value).total(config.aggregation)
        if reason == "inactive":
            reward = None
        elif reason == "default":
            reward = config.default_reward
        event.state = State.CLOSED
        self.opened[event.app] -= 1
        body = Closed(
            event.position,
            reason,
            reward,
            trail.count,
            trail.action,
            trail.probability,
            trail.agreement,
            trail.choices,
            trail.baseline,
        )
        self._note(event, Kind.CLOSED, body)

    def _note(self, event: Event, kind: int, body: Any) -> None:
        """Append a record of an event, and remember where it is."""
        position = self._append(event.app, kind, event.id, body)
        if len(event.trail.positions) < MOST_POSITIONS:
            event.trail.positions.append(position)
        self._touched[event.app, event.id] = event

    def _append(self, app: int, kind: int, event: str, body: Any) -> int:
        self._entries.append(Entry(app, int(kind), self._now, event, encode(body)))
        self.happened.append((app, self._now, body))
        return self._first + len(self._entries) - 1

    def _decided(self, event: Event) -> Decided:
        """The decision of an event, of this group or from the log."""
        if event.position >= self._first:
            entry = self._entries[event.position - self._first]
            record = Record(event.position, event.app, entry.kind, 1, 0.0, None, entry.body)
        else:
            record = self._log.read([event.position])[0]
        decided: Decided = decode(record)
        return decided

    def _asked_before(self, event: Event, command: Decide) -> bool:
        """Whether an event's request was the same but for the order of names."""
        return same_request(self._decided(event).request, command.decided.request)

    def _due(self, app: int, until: float, limit: int) -> list[Event]:
        """Events in the order of their end, those of this group by what it made of them."""
        until = min(until, 1e300)  # JSON has no infinity
        found = self._log.due_events(app, until, limit)
        return [self._events.setdefault((event.app, event.id), event) for event in found]
