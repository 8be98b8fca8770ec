"""``Operation``: an entry of the HTTP interface; ``Call`` and ``Reply``: its request and answer.

The table of operations (``api.py``) is the only description of the interface: requests are routed,
authorised, read and checked by it, and the OpenAPI document is made from it.
"""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import msgspec

from jostle.service.auth import Access
from jostle.service.roles import Role

if TYPE_CHECKING:
    from jostle.service.context import Context

JSON = "application/json"
BINARY = "application/octet-stream"
PARQUET = "application/vnd.apache.parquet"
PROBLEM = "application/problem+json"
TEXT = "text/plain"

ANYONE: frozenset[str] = frozenset()
"""In place of roles: no key is needed."""

encode = msgspec.json.Encoder().encode


class Call:
    """A request that is allowed, and has been read."""

    __slots__ = ("access", "app", "body", "context", "headers", "parameters", "query")

    def __init__(
        self,
        context: "Context",
        access: Access,
        parameters: list[str],
        headers: dict[bytes, bytes],
        query: Any,
        body: Any,
    ):
        self.context, self.access = context, access
        self.app = parameters[0] if parameters else ""
        self.parameters = parameters
        """Those of the path, the app included."""
        self.headers = headers
        self.query = query
        """Of the operation's type."""
        self.body = body
        """Of the operation's type; bytes if it is not JSON; None without a body."""


class Reply:
    """What is sent: bytes, or a file."""

    __slots__ = ("body", "file", "headers", "media", "status", "temporary")

    def __init__(
        self,
        status: int,
        body: bytes = b"",
        media: str = JSON,
        headers: dict[str, str] | None = None,
        file: Path | None = None,
        temporary: bool = False,
    ):
        self.status, self.body, self.media = status, body, media
        self.headers = headers
        self.file = file
        self.temporary = temporary
        """Whether the file is removed once it has been sent."""

    @classmethod
    def of(cls, content: Any, status: int = 200, headers: dict[str, str] | None = None) -> "Reply":
        """A message as JSON."""
        return cls(status, encode(content), headers=headers)


Handler = Callable[[Call], Awaitable[Reply]]


@dataclass(frozen=True)
class Answered:
    """One way an operation can be answered."""

    description: str
    type: Any = None
    """Of the message; None: none, or not JSON."""
    media: str = JSON
    headers: dict[str, str] = field(default_factory=dict)
    """Names and descriptions."""


@dataclass(frozen=True)
class Operation:
    """An entry of the interface."""

    method: str
    path: str
    handler: Handler
    name: str
    """The ``operationId``, and a label of metrics."""
    summary: str
    answers: dict[int, Answered]
    """The good ones; the problems follow from the rest."""
    roles: frozenset[str] = ANYONE
    """One of these is needed, for the app in the path, or else for "*"."""
    any_key: bool = False
    """Any key will do; the handler only shows what it allows."""
    body: Any = None
    """The type of the message that is sent; bytes if it is not JSON."""
    optional_body: bool = False
    query: Any = None
    """The type of the query's parameters."""
    size: Literal["request", "batch", "model"] = "request"
    quota: Literal["decisions", "rewards"] | None = None
    problems: tuple[int, ...] = ()
    """Statuses of refusals beyond those that follow from the other fields."""
    headers: dict[str, str] = field(default_factory=dict)
    """Headers that a client sends."""
    tag: str = "service"
    decode: Callable[[bytes], Any] | None = field(init=False, default=None)
    in_app: bool = field(init=False, default=False)
    """Whether it concerns one app."""
    open_to_all: bool = field(init=False, default=False)
    """Whether it needs no key."""

    def __post_init__(self) -> None:
        if self.body not in (None, bytes):
            object.__setattr__(self, "decode", msgspec.json.Decoder(self.body).decode)

        object.__setattr__(self, "in_app", self.path.startswith("/v1/apps/{app}"))
        object.__setattr__(self, "open_to_all", not self.roles and not self.any_key)


def roles(*names: Role) -> frozenset[str]:
    """Any of these; an admin has all."""
    return frozenset(names)
