"""Downloading one file over HTTP: resumed where it was cut, retried, never unbounded."""

import http.client
import time
import urllib.error
import urllib.request
from collections.abc import Callable
from pathlib import Path
from urllib.parse import urlsplit

Progress = Callable[[int, int | None], None]  # bytes so far, bytes in all if known

LIMIT = 1 << 28  # no archive of ours comes near 256 MB; a server that never stops is refused
TIMEOUT = 30.0  # seconds without a byte
ATTEMPTS = 5  # in a row without a new byte
_CHUNK = 1 << 16
_PASSING = frozenset({408, 425, 429, 500, 502, 503, 504})
_RANGE_REFUSED = 416


class FetchError(OSError):
    """A data set could not be downloaded, or what came is not what was published."""


class _CutError(Exception):
    """The connection broke; what came so far is in the file."""


def download(
    url: str,
    target: Path,
    *,
    progress: Progress | None = None,
    pause: float = 1.0,
    limit: int = LIMIT,
) -> Path:
    """Download ``url`` to ``target``, by way of ``target.part``, and return ``target``.

    A cut connection is taken up where it broke (HTTP Range, guarded by the server's ETag or date
    so that two versions are never joined) after ``pause`` seconds, twice that the next time, and
    so on. A final refusal, such as 404, is raised at once.
    """
    if urlsplit(url).scheme not in ("http", "https"):
        raise ValueError(f"url must begin with http:// or https://, not {url!r}")
    part = target.with_name(f"{target.name}.part")
    part.unlink(missing_ok=True)
    validator: str | None = None
    failures = 0
    while True:
        before = _size(part)
        try:
            with _request(url, before if validator else 0, validator) as response:
                validator = _validator(response.headers)
                _receive(response, part, progress, limit)
            return part.replace(target)
        except urllib.error.HTTPError as error:
            with error:  # it holds the connection
                reason = f"the server answered {error.code} {error.reason}"
            if error.code == _RANGE_REFUSED and before:
                validator = None  # begin again, without a range
            elif error.code not in _PASSING:
                raise FetchError(f"cannot download {url}: {reason}") from None
        except (_CutError, OSError, http.client.HTTPException) as error:
            if isinstance(error, FetchError):
                raise
            reason = str(getattr(error, "reason", error)) or type(error).__name__
        failures = 1 if _size(part) > before else failures + 1
        if failures >= ATTEMPTS:
            raise FetchError(f"cannot download {url}: {reason} (tried {failures} times)")
        time.sleep(pause * 2 ** (failures - 1))


def _request(url: str, start: int, validator: str | None) -> http.client.HTTPResponse:
    headers = {"User-Agent": "jostle", "Accept-Encoding": "identity"}
    if start and validator:
        headers |= {"Range": f"bytes={start}-", "If-Range": validator}
    request = urllib.request.Request(url, headers=headers)
    response: http.client.HTTPResponse = urllib.request.urlopen(request, timeout=TIMEOUT)
    return response


def _receive(
    response: http.client.HTTPResponse, part: Path, progress: Progress | None, limit: int
) -> None:
    """Append the answer to ``part`` if it continues it, else begin anew."""
    start = _continues(response, _size(part))
    length = response.headers.get("Content-Length")
    total = start + int(length) if length and length.isdigit() else None
    done = start
    with part.open("ab" if start else "wb") as file:
        while chunk := response.read(_CHUNK):
            done += len(chunk)
            if done > limit:
                raise FetchError(f"{response.url} is longer than the {limit:,} bytes allowed")
            file.write(chunk)
            if progress is not None:
                progress(done, total)
    if total is not None and done != total:
        raise _CutError(f"the connection was cut after {done:,} of {total:,} bytes")


def _continues(response: http.client.HTTPResponse, size: int) -> int:
    """Where the answer begins: at ``size`` for a right partial answer, else at 0."""
    if response.status != http.client.PARTIAL_CONTENT:
        return 0
    found = response.headers.get("Content-Range", "")
    if not found.startswith(f"bytes {size}-"):
        raise FetchError(f"{response.url} sent {found!r}, wanted the bytes from {size} on")
    return size


def _validator(headers: http.client.HTTPMessage) -> str | None:
    """What identifies this version of the file; weak ETags do not vouch for single bytes."""
    tag = headers.get("ETag")
    if tag and not tag.startswith("W/"):
        return tag
    return headers.get("Last-Modified")


def _size(part: Path) -> int:
    return part.stat().st_size if part.exists() else 0
