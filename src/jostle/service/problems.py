"""``Problem``: what the service refuses to do, in the terms of RFC 9457 (problem+json)."""

from typing import Any


class Problem(Exception):  # noqa: N818 (the RFC's noun)
    """A refusal that a client can act on.

    Arguments:
        detail: what was wrong, what was expected, and what to do.
        path: which part of the request is wrong, such as ``actions[2].features.price``.
    """

    type: str = "about:blank"
    status: int = 500
    title: str = "Internal error"

    def __init__(self, detail: str, path: str | None = None):
        super().__init__(detail)
        self.detail, self.path = detail, path

    @property
    def headers(self) -> dict[str, str]:
        """Headers that an HTTP answer should have."""
        return {}

    def as_data(self) -> dict[str, object]:
        """The members of a problem+json object."""
        data: dict[str, object] = {
            "type": self.type,
            "title": self.title,
            "status": self.status,
            "detail": self.detail,
        }
        if self.path is not None:
            data["path"] = self.path
        return data


class NotFound(Problem):
    """There is no such app, decision, model or job."""

    type, status, title = "urn:jostle:problem:not-found", 404, "Not found"


class Conflict(Problem):
    """The ETag of the request is not that of the present configuration."""

    type, status, title = "urn:jostle:problem:conflict", 412, "Changed meanwhile"


class Invalid(Problem):
    """A part of the request, ``path``, is not what was expected."""

    type, status, title = "urn:jostle:problem:invalid", 422, "Invalid request"


class Used(Problem):
    """The event id was used for another request."""

    type, status, title = "urn:jostle:problem:used", 422, "Event id was used for another request"


class OverQuota(Problem):
    """The app has a quota, and this request is beyond it."""

    type, status, title = "urn:jostle:problem:over-quota", 429, "Over quota"

    def __init__(self, detail: str, path: str | None = None, retry_after: float = 1.0):
        super().__init__(detail, path)
        self.retry_after = retry_after

    @property
    def headers(self) -> dict[str, str]:
        """When to try again."""
        return {"Retry-After": str(max(1, round(self.retry_after)))}


class Busy(Problem):
    """Nothing was written: the queue or the disk is full, or the service is closing."""

    type, status, title = "urn:jostle:problem:busy", 503, "Busy"

    def __init__(self, detail: str, path: str | None = None, retry_after: float = 1.0):
        super().__init__(detail, path)
        self.retry_after = retry_after

    @property
    def headers(self) -> dict[str, str]:
        """When to try again."""
        return {"Retry-After": str(max(1, round(self.retry_after)))}


def tried(make: Any, *arguments: Any) -> Any:
    """What a function makes, or the problem that it raises."""
    try:
        return make(*arguments)
    except Problem as problem:
        return problem
