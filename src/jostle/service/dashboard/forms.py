"""Forms that a browser sends: small, from our own pages, read without a parser of files."""

from urllib.parse import parse_qs, urlsplit

from starlette.requests import Request

from jostle.service.problems import Problem

LARGEST = 8192
"""Bytes of a form."""
LOCAL = {"localhost", "127.0.0.1", "::1"}


class Refused(Problem):
    """The request did not come from a page of the dashboard that was made for this visitor."""

    type, status, title = "urn:jostle:problem:refused", 403, "Refused"


class TooLarge(Problem):
    """The form is larger than any of ours."""

    type, status, title = "urn:jostle:problem:too-large", 413, "Too large"


async def form(request: Request) -> dict[str, str]:
    """The fields of a form, the first value of each."""
    body = b""
    async for part in request.stream():
        body += part
        if len(body) > LARGEST:
            raise TooLarge(f"a form has at most {LARGEST} bytes")
    found = parse_qs(body.decode(errors="replace"), max_num_fields=20)
    return {name: values[0] for name, values in found.items()}


def check_origin(request: Request) -> None:
    """Refuse a form that another site sent; browsers say where it comes from."""
    site = request.headers.get("sec-fetch-site")
    if site is not None:
        if site not in ("same-origin", "none"):
            raise Refused("the form was sent by another site")
        return
    origin = request.headers.get("origin")
    if origin is not None and urlsplit(origin).netloc != request.headers.get("host"):
        raise Refused("the form was sent by another site")


def check_local(request: Request) -> None:
    """Refuse a name that is not this machine's, where no key is asked for.

    Another site's name may be made to lead to this machine (DNS rebinding); its pages would then be
    those of the same origin.
    """
    if request.url.hostname not in LOCAL:
        raise Refused("without keys, the dashboard is only shown as localhost or 127.0.0.1")
