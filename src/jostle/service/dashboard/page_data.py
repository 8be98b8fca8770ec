"""What the templates of the dashboard are given."""

import json
from typing import Any, NamedTuple

from jostle.service.dashboard import rewards
from jostle.service.dashboard.panels import p99, panels
from jostle.service.dashboard.text import (
    NOTHING,
    count,
    duration,
    interval,
    milliseconds,
    moment,
    number,
    percent,
    plus_minus,
)
from jostle.service.messages import Config, Health, ModelInfo, Statistics


class Span(NamedTuple):
    """How far back a page looks."""

    name: str
    label: str
    seconds: float


SPANS = (
    Span("minutes", "10 minutes", 600.0),
    Span("hour", "hour", 3600.0),
    Span("day", "day", 86400.0),
    Span("week", "week", 7 * 86400.0),
    Span("month", "30 days", 30 * 86400.0),
)
BUCKETS = 60
REFRESH = 10
"""Seconds between two looks of an open page."""


class Tile(NamedTuple):
    """A number that deserves a place at the top."""

    name: str
    value: str
    note: str


class Card(NamedTuple):
    """An app in the list of all."""

    app: str
    decisions: int
    reward: str
    mode: str


def span_called(name: str | None) -> Span:
    """The span of that name; an hour if there is none."""
    return next((span for span in SPANS if span.name == name), SPANS[1])


def app_page(
    statistics: Statistics, models: list[ModelInfo], health: Health, config: Config
) -> dict[str, Any]:
    """The page of one app."""
    totals = statistics.totals
    learned = (
        f"model {statistics.model.version}, learned from {count(statistics.learned)} decisions"
    )
    if statistics.pinned is not None:
        learned += f", pinned to version {statistics.pinned}"
    return {
        "summary": f"{statistics.policy or config.policy} · {statistics.mode} · {learned} · "
        f"{count(totals.decisions)} decisions in all",
        "headline": rewards.headline(statistics),
        "tiles": tiles(statistics, health, config),
        "panels": panels(statistics) if totals.decisions else [],
        "models": models,
        "models_sentence": models_sentence(models, statistics),
        "pinned": statistics.pinned is not None,
        "health": health,
        "spans": SPANS,
        "refresh": REFRESH,
        "now": statistics.until,
    }


def tiles(statistics: Statistics, health: Health, config: Config) -> list[Tile]:
    """Whether all is well, in six numbers."""
    buckets = statistics.buckets
    seconds = max(statistics.until - statistics.since, 1.0)
    decided = sum(bucket.decisions for bucket in buckets)
    explored = sum(bucket.exploration for bucket in buckets)
    closed = sum(bucket.closed + bucket.dropped for bucket in buckets)
    unrewarded = sum(bucket.defaulted + bucket.dropped for bucket in buckets)
    served = rewards.overall(rewards.EARNED, buckets)
    value, half = plus_minus(served) if served else (NOTHING, "too few closed")
    behind = f"{count(statistics.lag_records)} decisions behind"
    return [
        Tile("decisions", count(decided), f"{number(decided / seconds)} per second"),
        Tile("reward per decision", value, half),
        Tile("exploring", percent(explored / decided if decided else None), "of the decisions"),
        Tile(
            "without a reward",
            percent(unrewarded / closed if closed else None),
            f"after {duration(config.wait)}; {count(statistics.open)} open",
        ),
        Tile("p99 latency", milliseconds(p99(buckets)), "until durable"),
        Tile(
            "learner",
            health.learner,
            behind if statistics.lag_records else "up to date",
        ),
    ]


def models_sentence(models: list[ModelInfo], statistics: Statistics) -> str:
    """Which version decides."""
    if not models:
        return ""
    if statistics.pinned is not None:
        return f"Version {statistics.pinned} is pinned: it decides, whatever is learned meanwhile."
    return (
        f"{count(len(models))} versions are kept. Decisions are made with what has been learned "
        "up to now; versions are points to return to."
    )


def card(app: str, statistics: Statistics) -> Card:
    """An app of which ``statistics`` cover a day."""
    return Card(
        app,
        sum(bucket.decisions for bucket in statistics.buckets),
        interval(rewards.overall(rewards.EARNED, statistics.buckets)),
        statistics.mode,
    )


def roll_back_page(app: str, model: ModelInfo) -> dict[str, Any]:
    """Whether to roll back."""
    return {
        "title": f"Roll {app} back to version {model.version}?",
        "explanation": "What was learned after this version is forgotten, and learning goes on "
        "from there. The decisions and rewards stay in the log. It takes less than a second.",
        "facts": _facts(model),
        "action": f"Roll back to version {model.version}",
    }


def pin_page(app: str, model: ModelInfo) -> dict[str, Any]:
    """Whether to pin."""
    return {
        "title": f"Pin {app} to version {model.version}?",
        "explanation": "All decisions are made with this version until you unpin it. Learning goes "
        "on beside it.",
        "facts": _facts(model),
        "action": f"Pin version {model.version}",
    }


def unpin_page(app: str) -> dict[str, Any]:
    """Whether to unpin."""
    return {
        "title": f"Unpin {app}?",
        "explanation": "Decisions are made with the latest model again.",
        "facts": [],
        "action": "Unpin",
    }


def decision_parts(found: dict[str, object]) -> list[tuple[str, str]]:
    """Everything about a decision, as text."""
    return [
        (name.replace("_", " "), json.dumps(value, indent=2, ensure_ascii=False, default=str))
        for name, value in found.items()
    ]


def _facts(model: ModelInfo) -> list[tuple[str, str]]:
    return [
        ("saved", f"{moment(model.created)} UTC"),
        ("learned from", f"{count(model.observations)} decisions"),
        ("policy", model.policy),
        ("SHA-256", model.sha256),
    ]
