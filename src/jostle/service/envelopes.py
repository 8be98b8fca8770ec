"""What the HTTP interface wraps around the messages of the core: batches, lists, keys, problems."""

from typing import Annotated, Any

import msgspec

from jostle.service.messages import (
    MOST_BATCH,
    ActivationState,
    DecisionAnswer,
    DecisionRequest,
    Evaluation,
    EventReward,
    Incoming,
    ModelInfo,
    RewardState,
)
from jostle.service.roles import Grants


class ProblemData(msgspec.Struct, frozen=True, omit_defaults=True, kw_only=True):
    """An error, as in RFC 9457."""

    type: str
    """Stable: programs may compare it."""
    title: str
    status: int
    detail: str
    path: str | None = None
    """Which part of the request is wrong, such as ``actions[2].features.price``."""


class DecisionBatch(Incoming, frozen=True):
    """Decisions that are asked for together, and committed together."""

    decisions: Annotated[list[DecisionRequest], msgspec.Meta(min_length=1, max_length=MOST_BATCH)]


class DecisionResult(msgspec.Struct, frozen=True, omit_defaults=True):
    """One answer of a batch: its status, as it would be alone, and a decision or a problem."""

    status: int
    decision: DecisionAnswer | None = None
    problem: ProblemData | None = None


class DecisionBatchAnswer(msgspec.Struct, frozen=True):
    """Answers in the order of the requests."""

    decisions: list[DecisionResult]


class RewardBatch(Incoming, frozen=True):
    """Rewards that are committed together."""

    rewards: Annotated[list[EventReward], msgspec.Meta(min_length=1, max_length=MOST_BATCH)]


class RewardResult(msgspec.Struct, frozen=True, omit_defaults=True):
    """One answer of a batch: its status, as it would be alone, and a state or a problem."""

    status: int
    state: RewardState | None = None
    problem: ProblemData | None = None


class RewardBatchAnswer(msgspec.Struct, frozen=True):
    """Answers in the order of the rewards."""

    rewards: list[RewardResult]


class RewardAnswer(msgspec.Struct, frozen=True):
    """What became of a reward."""

    state: RewardState


class ActivationAnswer(msgspec.Struct, frozen=True):
    """What became of an activation."""

    state: ActivationState


class DecisionList(msgspec.Struct, frozen=True):
    """The latest decisions, newest first."""

    decisions: list[dict[str, Any]]


class AppInfo(msgspec.Struct, frozen=True):
    """An app, and what the caller may do with it."""

    app: str
    roles: list[str]


class AppList(msgspec.Struct, frozen=True):
    """The apps on which the caller has a role."""

    apps: list[AppInfo]


class ModelList(msgspec.Struct, frozen=True):
    """The versions of a model, newest first."""

    models: list[ModelInfo]


class PinRequest(Incoming, frozen=True):
    """Which version should decide."""

    version: Annotated[int, msgspec.Meta(ge=1)] | None
    """null: the latest again."""


class RollBackRequest(Incoming, frozen=True):
    """Which version to go back to."""

    version: Annotated[int, msgspec.Meta(ge=1)]


class EvaluationList(msgspec.Struct, frozen=True):
    """The jobs of an app, newest first."""

    evaluations: list[Evaluation]


class Erased(msgspec.Struct, frozen=True):
    """What was erased."""

    decisions: int


class KeyRequest(Incoming, frozen=True):
    """A key to be made."""

    grants: Annotated[Grants, msgspec.Meta(min_length=1, max_length=1000)]
    """Roles per app; the app "*" is all of them and the server itself."""
    name: Annotated[str, msgspec.Meta(max_length=100, pattern=r"^[\x20-\x7e]*$")] = ""


class KeyInfo(msgspec.Struct, frozen=True, kw_only=True):
    """A key, without the key itself."""

    id: str
    name: str
    grants: Grants
    created: float


class NewKey(KeyInfo, frozen=True, kw_only=True):
    """A key that was just made."""

    key: str
    """Shown this once."""


class KeyList(msgspec.Struct, frozen=True):
    """The keys that the caller administers."""

    keys: list[KeyInfo]


class DecisionsQuery(Incoming, frozen=True):
    """Which decisions to list."""

    before: Annotated[int, msgspec.Meta(ge=0, le=2**53)] | None = None
    """The position of the last one that was seen."""
    limit: Annotated[int, msgspec.Meta(ge=1, le=1000)] = 50


class StatisticsQuery(Incoming, frozen=True):
    """Which time to summarise."""

    since: Annotated[float, msgspec.Meta(ge=0, le=1e12)] | None = None
    """By default an hour ago."""
    buckets: Annotated[int, msgspec.Meta(ge=1, le=1000)] = 60
