"""When to ask again, and how long to wait before: exponential back-off with jitter."""

import random
from dataclasses import dataclass

from jostle.core.validation import number, whole

NOTHING_WAS_DONE = frozenset({429, 503})
"""Statuses after which any request may be repeated."""
NOT_KNOWN = frozenset({408, 502, 504})
"""Statuses after which a request may be repeated if doing it twice is doing it once."""


@dataclass(frozen=True)
class Retries:
    """How often to ask again.

    Arguments:
        most: times; 0 for never.
        first: seconds before the first repetition, on average half of it.
        longest: that repetitions ever wait, unless the service asks for more.
    """

    most: int = 5
    first: float = 0.1
    longest: float = 5.0

    def __post_init__(self) -> None:
        whole("retries", self.most, least=0)
        number("first", self.first)
        number("longest", self.longest)

    def wait(self, attempt: int, asked: float | None = None) -> float:
        """Seconds before attempt ``attempt`` + 1; clients that fail together spread out."""
        drawn = random.uniform(0.0, min(self.longest, self.first * 2.0**attempt))
        return drawn if asked is None else asked + drawn
