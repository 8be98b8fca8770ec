"""``Ledger``: which decisions are open, which rewards they have had, and when they close.

Pure bookkeeping, without policy or encoder. Time is a number that never decreases.
"""

import math
from collections import Counter, deque
from typing import Any, NamedTuple

import numpy as np

from jostle.decisions.decision_log import Shown
from jostle.decisions.rewards import Tally

PENDING, CLOSED, EARLY, DUPLICATE, LATE = "pending", "closed", "early", "duplicate", "late"
"""What became of a reward: counted; counted, and it closed its decision; kept until its decision
comes; ignored, because its id was counted before; kept apart, because its decision is closed."""
MOST_EARLY = 1000
"""Rewards kept for one decision that has not come yet."""
LATE_KEPT = 1000
"""Late rewards that are kept; their number is counted whatever it is."""


class Decision(NamedTuple):
    """What ``Decider.decide`` returns."""

    id: str
    action: Any
    """The action to take: its id, or its position if it has none."""
    probability: float | None
    """The probability with which it was chosen; None if that is not known."""
    ranking: list[Any]
    """All actions, the chosen one first and the others by their scores."""
    index: Any
    """The position of the action among those given."""


class Late(NamedTuple):
    """A reward that came after its decision was closed."""

    id: str
    value: float
    time: float


class Entry:
    """A decision that is open, or was until recently."""

    __slots__ = ("decision", "digest", "due", "notes", "opened", "shown", "tally", "vector")

    def __init__(
        self,
        decision: Decision,
        digest: str,
        opened: float,
        due: float,
        vector: np.ndarray,
        notes: dict[str, Any],
        shown: Shown | None = None,
    ):
        self.decision, self.digest = decision, digest
        self.opened, self.due = opened, due
        self.vector = vector
        """The row that was decided on: what is learned, whatever the encoder does later."""
        self.notes = notes
        """What whoever closes the decision needs to know beside the rewards; JSON data."""
        self.shown = shown
        """What a log needs of it; None if there is no log, or if it has this decision already."""
        self.tally = Tally()


class Waiting(NamedTuple):
    """Rewards whose decision has not come yet."""

    since: float
    rewards: list[tuple[float, str | None]]


class Past(NamedTuple):
    """What is remembered of a closed decision: enough to answer the same request again."""

    decision: Decision
    digest: str
    tally: Tally


class Ledger:
    """Decisions by id, from their opening until they are forgotten.

    Arguments:
        wait: how long a decision stays open; None if only a reward closes it.
        aggregation: how several rewards become one.
        at_once: whether the first reward closes a decision.
        pending: how many decisions may be open. As many closed ones are remembered, and rewards
            for as many decisions that have not come yet; the oldest are forgotten first.
    """

    def __init__(self, wait: float | None, aggregation: str, at_once: bool, pending: int):
        self.wait, self.aggregation, self.at_once = wait, aggregation, at_once
        self.pending = pending
        self.open: dict[str, Entry] = {}  # in the order of opening, and so of falling due
        self.past: dict[str, Past] = {}
        self.early: dict[str, Waiting] = {}
        self.late: deque[Late] = deque(maxlen=LATE_KEPT)
        self.counts: Counter[str] = Counter()

    def find(self, id: str) -> Entry | Past | None:
        """The decision of this id, open or remembered."""
        return self.open.get(id) or self.past.get(id)

    def due(self, now: float) -> list[Entry]:
        """Close and return the decisions whose time is over, and forget early rewards likewise."""
        closed = []
        for entry in list(self.open.values()):
            if entry.due > now:
                break
            closed.append(self._close(entry))
        if self.wait is not None:
            for id, waiting in list(self.early.items()):
                if waiting.since + self.wait > now:
                    break
                self._drop_early(id)
        return closed

    def make_room(self) -> list[Entry]:
        """Close and return the oldest decisions if there is no room for another one."""
        closed = []
        while len(self.open) >= self.pending:
            closed.append(self._close(next(iter(self.open.values()))))
            self.counts["evicted"] += 1
        return closed

    def add(self, entry: Entry, now: float) -> list[Entry]:
        """Open a decision and count rewards that came before it; return it if that closed it."""
        id = entry.decision.id
        entry.due = math.inf if self.wait is None else now + self.wait
        self.open[id] = entry
        self.counts["decisions"] += 1
        waiting = self.early.pop(id, None)
        closed = []
        for value, reward_id in waiting.rewards if waiting else ():
            closed += self.reward(id, value, reward_id, now)[1]
        return closed

    def reward(
        self, id: str, value: float, reward_id: str | None, now: float
    ) -> tuple[str, list[Entry]]:
        """Count a reward; return what became of it, and the decision if that closed it."""
        entry = self.open.get(id)
        if entry is not None:
            if entry.tally.is_duplicate(reward_id):
                return self._counted(DUPLICATE), []
            entry.tally.add(self.aggregation, value, reward_id)
            self.counts["rewards"] += 1
            return (CLOSED, [self._close(entry)]) if self.at_once else (PENDING, [])
        past = self.past.get(id)
        if past is not None:
            if past.tally.is_duplicate(reward_id):
                return self._counted(DUPLICATE), []
            if reward_id is not None:
                past.tally.ids.add(reward_id)
            self.late.append(Late(id, value, now))
            return self._counted(LATE), []
        return self._keep_early(id, value, reward_id, now), []

    def _counted(self, state: str) -> str:
        self.counts[state] += 1
        return state

    def _close(self, entry: Entry) -> Entry:
        id = entry.decision.id
        del self.open[id]
        while len(self.past) >= self.pending:
            del self.past[next(iter(self.past))]
        self.past[id] = Past(entry.decision, entry.digest, entry.tally)
        self.counts["closed"] += 1
        return entry

    def _keep_early(self, id: str, value: float, reward_id: str | None, now: float) -> str:
        waiting = self.early.get(id)
        if waiting is None:
            while len(self.early) >= self.pending:
                self._drop_early(next(iter(self.early)))
            waiting = self.early[id] = Waiting(now, [])
        if reward_id is not None and any(each == reward_id for _, each in waiting.rewards):
            return self._counted(DUPLICATE)
        if len(waiting.rewards) >= MOST_EARLY:
            self.counts["unmatched"] += 1
            return EARLY
        waiting.rewards.append((value, reward_id))
        return self._counted(EARLY)

    def _drop_early(self, id: str) -> None:
        self.counts["unmatched"] += len(self.early.pop(id).rewards)

    def as_data(self) -> tuple[dict[str, Any], list[np.ndarray], list[np.ndarray]]:
        """For a file: JSON data, the vectors of the open decisions, and all rows they showed."""
        entries = list(self.open.values())
        data = {
            "open": [
                [*e.decision, e.digest, e.opened, e.due, e.notes, e.tally.as_data()]
                for e in entries
            ],
            "past": [[*p.decision, p.digest, p.tally.as_data()] for p in self.past.values()],
            "early": [[id, *waiting] for id, waiting in self.early.items()],
            "late": list(self.late),
            "counts": dict(self.counts),
            "shown": [e.shown and [len(e.shown.names), *e.shown[1:]] for e in entries],
        }
        rows = [row for entry in entries if entry.shown for row in entry.shown.rows]
        return data, [entry.vector for entry in entries], rows

    def load(self, data: dict[str, Any], vectors: np.ndarray, rows: np.ndarray) -> None:
        """Take what ``as_data`` returned."""
        width = len(Decision._fields)
        start = 0
        for row, vector, shown in zip(data["open"], vectors, data["shown"], strict=True):
            decision = Decision(*row[:width])
            digest, opened, due, notes, tally = row[width:]
            entry = Entry(decision, digest, opened, due, vector.copy(), notes)
            entry.tally = Tally(*tally)
            if shown is not None:
                stop = start + shown[0]
                entry.shown = Shown(rows[start:stop].copy(), *shown[1:])
                start = stop
            self.open[decision.id] = entry
        for row in data["past"]:
            decision, (digest, tally) = Decision(*row[:width]), row[width:]
            self.past[decision.id] = Past(decision, digest, Tally(*tally))
        for id, since, rewards in data["early"]:
            self.early[id] = Waiting(since, [(value, name) for value, name in rewards])
        self.late.extend(Late(*row) for row in data["late"])
        self.counts.update(data["counts"])
