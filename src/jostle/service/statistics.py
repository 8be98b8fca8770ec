"""``AppStatistics``: counts and sums over time, updated record by record.

They are a function of the log, like everything else: what is stored now and then is only there so
that a start does not have to read the whole log again.
"""

import math
from bisect import bisect_left
from collections import deque
from collections.abc import Sequence
from typing import Any

import msgspec
import numpy as np

from jostle.decisions.apprenticeship import Apprenticeship
from jostle.service.buckets import Level
from jostle.service.log.records import Closed, Decided, Rewarded
from jostle.service.messages import (
    DELAY_EDGES,
    LATENCY_EDGES,
    OTHER_ACTIONS,
    ActionStatistics,
    Apprentice,
    Bucket,
    Contribution,
    Latency,
    Moments,
)

LEVELS = ((10.0, 2160), (600.0, 4320))
"""Seconds of a bucket, and how many are kept: six hours by ten seconds, thirty days by ten
minutes."""
MOST_ACTIONS = 1000
"""Actions that are counted one by one; any further ones are counted together."""
BUCKET_ACTIONS = 50
"""The same, within a bucket."""
LATENCIES = 4096
FEATURE_DECAY = 0.99
"""Of the mean absolute contributions of features, per explained decision."""
SUMS = (
    "decisions",
    "deferred",
    "closed",
    "rewards",
    "late",
    "duplicates",
    "defaulted",
    "dropped",
    "reward_sum",
    "reward_squares",
    "exploration",
    "latency",
)
VALUES = ("uniform", "baseline", "policy")


class Stored(msgspec.Struct):
    """What is kept of an app's statistics in the log's file."""

    totals: Bucket
    levels: list[dict[int, msgspec.Raw]]
    """Buckets, MessagePack, by their place."""
    actions: dict[str, ActionStatistics]
    apprenticeship: dict[str, float]
    features: dict[str, float]


class AppStatistics:
    """The statistics of one app."""

    def __init__(self) -> None:
        self.totals = Bucket(0.0, 0.0)
        self._levels = [Level(seconds, most) for seconds, most in LEVELS]
        self._actions: dict[str, ActionStatistics] = {}
        self._apprenticeship = Apprenticeship()
        self._latencies: deque[float] = deque(maxlen=LATENCIES)
        self._features: dict[str, float] = {}

    def add(self, time: float, body: Any) -> None:
        """Count a record."""
        if isinstance(body, Decided):
            self._decided(time, body)
        elif isinstance(body, Rewarded):
            touched = self._sum(time, "late" if body.state == "late" else "rewards")
            if body.delay is not None:
                for bucket in touched:
                    _count(bucket.delays, DELAY_EDGES, body.delay)
        elif isinstance(body, Closed):
            self._closed(time, body)

    def add_duplicate(self, time: float) -> None:
        """Count a reward that had been counted."""
        self._sum(time, "duplicates")

    def add_latency(self, time: float, seconds: float) -> None:
        """Note how long a decision took."""
        self._latencies.append(seconds)
        for bucket in self._buckets_at(time):
            bucket.latency += seconds
            _count(bucket.latencies, LATENCY_EDGES, seconds)

    def add_explanation(self, explanation: list[Contribution]) -> None:
        """Note what features contributed to a score."""
        for each in explanation:
            before = self._features.get(each.feature, abs(each.contribution))
            change = abs(each.contribution) - before
            self._features[each.feature] = before + (1 - FEATURE_DECAY) * change
        if len(self._features) > MOST_ACTIONS:
            del self._features[min(self._features, key=self._features.__getitem__)]

    def buckets(self, since: float, until: float, count: int) -> list[Bucket]:
        """About ``count`` buckets of equal length that cover an interval of time."""
        level = next((each for each in self._levels if until - since <= each.span), None)
        level = self._levels[-1] if level is None else level
        merged = max(1, math.ceil((until - since) / level.seconds / count))
        length = merged * level.seconds
        first = math.floor(since / length)
        last = max(first, math.ceil(until / length) - 1)
        made = [Bucket(place * length, length) for place in range(first, last + 1)]
        for place, bucket in level.between(first * merged, (first + len(made)) * merged):
            _merge(made[place // merged - first], bucket)
        return made

    def actions(self, most: int = 50) -> list[ActionStatistics]:
        """The most frequent actions."""
        return sorted(self._actions.values(), key=lambda each: -each.decisions)[:most]

    def features(self, most: int = 30) -> list[Contribution]:
        """The features with the largest mean absolute contributions."""
        ranked = sorted(self._features.items(), key=lambda each: -each[1])[:most]
        return [Contribution(name, value) for name, value in ranked]

    def latency(self) -> Latency:
        """Quantiles of the latest decisions."""
        if not self._latencies:
            return Latency(0.0, 0.0, 0.0)
        return Latency(*(float(q) for q in np.quantile(list(self._latencies), (0.5, 0.95, 0.99))))

    def apprentice(self) -> Apprentice | None:
        """How the policy compares with the baseline; None if it never watched one."""
        report = self._apprenticeship.report()
        if not report.decisions:
            return None
        agreement, baseline, policy = (
            None if math.isnan(value) else value
            for value in (report.agreement, report.baseline_value, report.policy_value)
        )
        return Apprentice(report.decisions, agreement, baseline, policy, report.effective_size)

    def as_data(self) -> Stored:
        """For the log's file."""
        return Stored(
            self.totals,
            [level.as_data() for level in self._levels],
            self._actions,
            self._apprenticeship.as_data(),
            self._features,
        )

    @classmethod
    def from_data(cls, data: Stored) -> "AppStatistics":
        """What ``as_data`` returned."""
        made = cls()
        made.totals, made._actions = data.totals, data.actions
        for level, packed in zip(made._levels, data.levels, strict=True):
            level.load(packed)
        made._apprenticeship.load(data.apprenticeship)
        made._features = data.features
        return made

    def _decided(self, time: float, body: Decided) -> None:
        for bucket in self._buckets_at(time):
            bucket.decisions += 1
            bucket.exploration += body.exploration
            if body.deferred:
                bucket.deferred += 1
            most = BUCKET_ACTIONS if bucket is not self.totals else MOST_ACTIONS
            known = body.chosen in bucket.actions or len(bucket.actions) < most
            name = body.chosen if known else OTHER_ACTIONS
            bucket.actions[name] = bucket.actions.get(name, 0) + 1
        self._action(body.chosen).decisions += 1

    def _closed(self, time: float, body: Closed) -> None:
        if body.reward is None:
            self._sum(time, "dropped")
            return
        touched, weights = self._buckets_at(time), _weights(body)
        for bucket in touched:
            bucket.closed += 1
            bucket.reward_sum += body.reward
            bucket.reward_squares += body.reward**2
            if body.reason == "default":
                bucket.defaulted += 1
            for name, weight in weights:
                getattr(bucket, name).add(weight, body.reward)
        action = self._action(body.action)
        action.closed += 1
        action.reward_sum += body.reward
        action.reward_squares += body.reward**2
        if body.agreement is not None:
            self._apprenticeship.add(body.agreement, body.probability, body.reward)

    def _action(self, id: str) -> ActionStatistics:
        if id not in self._actions and len(self._actions) >= MOST_ACTIONS:
            id = OTHER_ACTIONS
        return self._actions.setdefault(id, ActionStatistics(id, 0, 0, 0.0, 0.0))

    def _sum(self, time: float, name: str) -> list[Bucket]:
        """Count one more of something, in the buckets that are returned."""
        touched = self._buckets_at(time)
        for bucket in touched:
            setattr(bucket, name, getattr(bucket, name) + 1)
        return touched

    def _buckets_at(self, time: float) -> list[Bucket]:
        """The totals, and the buckets of a moment."""
        return [self.totals, *[level.at(time) for level in self._levels]]


def _weights(body: Closed) -> list[tuple[str, float]]:
    """How much a closed decision tells about what others would have earned: importance weights."""
    found = []
    if body.probability and body.choices:
        found.append(("uniform", 1.0 / (body.choices * body.probability)))
    if body.agreement is not None:  # an apprentice, whose baseline has decided
        found.append(("baseline", 1.0))
        found.append(("policy", body.agreement / (body.probability or 1.0)))
    elif body.baseline is not None and body.probability:
        found.append(("baseline", 1.0 / body.probability if body.baseline else 0.0))
    return found


def _count(counts: list[int], edges: Sequence[float], value: float) -> None:
    """Count a value between edges, in a list that is empty at first."""
    if not counts:
        counts.extend([0] * (len(edges) + 1))
    counts[bisect_left(edges, value)] += 1


def _merge(into: Bucket, bucket: Bucket) -> None:
    for name in SUMS:
        setattr(into, name, getattr(into, name) + getattr(bucket, name))
    for name in VALUES:
        total, part = getattr(into, name), getattr(bucket, name)
        for field in Moments.__struct_fields__:
            setattr(total, field, getattr(total, field) + getattr(part, field))
    for name in ("latencies", "delays"):
        total, part = getattr(into, name), getattr(bucket, name)
        if part:
            setattr(
                into, name, [a + b for a, b in zip(total or [0] * len(part), part, strict=True)]
            )
    for action, count in bucket.actions.items():
        into.actions[action] = into.actions.get(action, 0) + count
