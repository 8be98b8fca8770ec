"""How many decisions and rewards an app may ask for: a token bucket per app."""

import time
from collections.abc import Callable, Hashable


class Bucket:
    """Allows ``rate`` requests per second on average, and ``burst`` at once.

    Arguments:
        rate: requests per second.
        burst: what a full bucket holds.
        now: the time at which it is full.
    """

    __slots__ = ("_at", "_level", "burst", "rate")

    def __init__(self, rate: float, burst: float, now: float):
        self.rate, self.burst = rate, burst
        self._level, self._at = burst, now

    def take(self, count: int, now: float) -> float:
        """Take ``count`` if they are there and return 0, else the seconds until they are.

        More than the bucket ever holds can be taken when it is full, and is paid off later.
        Otherwise a large batch could never pass.
        """
        self._level = min(self.burst, self._level + (now - self._at) * self.rate)
        self._at = now
        missing = min(count, self.burst) - self._level
        if missing <= 0.0:
            self._level -= count
            return 0.0
        return missing / self.rate


class Quotas:
    """The buckets of all apps, which follow their configurations."""

    def __init__(self, clock: Callable[[], float] = time.monotonic):
        self._clock = clock
        self._buckets: dict[Hashable, Bucket] = {}

    def take(self, bucket: Hashable, rate: float, count: int = 1) -> float:
        """Seconds to wait before ``count`` more requests; 0 if they may pass, and are counted.

        Arguments:
            bucket: whose quota, of what.
            rate: requests per second. As many may come at once, and at least one.
            count: of requests.
        """
        now = self._clock()
        found = self._buckets.get(bucket)
        if found is None or found.rate != rate:
            found = self._buckets[bucket] = Bucket(rate, max(1.0, rate), now)
        return found.take(count, now)
