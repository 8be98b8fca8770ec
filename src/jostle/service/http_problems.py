"""Refusals that only exist over HTTP: keys, methods, sizes, media types."""

from collections.abc import Iterable

from jostle.service.problems import Problem


class Malformed(Problem):
    """The body is not JSON."""

    type, status, title = "urn:jostle:problem:malformed", 400, "Malformed request"


class Unauthorised(Problem):
    """There is no key, or it is not known."""

    type, status, title = "urn:jostle:problem:unauthorised", 401, "Key missing or unknown"

    @property
    def headers(self) -> dict[str, str]:
        """How to give a key."""
        return {"WWW-Authenticate": 'Bearer realm="jostle"'}


class Forbidden(Problem):
    """The key does not have the role. Whether the app exists is not said."""

    type, status, title = "urn:jostle:problem:forbidden", 403, "Not allowed"


class WrongMethod(Problem):
    """The path exists, but not with this method."""

    type, status, title = "urn:jostle:problem:method", 405, "Method not allowed"

    def __init__(self, detail: str, methods: Iterable[str]):
        super().__init__(detail)
        self._methods = ", ".join(sorted(methods))

    @property
    def headers(self) -> dict[str, str]:
        """The methods that the path has."""
        return {"Allow": self._methods}


class Unread(Problem):
    """The rest of the body is not waited for, so the connection cannot be used again."""

    @property
    def headers(self) -> dict[str, str]:
        """The connection ends."""
        return {"Connection": "close"}


class TooSlow(Unread):
    """The body did not come in time."""

    type, status, title = "urn:jostle:problem:timeout", 408, "Body did not come in time"


class TooLarge(Unread):
    """The body is larger than allowed."""

    type, status, title = "urn:jostle:problem:too-large", 413, "Body too large"


class WrongMedia(Problem):
    """The body is not of the expected media type."""

    type, status, title = "urn:jostle:problem:media-type", 415, "Unsupported media type"


class NeedsCondition(Problem):
    """A change that could undo another one must say what it replaces."""

    type, status, title = "urn:jostle:problem:needs-etag", 428, "If-Match is missing"


class Broken(Problem):
    """An error of the service itself. The log of the server has its traceback."""

    type, status, title = "urn:jostle:problem:internal", 500, "Internal error"
