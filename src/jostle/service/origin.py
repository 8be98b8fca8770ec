"""Without keys: web pages must not reach the service through a browser on this machine."""

from urllib.parse import urlsplit

from jostle.service.http_problems import Forbidden
from jostle.service.settings import is_local


def check_origin(headers: dict[bytes, bytes]) -> None:
    """Refuse requests under a foreign name (DNS rebinding), and those of foreign pages."""
    host = headers.get(b"host", b"").decode("latin-1")
    if not is_local(_name(host)):
        raise Forbidden(f"without keys, the host must be localhost, not {host!r:.80}")
    origin = headers.get(b"origin")
    if origin is not None and urlsplit(origin.decode("latin-1")).netloc != host:
        raise Forbidden("without keys, other web pages are not served")


def _name(host: str) -> str:
    try:
        return urlsplit(f"//{host}").hostname or ""
    except ValueError:
        return ""
