"""What clients raise."""

import msgspec

from jostle.service.envelopes import ProblemData


class ServiceError(Exception):
    """The service refused a request.

    Its fields are those of the problem that the service sent (RFC 9457).
    """

    def __init__(self, problem: ProblemData, retry_after: float | None = None):
        where = f" ({problem.path})" if problem.path else ""
        super().__init__(f"{problem.status} {problem.title}: {problem.detail}{where}")
        self.problem = problem
        self.retry_after = retry_after
        """Seconds after which the service wants to be asked again; None if it does not say."""

    @property
    def status(self) -> int:
        """The status of the answer."""
        return self.problem.status

    @property
    def type(self) -> str:
        """What kind of problem, such as ``urn:jostle:problem:over-quota``."""
        return self.problem.type

    @property
    def detail(self) -> str:
        """What was wrong, and what was expected."""
        return self.problem.detail

    @property
    def path(self) -> str | None:
        """Which part of the request is wrong."""
        return self.problem.path


class Unreachable(ConnectionError):  # noqa: N818 (what is the case)
    """The service did not answer, however often it was tried.

    Whether it has done what was asked is not known. Asking again with the same ids is safe.
    """


def error_of(status: int, content: bytes, retry_after: str | None = None) -> ServiceError:
    """The error of an answer, which may come from something on the way to the service."""
    try:
        problem = msgspec.json.decode(content, type=ProblemData)
    except (msgspec.DecodeError, UnicodeDecodeError):
        text = content[:200].decode(errors="replace")
        problem = ProblemData(
            type="about:blank", title="Not answered by the service", status=status, detail=text
        )
    seconds = float(retry_after) if retry_after and retry_after.isdigit() else None
    return ServiceError(problem, seconds)
