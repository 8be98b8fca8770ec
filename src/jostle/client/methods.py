"""The methods of clients that wait for their answers: ``Client`` and ``LocalClient``."""

import os
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from jostle.client import answers
from jostle.client.errors import ServiceError
from jostle.client.exchanges import Exchange, Exchanges
from jostle.service.envelopes import AppInfo, KeyInfo, NewKey
from jostle.service.messages import (
    ActivationState,
    Config,
    DecisionAnswer,
    Evaluation,
    Health,
    ModelInfo,
    RewardState,
    Statistics,
)
from jostle.service.roles import Role


class Received(NamedTuple):
    """An answer."""

    content: bytes
    headers: Mapping[str, str]


class BlockingClient(ABC):
    """What can be asked of a service, for one of its apps."""

    def __init__(self, app: str):
        self._exchanges = Exchanges(app)

    @property
    def app(self) -> str:
        """The app that decisions are asked of."""
        return self._exchanges.app

    @abstractmethod
    def _send(self, exchange: Exchange) -> Received:
        """Send a request until it is answered."""

    @abstractmethod
    def _save(self, exchange: Exchange, path: Path) -> None:
        """Write an answer to a file."""

    def _ask(self, exchange: Exchange) -> Any:
        return answers.read(self._send(exchange).content, exchange.answer)

    def decide(
        self,
        context: Any,
        actions: Iterable[Any],
        *,
        event_id: str | None = None,
        exclude: Sequence[str] = (),
        baseline: str | None = None,
        baseline_probability: float | None = None,
        defer: bool = False,
        user: str | None = None,
        explain: bool = False,
    ) -> DecisionAnswer:
        """Choose one of the actions.

        Arguments:
            context: a record, or numbers.
            actions: ids, or dictionaries ``{"id": "a", "features": {"price": 3}}``.
            event_id: of this decision; by default a new one. The same id and request give the
                same answer; another request under a used id is refused.
            exclude: ids of actions that must not be chosen.
            baseline: the action that you would take yourself; required of an apprentice.
            baseline_probability: the probability with which you chose it.
            defer: whether the decision counts only once it is activated.
            user: whose data this is, so that it can be erased.
            explain: whether to say what each feature contributes.
        """
        options = {
            "event_id": event_id, "exclude": list(exclude), "baseline": baseline,
            "baseline_probability": baseline_probability, "defer": defer, "user": user,
            "explain": explain,
        }  # fmt: skip
        found: DecisionAnswer = self._ask(self._exchanges.decide(context, actions, options))
        return found

    def decide_many(
        self, requests: Iterable[Mapping[str, Any]]
    ) -> list[DecisionAnswer | ServiceError]:
        """Up to 256 decisions in one transaction: dictionaries of the arguments of ``decide``.

        A refused one is a ``ServiceError`` in the list, since the others have been decided.
        """
        return answers.decisions(self._ask(self._exchanges.decide_many(requests)))

    def reward(
        self, event_id: str, value: float, *, reward_id: str | None = None, final: bool = False
    ) -> RewardState:
        """Reward a decision: "joined", "pending" (it has not come yet), "late" or "duplicate".

        Arguments:
            event_id: of the decision.
            value: of the reward.
            reward_id: rewards of the same id count once; by default a new one.
            final: whether the decision is closed by this reward.
        """
        state: RewardState = self._ask(
            self._exchanges.reward(event_id, value, reward_id, final)
        ).state
        return state

    def reward_many(self, rewards: Iterable[Mapping[str, Any]]) -> list[RewardState | ServiceError]:
        """Up to 256 rewards in one transaction: dictionaries with ``event_id`` and ``value``."""
        return answers.rewards(self._ask(self._exchanges.reward_many(rewards)))

    def activate(self, event_id: str) -> ActivationState:
        """Let a deferred decision count: "activated", "active" (it was before) or "late"."""
        state: ActivationState = self._ask(self._exchanges.activate(event_id)).state
        return state

    def decision(self, event_id: str) -> dict[str, Any]:
        """Everything about a decision."""
        found: dict[str, Any] = self._ask(self._exchanges.decision(event_id))
        return found

    def decisions(self, before: int | None = None, limit: int = 50) -> list[dict[str, Any]]:
        """The latest decisions, newest first; ``before`` the position of the last one seen."""
        found: list[dict[str, Any]] = self._ask(self._exchanges.decisions(before, limit)).decisions
        return found

    def apps(self) -> list[AppInfo]:
        """The apps on which the key has a role."""
        found: list[AppInfo] = self._ask(self._exchanges.apps()).apps
        return found

    def create_app(self, app: str, **settings: Any) -> Config:
        """Make an app, with settings of ``Config``."""
        found: Config = self._ask(self._exchanges.create_app(app, settings))
        return found

    def config(self) -> tuple[Config, str]:
        """The configuration, and its ETag."""
        exchange = self._exchanges.config()
        received = self._send(exchange)
        return answers.read(received.content, exchange.answer), received.headers["etag"]

    def put_config(self, config: Any, etag: str | None = None) -> tuple[Config, str]:
        """Replace the configuration if its ETag is this one, or whatever it is; and the new one.

        Arguments:
            config: a ``Config``, or a dictionary of its settings; the others get their defaults.
            etag: of the configuration that it replaces. None: any.
        """
        exchange = self._exchanges.put_config(config, etag)
        received = self._send(exchange)
        return answers.read(received.content, exchange.answer), received.headers["etag"]

    def statistics(self, since: float | None = None, buckets: int = 60) -> Statistics:
        """What happened, from ``since`` (by default an hour ago) until now."""
        found: Statistics = self._ask(self._exchanges.statistics(since, buckets))
        return found

    def erase(self, user: str) -> int:
        """Erase the data of a user; the number of decisions erased."""
        erased: int = self._ask(self._exchanges.erase(user)).decisions
        return erased

    def models(self) -> list[ModelInfo]:
        """The versions of the model, newest first."""
        found: list[ModelInfo] = self._ask(self._exchanges.models()).models
        return found

    def export_model(self, version: int, path: str | os.PathLike[str]) -> None:
        """Write a version of the model to a file."""
        self._save(self._exchanges.export_model(version), Path(path))

    def import_model(self, path: str | os.PathLike[str]) -> ModelInfo:
        """Decide and learn with a model that was exported, here or by another server."""
        found: ModelInfo = self._ask(self._exchanges.import_model(Path(path).read_bytes()))
        return found

    def pin(self, version: int | None) -> list[ModelInfo]:
        """Decide with one version, whatever is learned; None: with the latest again."""
        found: list[ModelInfo] = self._ask(self._exchanges.pin(version)).models
        return found

    def roll_back(self, version: int) -> list[ModelInfo]:
        """Forget what was learned after a version, and continue from it."""
        found: list[ModelInfo] = self._ask(self._exchanges.roll_back(version)).models
        return found

    def evaluate(self, policies: Sequence[str], **options: Any) -> Evaluation:
        """Start a job that estimates from the log what policies would have earned.

        Arguments:
            policies: names of the catalogue, "logged", "uniform", "current" or "baseline".
            options: of ``EvaluationRequest``.
        """
        found: Evaluation = self._ask(self._exchanges.evaluate(policies, options))
        return found

    def evaluation(self, job: str) -> Evaluation:
        """A job, with its estimates once it is done."""
        found: Evaluation = self._ask(self._exchanges.evaluation(job))
        return found

    def evaluations(self) -> list[Evaluation]:
        """All jobs, newest first."""
        found: list[Evaluation] = self._ask(self._exchanges.evaluations()).evaluations
        return found

    def export_log(self, path: str | os.PathLike[str]) -> None:
        """Write the closed decisions to a Parquet file, which ``jostle evaluate`` reads."""
        self._save(self._exchanges.export_log(), Path(path))

    def create_key(self, grants: Mapping[str, Sequence[Role]], name: str = "") -> NewKey:
        """Make a key with roles per app; "*" is all apps."""
        found: NewKey = self._ask(self._exchanges.create_key(grants, name))
        return found

    def keys(self) -> list[KeyInfo]:
        """The keys of the apps that you administer."""
        found: list[KeyInfo] = self._ask(self._exchanges.keys()).keys
        return found

    def revoke_key(self, id: str) -> None:
        """Forget a key at once."""
        self._ask(self._exchanges.revoke_key(id))

    def health(self) -> Health:
        """Whether the service works."""
        found: Health = self._ask(self._exchanges.health())
        return found
