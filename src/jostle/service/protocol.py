"""``HttpProtocol``: uvicorn's, which hands an answer's head and body to the system at once.

Uvicorn writes them one after the other, and the event loop sends each write immediately: twice the
calls of the system for every answer, and often two packets, of which the first wakes the client up
for nothing.
"""

import asyncio
from typing import Any

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

HEAD = b"HTTP/1."
"""How every head begins. An informational one (100 Continue) is complete, and sent as it is."""
INFORMATIONAL = b"HTTP/1.1 1"


class JoinedWrites:
    """A transport that holds a head back until its body comes, or the loop's turn ends.

    Arguments:
        transport: the connection's.
        loop: in whose thread everything happens.
    """

    def __init__(self, transport: asyncio.Transport, loop: asyncio.AbstractEventLoop):
        self._transport, self._loop = transport, loop
        self._held = b""

    def write(self, data: bytes) -> None:
        """Send bytes; a head is held back for what follows it."""
        if self._held:
            data, self._held = self._held + data, b""
        elif data.startswith(HEAD) and not data.startswith(INFORMATIONAL):
            self._held = bytes(data)
            self._loop.call_soon(self._flush)
            return
        self._transport.write(data)

    def close(self) -> None:
        """Send what is held back, and close."""
        self._flush()
        self._transport.close()

    def _flush(self) -> None:
        if self._held:
            held, self._held = self._held, b""
            self._transport.write(held)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._transport, name)


class HttpProtocol(HttpToolsProtocol):
    """Uvicorn's protocol on a transport that joins writes."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Begin with a connection."""
        super().connection_made(JoinedWrites(transport, self.loop))  # type: ignore[arg-type]

    def connection_lost(self, exc: Exception | None) -> None:
        """Let go of the last request, so that nobody has to look for this as garbage."""
        super().connection_lost(exc)
        if self.cycle is not None and self.cycle.response_complete:
            self.cycle = None  # type: ignore[assignment]
