"""Forms that a browser sends: small, from our own pages, read without a parser of files."""

from urllib.parse import parse_qs, urlsplit

from starlette.requests import Request

from jostle.service.http_problems import Forbidden, TooLarge
from jostle.service.settings import is_local

LARGEST = 8192
"""Bytes of a form."""


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
            raise Forbidden("the form was sent by another site")
        return
    origin = request.headers.get("origin")
    if origin is not None and urlsplit(origin).netloc != request.headers.get("host"):
        raise Forbidden("the form was sent by another site")


def check_local(request: Request) -> None:
    """Refuse a name that is not this machine's, where no key is asked for.

    Another site's name may be made to lead to this machine (DNS rebinding); its pages would then be
    those of the same origin.
    """
    if not is_local(request.url.hostname or ""):
        raise Forbidden("without keys, the dashboard is only shown as localhost or 127.0.0.1")
