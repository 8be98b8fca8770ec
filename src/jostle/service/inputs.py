"""What callers of the service pass, checked, as commands."""

import math
import os
import random
import time

from jostle.decisions.rewards import LARGEST_REWARD
from jostle.service.apps import App
from jostle.service.commands import Reward
from jostle.service.messages import RewardRequest
from jostle.service.problems import Invalid

_chance = random.Random(os.urandom(32))
"""Ids have to be different, not secret. A call of the system for each would let go of the GIL, and
wait for it again."""


def reward_command(app: App, event_id: str, request: RewardRequest) -> Reward:
    """The command that counts a reward."""
    value, bounds = request.value, app.config.bounds
    if not (math.isfinite(value) and abs(value) <= LARGEST_REWARD):
        raise Invalid(
            f"value must be a number from {-LARGEST_REWARD:g} to {LARGEST_REWARD:g}, not {value}",
            "value",
        )
    if bounds is not None and not bounds[0] <= value <= bounds[1]:
        raise Invalid(
            f"value must be within the app's bounds, {bounds[0]:g} to {bounds[1]:g}, not {value:g}",
            "value",
        )
    return Reward(app.number, checked_event_id(event_id), value, request.reward_id, request.final)


def checked_event_id(id: str) -> str:
    """The id of an event, or a problem."""
    if not 0 < len(id) <= 256 or "\x00" in id:
        raise Invalid(
            f"event_id must have 1 to 256 characters and no NUL, not {id!r:.60}", "event_id"
        )
    return id


def new_event_id() -> str:
    """An id that nobody has: the time in microseconds, so that ids are in order, and chance."""
    return f"{time.time_ns() // 1000:014x}{_chance.getrandbits(72):018x}"
