"""The running server: the interface, whatever pages are added, start and stop."""

from collections.abc import AsyncIterator, Callable, Iterable, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

import uvicorn
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute
from starlette.types import ASGIApp, Receive, Scope, Send

from jostle.service.app import Api
from jostle.service.auth import Keys
from jostle.service.calls import PROBLEM, encode
from jostle.service.context import Context
from jostle.service.diagnostics import logger
from jostle.service.envelopes import ProblemData
from jostle.service.messages import Config
from jostle.service.service import Service
from jostle.service.settings import Settings

KEY_FILE = "keys.json"
Pages = Callable[[Context], Iterable[BaseRoute]]
"""Makes the routes of pages beside the interface."""


def key_file(settings: Settings) -> Path:
    """Where the keys are."""
    return Path(settings.data) / KEY_FILE


@asynccontextmanager
async def running(settings: Settings) -> AsyncIterator[Context]:
    """A service while it runs, with at least one app."""
    Path(settings.data).mkdir(mode=0o700, parents=True, exist_ok=True)
    service = Service.open(Path(settings.data), settings.core)
    try:
        if not service.apps():
            await service.create_app(settings.app, Config())
        context = Context(service, settings, Keys(key_file(settings)) if settings.keys else None)
        context.metrics.watch(service)
        logger.info("started", data=settings.data, apps=len(service.apps()))
        yield context
    finally:
        service.close()
        logger.info("stopped")


class Server:
    """The ASGI application: operations by ``Api``, everything else by Starlette.

    Arguments:
        settings: where and how to serve.
        pages: makes more routes, once the service is running.
    """

    def __init__(self, settings: Settings, pages: Sequence[Pages] = ()):
        self.api = Api()
        self._pages = Starlette(
            lifespan=self._lifespan, exception_handlers={HTTPException: _as_problem}
        )
        self._makers = pages
        self._settings = settings

    @asynccontextmanager
    async def _lifespan(self, app: Starlette) -> AsyncIterator[None]:
        async with running(self._settings) as context:
            self.api.context = context
            for make in self._makers:
                app.router.routes.extend(make(context))
            yield

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request, or start and stop."""
        if scope["type"] == "http" and scope["path"].startswith(("/v1/", *_OPEN)):
            await self.api(scope, receive, send)
        else:
            await self._pages(scope, receive, send)


_OPEN = ("/healthz", "/readyz", "/metrics")


def web_server(app: ASGIApp, settings: Settings) -> uvicorn.Server:
    """The web server that runs the application."""
    return uvicorn.Server(
        uvicorn.Config(
            app,
            host=settings.host,
            port=settings.port,
            http="httptools",
            loop="auto",
            ws="none",
            lifespan="on",
            log_config=None,
            access_log=False,
            server_header=False,
            proxy_headers=False,
            timeout_graceful_shutdown=round(settings.stop_seconds),
        )
    )


async def _as_problem(request: Request, error: Exception) -> Response:  # noqa: ARG001
    assert isinstance(error, HTTPException)
    problem = ProblemData(
        type="about:blank",
        title=error.detail,
        status=error.status_code,
        detail="there is nothing at this path" if error.status_code == 404 else error.detail,
    )
    return Response(encode(problem), error.status_code, error.headers, PROBLEM)
