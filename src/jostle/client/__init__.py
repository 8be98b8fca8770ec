"""Clients of the decision service: ``Client``, ``AsyncClient``, and ``LocalClient`` in process.

The first two need httpx and msgspec only. ``LocalClient`` is in ``jostle.client.local``, since it
needs everything that the service needs.
"""

from jostle.client.asynchronous import AsyncClient
from jostle.client.errors import ServiceError, Unreachable
from jostle.client.synchronous import Client

__all__ = ["AsyncClient", "Client", "ServiceError", "Unreachable"]
