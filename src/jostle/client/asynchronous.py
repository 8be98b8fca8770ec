"""``AsyncClient``: the service over HTTP, with coroutines."""

import asyncio
import os
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import httpx

from jostle.client import answers
from jostle.client.errors import ServiceError
from jostle.client.exchanges import Exchange, Exchanges
from jostle.client.http import (
    authorisation,
    check,
    failure,
    headers_of,
    is_answer,
    pause_after_error,
    pause_after_silence,
)
from jostle.client.methods import Received
from jostle.client.retrying import Retries
from jostle.core.atomic import atomic
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


class AsyncClient:
    """``Client`` with coroutines.

        async with jostle.AsyncClient("http://127.0.0.1:8080", key) as client:
            decision = await client.decide({"hour": 9}, ["a", "b"])

    Arguments:
        url: of the server.
        key: with the roles for what you do; None if the server runs without keys.
        app: which decisions are asked of.
        retries: how often a request is sent again.
        timeout: seconds to wait for an answer.
        transport: of httpx, in place of connections over the network.
    """

    def __init__(
        self,
        url: str,
        key: str | None = None,
        app: str = "default",
        *,
        retries: int = 5,
        timeout: float = 10.0,
        transport: httpx.AsyncBaseTransport | None = None,
    ):
        self._exchanges = Exchanges(app)
        self._retries = Retries(retries)
        self._http = httpx.AsyncClient(
            base_url=check(url),
            headers=authorisation(key),
            timeout=timeout,
            transport=transport,
        )

    @property
    def app(self) -> str:
        """The app that decisions are asked of."""
        return self._exchanges.app

    async def _send(self, exchange: Exchange) -> Received:
        attempt = 0
        while True:
            try:
                response = await self._http.request(
                    exchange.method,
                    exchange.target,
                    content=exchange.body,
                    headers=headers_of(exchange),
                )
            except httpx.TransportError as error:
                pause = pause_after_silence(self._retries, exchange, attempt, error)
            else:
                if is_answer(exchange, response.status_code):
                    return Received(response.content, response.headers)
                error_found = failure(response.status_code, response.content, response.headers)
                pause = pause_after_error(self._retries, exchange, attempt, error_found)
            await asyncio.sleep(pause)
            attempt += 1

    async def _save(self, exchange: Exchange, path: Path) -> None:
        async with self._http.stream(exchange.method, exchange.target, timeout=None) as response:
            if not is_answer(exchange, response.status_code):
                raise failure(response.status_code, await response.aread(), response.headers)
            with atomic(path) as file:
                async for part in response.aiter_bytes():
                    file.write(part)

    async def _ask(self, exchange: Exchange) -> Any:
        return answers.read((await self._send(exchange)).content, exchange.answer)

    async def close(self) -> None:
        """Close the connections."""
        await self._http.aclose()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.close()

    async def decide(
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
        found: DecisionAnswer = await self._ask(self._exchanges.decide(context, actions, options))
        return found

    async def decide_many(
        self, requests: Iterable[Mapping[str, Any]]
    ) -> list[DecisionAnswer | ServiceError]:
        """Up to 256 decisions in one transaction: dictionaries of the arguments of ``decide``.

        A refused one is a ``ServiceError`` in the list, since the others have been decided.
        """
        return answers.decisions(await self._ask(self._exchanges.decide_many(requests)))

    async def reward(
        self, event_id: str, value: float, *, reward_id: str | None = None, final: bool = False
    ) -> RewardState:
        """Reward a decision: "joined", "pending" (it has not come yet), "late" or "duplicate".

        Arguments:
            event_id: of the decision.
            value: of the reward.
            reward_id: rewards of the same id count once; by default a new one.
            final: whether the decision is closed by this reward.
        """
        state: RewardState = (
            await self._ask(self._exchanges.reward(event_id, value, reward_id, final))
        ).state
        return state

    async def reward_many(
        self, rewards: Iterable[Mapping[str, Any]]
    ) -> list[RewardState | ServiceError]:
        """Up to 256 rewards in one transaction: dictionaries with ``event_id`` and ``value``."""
        return answers.rewards(await self._ask(self._exchanges.reward_many(rewards)))

    async def activate(self, event_id: str) -> ActivationState:
        """Let a deferred decision count: "activated", "active" (it was before) or "late"."""
        state: ActivationState = (await self._ask(self._exchanges.activate(event_id))).state
        return state

    async def decision(self, event_id: str) -> dict[str, Any]:
        """Everything about a decision."""
        found: dict[str, Any] = await self._ask(self._exchanges.decision(event_id))
        return found

    async def decisions(self, before: int | None = None, limit: int = 50) -> list[dict[str, Any]]:
        """The latest decisions, newest first; ``before`` the position of the last one seen."""
        found: list[dict[str, Any]] = (
            await self._ask(self._exchanges.decisions(before, limit))
        ).decisions
        return found

    async def apps(self) -> list[AppInfo]:
        """The apps on which the key has a role."""
        found: list[AppInfo] = (await self._ask(self._exchanges.apps())).apps
        return found

    async def create_app(self, app: str, **settings: Any) -> Config:
        """Make an app, with settings of ``Config``."""
        found: Config = await self._ask(self._exchanges.create_app(app, settings))
        return found

    async def config(self) -> tuple[Config, str]:
        """The configuration, and its ETag."""
        exchange = self._exchanges.config()
        received = await self._send(exchange)
        return answers.read(received.content, exchange.answer), received.headers["etag"]

    async def put_config(self, config: Any, etag: str | None = None) -> tuple[Config, str]:
        """Replace the configuration if its ETag is this one, or whatever it is; and the new one.

        Arguments:
            config: a ``Config``, or a dictionary of its settings; the others get their defaults.
            etag: of the configuration that it replaces. None: any.
        """
        exchange = self._exchanges.put_config(config, etag)
        received = await self._send(exchange)
        return answers.read(received.content, exchange.answer), received.headers["etag"]

    async def statistics(self, since: float | None = None, buckets: int = 60) -> Statistics:
        """What happened, from ``since`` (by default an hour ago) until now."""
        found: Statistics = await self._ask(self._exchanges.statistics(since, buckets))
        return found

    async def erase(self, user: str) -> int:
        """Erase the data of a user; the number of decisions erased."""
        erased: int = (await self._ask(self._exchanges.erase(user))).decisions
        return erased

    async def models(self) -> list[ModelInfo]:
        """The versions of the model, newest first."""
        found: list[ModelInfo] = (await self._ask(self._exchanges.models())).models
        return found

    async def export_model(self, version: int, path: str | os.PathLike[str]) -> None:
        """Write a version of the model to a file."""
        await self._save(self._exchanges.export_model(version), Path(path))

    async def import_model(self, path: str | os.PathLike[str]) -> ModelInfo:
        """Decide and learn with a model that was exported, here or by another server."""
        found: ModelInfo = await self._ask(self._exchanges.import_model(Path(path).read_bytes()))
        return found

    async def pin(self, version: int | None) -> list[ModelInfo]:
        """Decide with one version, whatever is learned; None: with the latest again."""
        found: list[ModelInfo] = (await self._ask(self._exchanges.pin(version))).models
        return found

    async def roll_back(self, version: int) -> list[ModelInfo]:
        """Forget what was learned after a version, and continue from it."""
        found: list[ModelInfo] = (await self._ask(self._exchanges.roll_back(version))).models
        return found

    async def evaluate(self, policies: Sequence[str], **options: Any) -> Evaluation:
        """Start a job that estimates from the log what policies would have earned.

        Arguments:
            policies: names of the catalogue, "logged", "uniform", "current" or "baseline".
            options: of ``EvaluationRequest``.
        """
        found: Evaluation = await self._ask(self._exchanges.evaluate(policies, options))
        return found

    async def evaluation(self, job: str) -> Evaluation:
        """A job, with its estimates once it is done."""
        found: Evaluation = await self._ask(self._exchanges.evaluation(job))
        return found

    async def evaluations(self) -> list[Evaluation]:
        """All jobs, newest first."""
        found: list[Evaluation] = (await self._ask(self._exchanges.evaluations())).evaluations
        return found

    async def export_log(self, path: str | os.PathLike[str]) -> None:
        """Write the closed decisions to a Parquet file, which ``jostle evaluate`` reads."""
        await self._save(self._exchanges.export_log(), Path(path))

    async def create_key(self, grants: Mapping[str, Sequence[Role]], name: str = "") -> NewKey:
        """Make a key with roles per app; "*" is all apps."""
        found: NewKey = await self._ask(self._exchanges.create_key(grants, name))
        return found

    async def keys(self) -> list[KeyInfo]:
        """The keys of the apps that you administer."""
        found: list[KeyInfo] = (await self._ask(self._exchanges.keys())).keys
        return found

    async def revoke_key(self, id: str) -> None:
        """Forget a key at once."""
        await self._ask(self._exchanges.revoke_key(id))

    async def health(self) -> Health:
        """Whether the service works."""
        found: Health = await self._ask(self._exchanges.health())
        return found
