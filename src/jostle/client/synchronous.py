"""``Client``: the service over HTTP."""

import time
from pathlib import Path
from types import TracebackType
from typing import Self

import httpx

from jostle.client.exchanges import Exchange
from jostle.client.http import (
    authorisation,
    check,
    failure,
    headers_of,
    is_answer,
    pause_after_error,
    pause_after_silence,
)
from jostle.client.methods import BlockingClient, Received
from jostle.client.retrying import Retries
from jostle.core.atomic import atomic


class Client(BlockingClient):
    """A client of a service, for any number of threads.

        client = jostle.Client("http://127.0.0.1:8080", key)
        decision = client.decide({"hour": 9}, ["a", "b"])
        client.reward(decision.event_id, 1.0)

    Requests that fail on the way, or that the service is too busy for, are sent again with growing
    pauses. Ids of decisions and rewards are drawn before the first attempt, so that nothing is
    decided or counted twice.

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
        transport: httpx.BaseTransport | None = None,
    ):
        super().__init__(app)
        self._retries = Retries(retries)
        self._http = httpx.Client(
            base_url=check(url),
            headers=authorisation(key),
            timeout=timeout,
            transport=transport,
        )

    def _send(self, exchange: Exchange) -> Received:
        attempt = 0
        while True:
            try:
                response = self._http.request(
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
            time.sleep(pause)
            attempt += 1

    def _save(self, exchange: Exchange, path: Path) -> None:
        with self._http.stream(exchange.method, exchange.target, timeout=None) as response:
            if not is_answer(exchange, response.status_code):
                raise failure(response.status_code, response.read(), response.headers)
            with atomic(path) as file:
                for part in response.iter_bytes():
                    file.write(part)

    def close(self) -> None:
        """Close the connections."""
        self._http.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()
