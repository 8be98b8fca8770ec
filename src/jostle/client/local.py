"""``LocalClient``: the service in this process, without HTTP."""

import asyncio
import os
import shutil
import threading
from collections.abc import Coroutine
from contextlib import AsyncExitStack
from pathlib import Path
from types import TracebackType
from typing import Any, Self, TypeVar
from urllib.parse import urlencode

from jostle.client.errors import ServiceError
from jostle.client.exchanges import Exchange
from jostle.client.methods import BlockingClient, Received
from jostle.core.atomic import atomic
from jostle.service.app import Api
from jostle.service.auth import FULL_ACCESS
from jostle.service.calls import Reply
from jostle.service.messages import Config
from jostle.service.problems import Busy, OverQuota, Problem
from jostle.service.replies import problem_data
from jostle.service.server import running
from jostle.service.settings import Settings

T = TypeVar("T")


class LocalClient(BlockingClient):
    """A service of its own in this process, with the methods of ``Client``.

        with jostle.LocalClient("jostle-data") as client:
            decision = client.decide({"hour": 9}, ["a", "b"])

    Decisions are as durable as those of a server. A server can use the same data before or after,
    but not at the same time. Any number of threads may call. Nothing is tried twice:
    ``ServiceError`` with status 503 says that the disk is full.

    Arguments:
        data: folder of everything the service keeps.
        app: which decisions are asked of; it is made if it is new.
        settings: of ``jostle.service.settings.Settings``.
    """

    def __init__(
        self, data: str | os.PathLike[str] = "jostle-data", app: str = "default", **settings: Any
    ):
        super().__init__(app)
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._thread.start()
        self._stack = AsyncExitStack()
        self._open = True
        try:
            wanted = Settings(data=os.fspath(data), app=app, **settings)
            context = self._run(self._stack.enter_async_context(running(wanted)))
            if app not in context.service.apps():
                self._run(context.service.create_app(app, Config()))
        except BaseException:
            self._stop()
            raise
        self._api = Api(context)
        self._operations = {operation.name: operation for operation in self._api.operations}

    def _run(self, coroutine: Coroutine[Any, Any, T]) -> T:
        if not self._open:
            coroutine.close()
            raise RuntimeError("the client has been closed")
        return asyncio.run_coroutine_threadsafe(coroutine, self._loop).result()

    def _reply(self, exchange: Exchange) -> Reply:
        coroutine = self._api.perform(
            self._operations[exchange.operation],
            FULL_ACCESS,
            list(exchange.parameters),
            {name.encode(): value.encode() for name, value in exchange.headers.items()},
            urlencode(exchange.query).encode(),
            exchange.body,
        )
        try:
            return self._run(coroutine)
        except Problem as problem:
            seconds = problem.retry_after if isinstance(problem, Busy | OverQuota) else None
            raise ServiceError(problem_data(problem), seconds) from None

    def _send(self, exchange: Exchange) -> Received:
        reply = self._reply(exchange)
        headers = {name.lower(): value for name, value in (reply.headers or {}).items()}
        return Received(reply.body, headers)

    def _save(self, exchange: Exchange, path: Path) -> None:
        reply = self._reply(exchange)
        assert reply.file is not None
        try:
            with open(reply.file, "rb") as source, atomic(path) as target:
                shutil.copyfileobj(source, target)
        finally:
            if reply.temporary:
                reply.file.unlink()

    def close(self) -> None:
        """Stop the service; everything that was acknowledged is on the disk."""
        if self._open:
            try:
                self._run(self._stack.aclose())
            finally:
                self._stop()

    def _stop(self) -> None:
        self._open = False
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()
