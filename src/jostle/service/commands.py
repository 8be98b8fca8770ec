"""What the writer is asked to do: decisions, rewards and other records to be made durable."""

from collections.abc import Callable
from typing import Any, NamedTuple

from jostle.service.log.records import Decided
from jostle.service.log.sqlite import SqliteLog


class Decide(NamedTuple):
    """Log a decision, unless its event has one already."""

    app: int
    event: str
    digest: str
    """Of the request, to tell whether the same is asked again."""
    decided: Decided
    fresh: bool
    """Whether the id is new for certain, because the service has just made it."""
    started: float
    """When it was asked for, by ``time.perf_counter``."""


class Reward(NamedTuple):
    """Count a reward."""

    app: int
    event: str
    value: float
    reward_id: str | None
    final: bool


class Activate(NamedTuple):
    """Let a deferred decision count."""

    app: int
    event: str


class Call(NamedTuple):
    """Call a function with the log; the outcome is what it returns."""

    function: Callable[[SqliteLog], Any]
    transaction: bool = True
    """Whether in a transaction of its own."""


Command = Decide | Reward | Activate
