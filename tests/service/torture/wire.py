"""A small HTTP/1.1 client: cheap enough to load a server from the machine that it runs on."""

import asyncio
from typing import NamedTuple
from urllib.parse import urlsplit

import httptools

JSON = "application/json"


class Reply(NamedTuple):
    """An answer."""

    status: int
    body: bytes


def encode_request(method, path, body=b"", key=None):
    """The bytes of a request."""
    head = f"{method} {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: {len(body)}\r\n"
    if body:
        head += f"Content-Type: {JSON}\r\n"
    if key:
        head += f"Authorization: Bearer {key}\r\n"
    return head.encode() + b"\r\n" + body


class Connection(asyncio.Protocol):
    """One connection; one request at a time."""

    def __init__(self):
        self._transport = self._reply = None
        self._parts = []

    @classmethod
    async def open(cls, address):
        """Connect to ``http://host:port``."""
        found = urlsplit(address)
        loop = asyncio.get_running_loop()
        _, made = await loop.create_connection(cls, found.hostname, found.port)
        return made

    @property
    def open_still(self):
        """Whether another request can be sent."""
        return self._transport is not None

    async def send(self, request):
        """Send bytes of a request, and wait for the reply; ``ConnectionError`` if none comes."""
        if self._transport is None:
            raise ConnectionResetError("the connection is closed")
        self._reply = asyncio.get_running_loop().create_future()
        self._transport.write(request)
        return await self._reply

    async def ask(self, method, path, body=b"", key=None):
        """Make a request, send it, and wait for the reply."""
        return await self.send(encode_request(method, path, body, key))

    def close(self):
        """Disconnect."""
        if self._transport is not None:
            self._transport.abort()

    def connection_made(self, transport):
        self._transport = transport
        self._parser = httptools.HttpResponseParser(self)

    def data_received(self, data):
        self._parser.feed_data(data)

    def connection_lost(self, error):
        self._transport = None
        if self._reply is not None and not self._reply.done():
            self._reply.set_exception(ConnectionResetError("the server has gone"))
            self._reply.exception()  # somebody else may have stopped waiting for it

    def on_message_begin(self):
        self._parts = []

    def on_body(self, body):
        self._parts.append(body)

    def on_message_complete(self):
        reply, self._reply = self._reply, None
        if not self._parser.should_keep_alive():
            self.close()
        if reply is not None and not reply.done():
            reply.set_result(Reply(self._parser.get_status_code(), b"".join(self._parts)))


async def fetch(address, method, path, body=b"", key=None):
    """The reply to one request, over a connection of its own."""
    connection = await Connection.open(address)
    try:
        return await connection.ask(method, path, body, key)
    finally:
        connection.close()
