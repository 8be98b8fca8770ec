"""The running server: start, stop, the interface, and whatever pages are added."""

import asyncio
import signal
import socket
from collections.abc import AsyncIterator, Callable, Iterable, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from types import FrameType

import uvicorn
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute
from starlette.types import ASGIApp, Receive, Scope, Send

from jostle.service.app import Api
from jostle.service.auth import KEY_FILE, Keys
from jostle.service.calls import PROBLEM, encode
from jostle.service.context import Context
from jostle.service.diagnostics import logger
from jostle.service.envelopes import ProblemData
from jostle.service.memory import Housekeeper, rarer_collections
from jostle.service.messages import Config
from jostle.service.protocol import HttpProtocol
from jostle.service.service import Service
from jostle.service.settings import Settings

OPERATED = ("/v1/", "/healthz", "/readyz", "/metrics")
"""How the paths of operations start; all others are those of pages."""
Pages = Callable[[Context], Iterable[BaseRoute]]
"""Makes the routes of pages beside the interface."""


def key_file(settings: Settings) -> Path:
    """Where the keys are."""
    return Path(settings.data) / KEY_FILE


def make_folder(settings: Settings) -> None:
    """Make the folder of the data, which only its owner may read: it holds what users did."""
    Path(settings.data).mkdir(mode=0o700, parents=True, exist_ok=True)


@asynccontextmanager
async def running(settings: Settings) -> AsyncIterator[Context]:
    """A service while it runs, with at least one app."""
    make_folder(settings)
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
    """The ASGI application: operations by ``Api``, pages by Starlette.

    Arguments:
        context: the running service.
        pages: make the routes of pages.
    """

    def __init__(self, context: Context, pages: Sequence[Pages] = ()):
        self.api = Api(context)
        routes = [route for make in pages for route in make(context)]
        self._pages = Starlette(routes=routes, exception_handlers={HTTPException: _as_problem})

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["path"].startswith(OPERATED):
            await self.api(scope, receive, send)
        else:
            await self._pages(scope, receive, send)


class WebServer(uvicorn.Server):
    """Uvicorn that tells when it answers, and whose process ends well after a signal.

    Arguments:
        app: the application.
        settings: where to serve it.
        ready: called when it answers.
    """

    def __init__(self, app: ASGIApp, settings: Settings, ready: Callable[[], None] = lambda: None):
        config = uvicorn.Config(
            app,
            host=settings.host,
            port=settings.port,
            http=HttpProtocol,
            ws="none",
            lifespan="off",
            log_config=None,
            access_log=False,
            server_header=False,
            proxy_headers=False,
            timeout_graceful_shutdown=max(1, round(settings.stop_seconds)),
        )
        super().__init__(config)
        self._ready = ready

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Listen, and say so."""
        await super().startup(sockets)
        self._ready()

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Stop: finish what is under way; at the second Ctrl-C, without waiting for it."""
        if self.should_exit and sig == signal.SIGINT:
            self.force_exit = True
        self.should_exit = True


async def serve(
    settings: Settings,
    listening: socket.socket,
    ready: Callable[[], None],
    pages: Sequence[Pages] = (),
) -> None:
    """Run the service and serve it on a socket, until SIGTERM or Ctrl-C."""
    async with running(settings) as context:
        await WebServer(Server(context, pages), settings, ready).serve(sockets=[listening])


def run(
    settings: Settings,
    listening: socket.socket,
    ready: Callable[[], None],
    pages: Sequence[Pages] = (),
) -> None:
    """``serve`` in an event loop of its own, the fastest there is."""

    def started() -> None:
        rarer_collections()
        ready()

    housekeeper = Housekeeper()
    try:
        with asyncio.Runner(loop_factory=_loop_factory()) as runner:
            runner.run(serve(settings, listening, started, pages))
    finally:
        housekeeper.close()


def _loop_factory() -> Callable[[], asyncio.AbstractEventLoop]:
    try:
        import uvloop
    except ImportError:  # Windows
        return asyncio.new_event_loop
    return uvloop.new_event_loop


async def _as_problem(request: Request, error: Exception) -> Response:  # noqa: ARG001
    assert isinstance(error, HTTPException)
    problem = ProblemData(
        type="about:blank",
        title=error.detail,
        status=error.status_code,
        detail="there is nothing at this path" if error.status_code == 404 else error.detail,
    )
    return Response(encode(problem), error.status_code, error.headers, PROBLEM)
