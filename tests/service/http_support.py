"""A site to test: the interface in this process, with a loop of its own, called synchronously."""

import asyncio
import socket
import threading
from contextlib import contextmanager

import httpx
import msgspec

from jostle.service.app import Api
from jostle.service.auth import Keys
from jostle.service.context import Context
from jostle.service.messages import Config
from jostle.service.roles import EVERY_APP
from jostle.service.server import Server, WebServer
from jostle.service.settings import Settings

from reference_service import ReferenceService

JSON = {"content-type": "application/json"}
DECISION = {"context": {"hour": 9}, "actions": [{"id": "a"}, {"id": "b", "features": {"price": 3}}]}


class Loop:
    """An event loop in a thread."""

    def __init__(self):
        self.loop = asyncio.new_event_loop()
        self.thread = threading.Thread(target=self.loop.run_forever, daemon=True)
        self.thread.start()

    def run(self, coroutine):
        return asyncio.run_coroutine_threadsafe(coroutine, self.loop).result(60)

    def close(self):
        self.loop.call_soon_threadsafe(self.loop.stop)
        self.thread.join()
        self.loop.close()


class Site:
    """A service, its interface, and an admin key.

    Arguments:
        folder: of keys and files.
        service: by default the reference.
        keys: whether keys are needed.
    """

    def __init__(self, folder, service=None, keys=True, **settings):
        self.folder = folder
        self.loop = Loop()
        self.service = service or ReferenceService(folder)
        self.keys = Keys(folder / "keys.json") if keys else None
        self.settings = Settings(data=str(folder), keys=keys, **settings)
        self.context = Context(self.service, self.settings, self.keys)
        self.context.metrics.watch(self.service)
        self.api = Api(self.context)
        self.admin = self.keys.create({EVERY_APP: ["admin"]})[1] if keys else None
        transport = httpx.ASGITransport(self.api)
        self.client = httpx.AsyncClient(transport=transport, base_url="http://localhost:8080")
        self.create("shop")

    def create(self, app, **config):
        self.loop.run(self.service.create_app(app, msgspec.convert(config, Config)))

    def key(self, **grants):
        """A key with roles per app."""
        return self.keys.create(grants)[1]

    def request(self, method, path, body=None, key=None, headers=None, **options):
        """Send a request: dictionaries as JSON, bytes as they are, with the admin's key."""
        given = dict(headers or {})
        key = self.admin if key is None else key
        if key:
            given.setdefault("authorization", f"Bearer {key}")
        if isinstance(body, bytes):
            options["content"] = body
            given.setdefault("content-type", "application/json")
        elif body is not None:
            options["json"] = body
        return self.loop.run(self.client.request(method, path, headers=given, **options))

    def close(self):
        self.loop.run(self.client.aclose())
        self.loop.close()


@contextmanager
def served(site):
    """The address of a real server on a free port, which serves the site."""
    started = threading.Event()
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        server = WebServer(Server(site.context), site.settings, started.set)
        serving = asyncio.run_coroutine_threadsafe(server._serve([listening]), site.loop.loop)
        try:
            assert started.wait(30)
            yield f"http://127.0.0.1:{listening.getsockname()[1]}"
        finally:
            server.should_exit = True
            serving.result(30)
