"""From a method and a path to an operation.

Paths are split before they are decoded, so that an id may hold any character, an encoded slash too.
"""

from collections.abc import Iterable
from typing import Generic, NamedTuple, Protocol, TypeVar
from urllib.parse import unquote_to_bytes


class Routed(Protocol):
    """What has a place in the interface: ``GET`` and ``/v1/apps/{app}/config``."""

    @property
    def method(self) -> str:
        """In capitals."""

    @property
    def path(self) -> str:
        """With parameters in braces."""


T = TypeVar("T", bound=Routed)


class Found(NamedTuple, Generic[T]):
    """Where a path leads."""

    methods: dict[str, T]
    """What can be done there."""
    parameters: list[str]
    """The values of the path's parameters, in their order."""


class _Node(Generic[T]):
    __slots__ = ("children", "methods", "parameter")

    def __init__(self) -> None:
        self.children: dict[bytes, _Node[T]] = {}
        self.parameter: _Node[T] | None = None
        self.methods: dict[str, T] = {}


class Router(Generic[T]):
    """Finds operations by their paths.

    A name in a path goes before a parameter at the same place, and there is no way back from it:
    paths of which one has a name where the other has a parameter are refused.
    """

    def __init__(self, operations: Iterable[T]):
        self._root: _Node[T] = _Node()
        for operation in operations:
            node = self._root
            for part in operation.path.encode().split(b"/"):
                if part.startswith(b"{"):
                    node.parameter = node.parameter or _Node()
                    following = node.parameter
                else:
                    following = node.children.setdefault(part, _Node())
                if node.parameter is not None and node.children:
                    raise ValueError(f"{operation.path} is ambiguous at {part.decode()!r}")
                node = following
            if operation.method in node.methods:
                raise ValueError(f"{operation.method} {operation.path} is there twice")
            node.methods[operation.method] = operation

    def find(self, path: bytes) -> Found[T] | None:
        """Where a path, as it came, leads; None if nowhere."""
        node = self._root
        parameters: list[str] = []
        for part in path.split(b"/"):
            if node.parameter is None:
                following = node.children.get(part)
                if following is None:
                    return None
                node = following
            else:
                value = _decoded(part)
                if not value:
                    return None
                parameters.append(value)
                node = node.parameter
        return Found(node.methods, parameters) if node.methods else None


def _decoded(part: bytes) -> str | None:
    """The text of a path's part; None if it is not UTF-8."""
    try:
        return (unquote_to_bytes(part) if b"%" in part else part).decode()
    except UnicodeDecodeError:
        return None
