"""Downloading a file over HTTP, with retries, resumption and a limit on its size.

Written with the standard library instead of pooch, because what pooch does best does not apply. It
verifies a download by the checksum of the *archive*, whereas the checksums known for these sets are
those of the files inside, which also hold for a repacked archive (see ``acquire.verify``). Its
downloader starts over when a connection breaks, has no limit on what it receives, and does not
distinguish transient errors from final ones. With a downloader of our own, pooch would only call
the function below and rename the result.
"""

import http.client
import time
import urllib.error
import urllib.request
from collections.abc import Callable
from pathlib import Path
from urllib.parse import urlsplit

Progress = Callable[[int, int | None], None]
"""Called with the number of bytes received so far and in total, if that is known."""

LIMIT = 1 << 28  # bytes; no archive comes near 256 MB
TIMEOUT = 30.0  # seconds without a byte
ATTEMPTS = 5  # in a row without a new byte
_CHUNK = 1 << 16
_TRANSIENT = frozenset({408, 425, 429, 500, 502, 503, 504})
_RANGE_REFUSED = 416


class FetchError(OSError):
    """A data set could not be downloaded, or what was downloaded is not what was published."""


class _InterruptedError(Exception):
    """The connection broke; what was received so far is in the file."""


def download(
    url: str,
    target: Path,
    *,
    progress: Progress | None = None,
    pause: float = 1.0,
    limit: int = LIMIT,
) -> Path:
    """Download ``url`` to ``target``, by way of ``target.part``, and return ``target``.

    After a broken connection or a transient error of the server, the download is resumed where it
    stopped by an HTTP Range request, which the server's ETag or date guards against joining two
    versions of the file. The first retry comes after ``pause`` seconds, and each further one after
    twice as many, until ``ATTEMPTS`` in a row have brought nothing new. Other errors, such as 404,
    are raised at once, and so is an answer longer than ``limit`` bytes.
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
                validator = None  # start over, without a range
            elif error.code not in _TRANSIENT:
                raise FetchError(f"cannot download {url}: {reason}") from None
        except (_InterruptedError, OSError, http.client.HTTPException) as error:
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
    """Append the answer to ``part`` if it continues there, otherwise start over."""
    start = _continues(response, _size(part))
    length = response.headers.get("Content-Length")
    total = start + int(length) if length and length.isdigit() else None
    done = start
    with part.open("ab" if start else "wb") as file:
        while chunk := response.read(_CHUNK):
            done += len(chunk)
            if done > limit:
                raise FetchError(f"{response.url} exceeds the limit of {limit:,} bytes")
            file.write(chunk)
            if progress is not None:
                progress(done, total)
    if total is not None and done != total:
        raise _InterruptedError(f"the connection broke after {done:,} of {total:,} bytes")


def _continues(response: http.client.HTTPResponse, size: int) -> int:
    """The offset of the answer in the file: ``size`` for a partial answer, otherwise 0."""
    if response.status != http.client.PARTIAL_CONTENT:
        return 0
    found = response.headers.get("Content-Range", "")
    if not found.startswith(f"bytes {size}-"):
        raise FetchError(f"{response.url} sent {found!r}, expected the bytes from {size} on")
    return size


def _validator(headers: http.client.HTTPMessage) -> str | None:
    """What identifies this version of the file; a weak ETag does not guarantee the same bytes."""
    tag = headers.get("ETag")
    if tag and not tag.startswith("W/"):
        return tag
    return headers.get("Last-Modified")


def _size(part: Path) -> int:
    return part.stat().st_size if part.exists() else 0
