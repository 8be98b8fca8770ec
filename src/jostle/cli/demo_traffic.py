"""A simulated application for ``jostle demo``: a shop whose visitors click late, twice or never."""

import heapq
import time
from collections.abc import Callable
from typing import Any, NamedTuple, Protocol

import numpy as np

ADVERTS = ("shoes", "books", "games", "flights", "wine", "tools")
PRICES = (60.0, 15.0, 40.0, 220.0, 12.0, 35.0)
DEVICES = ("phone", "tablet", "desktop")
DELAY = 6.0
"""Seconds until a click, on average."""
DUPLICATES, LATE = 0.2, 0.1
"""Shares of clicks that are sent twice, and that come after their decision is closed."""


class Deciding(Protocol):
    """What is used of a client."""

    def decide(self, context: Any, actions: Any, *, baseline: str | None = None) -> Any:
        """Choose an action."""

    def reward(self, event_id: str, value: float, *, reward_id: str | None = None) -> Any:
        """Send a reward."""


class Click(NamedTuple):
    """A click on its way."""

    due: float
    event_id: str


class Shop:
    """Visitors, what they like, and clicks on their way.

    Arguments:
        client: of the service.
        wait: seconds that decisions stay open, for clicks that are late on purpose.
        seed: of the visitors.
    """

    def __init__(self, client: Deciding, wait: float, seed: int = 0):
        self._client, self._wait = client, wait
        self._random = np.random.default_rng(seed)
        logits = self._random.normal(-2.0, 1.2, (len(DEVICES), 2, len(ADVERTS)))
        self._rates = 1 / (1 + np.exp(-logits))
        self._clicks: list[Click] = []

    def visit(self, now: float) -> float:
        """A visitor comes, sees an advert and perhaps clicks later; how likely that was."""
        device, hour = int(self._random.integers(3)), int(self._random.integers(24))
        day = int(8 <= hour < 20)
        rates = self._rates[device, day]
        decision = self._client.decide(
            {"device": DEVICES[device], "daytime": ("night", "day")[day], "hour": hour},
            [
                {"id": advert, "features": {"price": price}}
                for advert, price in zip(ADVERTS, PRICES, strict=True)
            ],
            baseline=ADVERTS[2 if device == 0 else 0],  # what the shop did before
        )
        rate = float(rates[ADVERTS.index(decision.action)])
        if self._random.random() < rate:
            delay = float(self._random.exponential(DELAY))
            if self._random.random() < LATE:
                delay += self._wait
            for _ in range(1 + int(self._random.random() < DUPLICATES)):
                heapq.heappush(self._clicks, Click(now + delay, decision.event_id))
        return rate

    def send_clicks(self, now: float) -> int:
        """Send the clicks that are due; their number."""
        sent = 0
        while self._clicks and self._clicks[0].due <= now:
            click = heapq.heappop(self._clicks)
            self._client.reward(click.event_id, 1.0, reward_id="click")
            sent += 1
        return sent


def run(
    shop: Shop,
    rate: float,
    stopped: Callable[[float], bool],
    clock: Callable[[], float] = time.monotonic,
) -> int:
    """Let visitors come at ``rate`` per second until ``stopped(seconds)``, which waits, is true.

    Returns the number of visitors. If the service is too slow, they queue.
    """
    begun, visitors = clock(), 0
    while True:
        now = clock()
        shop.send_clicks(now)
        due = begun + visitors / rate
        if stopped(max(min(due - now, 0.1), 0.0)):
            return visitors
        if due <= now:
            shop.visit(now)
            visitors += 1
