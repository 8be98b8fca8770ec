"""Requests of clients, without sending them: what all three kinds of clients share."""

import json
import uuid
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote, urlencode

import msgspec

from jostle.service.envelopes import (
    ActivationAnswer,
    AppList,
    DecisionBatchAnswer,
    DecisionList,
    Erased,
    EvaluationList,
    KeyList,
    ModelList,
    NewKey,
    RewardAnswer,
    RewardBatchAnswer,
)
from jostle.service.messages import (
    Config,
    DecisionAnswer,
    Evaluation,
    Health,
    ModelInfo,
    Statistics,
)
from jostle.service.roles import Role

JSON = "application/json"
BINARY = "application/octet-stream"


@dataclass(frozen=True)
class Exchange:
    """A request, and what its answer is."""

    operation: str
    """Its name in the interface."""
    method: str
    path: str
    parameters: tuple[str, ...] = ()
    """Those of the path."""
    query: dict[str, str] = field(default_factory=dict)
    body: bytes | None = None
    media: str = JSON
    headers: dict[str, str] = field(default_factory=dict)
    answer: Any = None
    """The type of the answer; None if there is none."""
    repeatable: bool = True
    """Whether doing it twice is doing it once."""
    accepted: frozenset[int] = frozenset()
    """Statuses beyond 2xx whose answers are of the type, too."""

    @property
    def target(self) -> str:
        """The path with its parameters and query."""
        values = iter(self.parameters)
        parts = [
            encoded(next(values)) if part.startswith("{") else part for part in self.path.split("/")
        ]
        query = f"?{urlencode(self.query)}" if self.query else ""
        return "/".join(parts) + query


def encoded(part: str) -> str:
    """A part of a path; dots too, since paths of dots alone have a meaning of their own."""
    return quote(part, safe="").replace(".", "%2E")


def as_json(content: Any) -> bytes:
    """A body; NaN is refused, arrays become lists."""
    return json.dumps(content, allow_nan=False, default=_plain).encode()


def _plain(value: Any) -> Any:
    if hasattr(value, "tolist"):  # arrays and scalars of NumPy
        return value.tolist()
    if isinstance(value, msgspec.Struct):
        return msgspec.to_builtins(value)
    if isinstance(value, Mapping):
        return dict(value)
    if isinstance(value, set | frozenset | tuple):
        return list(value)
    raise TypeError(f"cannot be sent as JSON: {value!r:.60}")


class Exchanges:
    """Builds requests for one app.

    Ids that the caller does not give are drawn here, so that a request is the same when it is sent
    again.
    """

    def __init__(self, app: str):
        self.app = app

    def _in_app(
        self, operation: str, method: str, path: str, *parameters: str, **options: Any
    ) -> Exchange:
        place = f"/v1/apps/{{app}}{path}"
        return Exchange(operation, method, place, (self.app, *parameters), **options)

    def decide(self, context: Any, actions: Iterable[Any], options: Mapping[str, Any]) -> Exchange:
        """One decision."""
        request = decision_request({"context": context, "actions": actions, **options})
        body = as_json(request)
        return self._in_app("decide", "POST", "/decisions", body=body, answer=DecisionAnswer)

    def decide_many(self, requests: Iterable[Mapping[str, Any]]) -> Exchange:
        """Several decisions."""
        body = as_json({"decisions": [decision_request(request) for request in requests]})
        path, answer = "/batches/decisions", DecisionBatchAnswer
        return self._in_app("decide_batch", "POST", path, body=body, answer=answer)

    def reward(self, event_id: str, value: float, reward_id: str | None, final: bool) -> Exchange:
        """One reward."""
        body = as_json({"value": value, "reward_id": reward_id or new_id(), "final": final})
        path = "/decisions/{event_id}/rewards"
        return self._in_app("reward", "POST", path, event_id, body=body, answer=RewardAnswer)

    def reward_many(self, rewards: Iterable[Mapping[str, Any]]) -> Exchange:
        """Several rewards."""
        body = as_json({"rewards": [{"reward_id": new_id(), **reward} for reward in rewards]})
        path, answer = "/batches/rewards", RewardBatchAnswer
        return self._in_app("reward_batch", "POST", path, body=body, answer=answer)

    def activate(self, event_id: str) -> Exchange:
        """Let a deferred decision count."""
        path, answer = "/decisions/{event_id}/activate", ActivationAnswer
        return self._in_app("activate", "POST", path, event_id, answer=answer)

    def decision(self, event_id: str) -> Exchange:
        """Everything about a decision."""
        path, answer = "/decisions/{event_id}", dict[str, Any]
        return self._in_app("get_decision", "GET", path, event_id, answer=answer)

    def decisions(self, before: int | None, limit: int) -> Exchange:
        """The latest decisions."""
        query = _query(before=before, limit=limit)
        path, answer = "/decisions", DecisionList
        return self._in_app("list_decisions", "GET", path, query=query, answer=answer)

    def create_app(self, app: str, settings: Mapping[str, Any]) -> Exchange:
        """Make an app."""
        path, body = "/v1/apps/{app}", as_json(settings)
        return Exchange(
            "create_app", "PUT", path, (app,), body=body, answer=Config, repeatable=False
        )

    def apps(self) -> Exchange:
        """The apps on which the key has a role."""
        return Exchange("list_apps", "GET", "/v1/apps", answer=AppList)

    def config(self) -> Exchange:
        """The configuration."""
        return self._in_app("get_config", "GET", "/config", answer=Config)

    def put_config(self, config: Any, etag: str | None) -> Exchange:
        """Replace the configuration."""
        return self._in_app(
            "put_config", "PUT", "/config", body=as_json(config), answer=Config,
            headers={"if-match": etag or "*"}, repeatable=False,
        )  # fmt: skip

    def statistics(self, since: float | None, buckets: int) -> Exchange:
        """What happened."""
        query = _query(since=since, buckets=buckets)
        return self._in_app("get_statistics", "GET", "/statistics", query=query, answer=Statistics)

    def erase(self, user: str) -> Exchange:
        """Erase a user's data."""
        return self._in_app("erase_user", "DELETE", "/users/{user}", user, answer=Erased)

    def models(self) -> Exchange:
        """The versions of the model."""
        return self._in_app("list_models", "GET", "/models", answer=ModelList)

    def export_model(self, version: int) -> Exchange:
        """The file of a version."""
        return self._in_app("export_model", "GET", "/models/{version}/file", str(version))

    def import_model(self, content: bytes) -> Exchange:
        """Take a model."""
        return self._in_app(
            "import_model", "POST", "/models", body=content, media=BINARY, answer=ModelInfo,
            repeatable=False,
        )  # fmt: skip

    def pin(self, version: int | None) -> Exchange:
        """Decide with one version."""
        body = as_json({"version": version})
        return self._in_app("pin_model", "PUT", "/pin", body=body, answer=ModelList)

    def roll_back(self, version: int) -> Exchange:
        """Go back to a version."""
        body = as_json({"version": version})
        return self._in_app(
            "roll_back", "POST", "/rollback", body=body, answer=ModelList, repeatable=False
        )

    def evaluate(self, policies: Sequence[str], options: Mapping[str, Any]) -> Exchange:
        """Start an evaluation."""
        body = as_json({"policies": list(policies), **options})
        return self._in_app(
            "evaluate", "POST", "/evaluations", body=body, answer=Evaluation, repeatable=False
        )

    def evaluation(self, job: str) -> Exchange:
        """An evaluation."""
        return self._in_app("get_evaluation", "GET", "/evaluations/{job}", job, answer=Evaluation)

    def evaluations(self) -> Exchange:
        """All evaluations."""
        return self._in_app("list_evaluations", "GET", "/evaluations", answer=EvaluationList)

    def export_log(self) -> Exchange:
        """The log."""
        return self._in_app("export_log", "GET", "/exports")

    def create_key(self, grants: Mapping[str, Sequence[Role]], name: str) -> Exchange:
        """Make a key."""
        body = as_json({"grants": grants, "name": name})
        return Exchange(
            "create_key", "POST", "/v1/keys", body=body, answer=NewKey, repeatable=False
        )

    def keys(self) -> Exchange:
        """The keys that the caller administers."""
        return Exchange("list_keys", "GET", "/v1/keys", answer=KeyList)

    def revoke_key(self, id: str) -> Exchange:
        """Forget a key."""
        return Exchange("revoke_key", "DELETE", "/v1/keys/{id}", (id,), repeatable=False)

    def health(self) -> Exchange:
        """Whether the service works: also the answer of one that does not is an answer."""
        return Exchange("ready", "GET", "/readyz", answer=Health, accepted=frozenset({503}))


def decision_request(request: Mapping[str, Any]) -> dict[str, Any]:
    """The body of a decision: actions may be plain ids, and it has an id."""
    actions = [
        {"id": action} if isinstance(action, str) else action for action in request["actions"]
    ]
    given = {name: value for name, value in request.items() if value is not None}
    return {**given, "actions": actions, "event_id": given.get("event_id") or new_id()}


def new_id() -> str:
    """An id that nobody else draws."""
    return uuid.uuid4().hex


def _query(**values: Any) -> dict[str, str]:
    return {name: str(value) for name, value in values.items() if value is not None}
