"""``Log``: what the service needs of whatever stores its records."""

from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager
from enum import IntEnum
from typing import NamedTuple, Protocol

import msgspec

from jostle.service.log.records import Record


class State(IntEnum):
    """What is known of an event."""

    EARLY = 0
    """Rewards have come, its decision has not."""
    OPEN = 1
    DEFERRED = 2
    CLOSED = 3
    ERASED = 4


class Trail(msgspec.Struct, array_like=True):
    """The rewards of an event so far, and where its other records are."""

    count: int = 0
    value: float = 0.0
    """The rewards as ``Tally`` keeps them."""
    ids: list[str] = []
    """The ids of rewards, each of which is counted once."""
    positions: list[int] = []
    """Of all records of the event but its decision."""
    final: bool = False
    """Whether a reward was final."""
    action: str = ""
    """The one that was chosen."""
    probability: float | None = None
    agreement: float | None = None
    choices: int = 0
    """Actions that it was chosen from."""
    baseline: bool | None = None
    """Whether it was the baseline; None if none was named."""
    decided: float = 0.0
    """When."""


class Event(msgspec.Struct):
    """What is known of an event, by its id; kept in the same transactions as the log."""

    app: int
    id: str
    position: int
    """Of its decision; 0 if that has not come."""
    digest: str
    """Of its request."""
    state: int
    expires: float
    trail: Trail


class Entry(NamedTuple):
    """A record to append."""

    app: int
    kind: int
    time: float
    event: str | None
    body: bytes


class LogFullError(Exception):
    """Nothing was written: the disk, or what the log may take of it, is full or fails."""


class Log(Protocol):
    """Records by position, and the events they belong to.

    One thread writes; any number of processes read meanwhile, each by a log of its own.
    """

    def transaction(self) -> AbstractContextManager[None]:
        """All that is written in the block is on the disk after it, or nothing is."""
        ...

    def append(self, entries: list[Entry]) -> int:
        """Append records at consecutive positions, the first of which is returned."""
        ...

    def put_events(self, events: Iterable[Event]) -> None:
        """Insert or replace what is known of events."""
        ...

    def find_events(self, keys: Iterable[tuple[int, str]]) -> dict[tuple[int, str], Event]:
        """What is known of the events with these apps and ids."""
        ...

    def due_events(self, app: int, until: float, limit: int) -> list[Event]:
        """Events that are not closed and expire by ``until``, the earliest first."""
        ...

    def count_open(self) -> dict[int, int]:
        """How many events of each app are not closed."""
        ...

    def read(self, positions: list[int]) -> list[Record]:
        """The records at these positions, as far as they exist, by position."""
        ...

    def scan(
        self, after: int, *, app: int | None = None, least_kind: int = 0, limit: int = 1000
    ) -> list[Record]:
        """The next records after a position, of kinds from ``least_kind`` on."""
        ...

    def records(self, after: int = 0, *, app: int | None = None) -> Iterator[Record]:
        """All records after a position."""
        ...

    def last_position(self) -> int:
        """The position of the newest record; 0 if there is none."""
        ...
