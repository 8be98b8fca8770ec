"""Reading requests: bodies of a limited size, and JSON with the path of what is wrong in it."""

import asyncio
import json
import math
import re
from collections.abc import Callable
from typing import Any
from urllib.parse import parse_qsl

import msgspec
from starlette.requests import ClientDisconnect
from starlette.types import Receive

from jostle.service.http_problems import Malformed, TooLarge, TooSlow, WrongMedia
from jostle.service.problems import Invalid

_PLACE = re.compile(r"^(.*) - at `(?:key in )?\$?\.?(.*)`$", re.DOTALL)
_FIELD = re.compile(r"^Object (?:missing required|contains unknown) field `(.*)`$", re.DOTALL)
_STEP = re.compile(r"([^.\[\]]+)|\[(\d+)\]")
UNNAMED = "[...]"
"""What the decoder writes for any name of a mapping."""
WHOLE = "$"
"""The path of the whole body, as in JSONPath."""


def check_media(headers: dict[bytes, bytes], expected: str) -> None:
    """Refuse a body of another media type, or one that is compressed."""
    given = headers.get(b"content-type", b"")
    plain = given if given == expected.encode() else given.partition(b";")[0].strip().lower()
    if plain != expected.encode():
        found = given.decode("latin-1") or "nothing"
        raise WrongMedia(f"Content-Type must be {expected}, not {found:.80}")
    encoding = headers.get(b"content-encoding")
    if encoding is not None and encoding.lower() != b"identity":
        raise WrongMedia(f"Content-Encoding must be identity, not {encoding.decode('latin-1'):.80}")


async def read_body(
    headers: dict[bytes, bytes], receive: Receive, largest: int, seconds: float
) -> bytes:
    """The body, if it has at most ``largest`` bytes and comes in time."""
    stated = headers.get(b"content-length")
    if stated is not None and stated.isdigit() and int(stated) > largest:
        raise TooLarge(f"the body has {int(stated):,} bytes; at most {largest:,} are allowed")
    parts: list[bytes] = []
    length, more = 0, True
    try:
        async with asyncio.timeout(seconds):
            while more:
                message = await _next(receive)
                parts.append(message.get("body", b""))
                length += len(parts[-1])
                if length > largest:
                    raise TooLarge(f"the body has more than the {largest:,} bytes allowed")
                more = message.get("more_body", False)
    except TimeoutError:
        raise TooSlow(f"the body did not come within {seconds:g} seconds") from None
    return parts[0] if len(parts) == 1 else b"".join(parts)


async def _next(receive: Receive) -> Any:
    message = await receive()
    if message["type"] == "http.disconnect":
        raise ClientDisconnect
    return message


def parse(decode: Callable[[bytes], Any], body: bytes) -> Any:
    """The message in a body, or a problem with the path of what is wrong."""
    try:
        return decode(body)
    except msgspec.ValidationError as error:
        problem = invalid(error)
        if problem.path and UNNAMED in problem.path:
            problem.path = _named(problem.path, body)
        raise problem from None
    except RecursionError:
        raise Malformed("the body is nested too deeply") from None
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise Malformed(f"the body is not JSON: {error}") from None


def _named(path: str, body: bytes) -> str:
    """A path with the names that the decoder leaves out: of the first number that is too large."""
    above, _, _ = path.partition(UNNAMED)
    try:
        value = json.loads(body)
        for name, place in _STEP.findall(above):
            value = value[name] if name else value[int(place)]
        return above + (_too_large(value) or UNNAMED)
    except (ValueError, LookupError, TypeError, RecursionError):  # something else is wrong with it
        return path


def _too_large(value: Any) -> str | None:
    """The path inside a value of the first number that is infinite; None if all are finite."""
    inside: list[tuple[str, Any]] = []
    if isinstance(value, dict):
        printable = (name.encode(errors="backslashreplace").decode()[:256] for name in value)
        inside = [(f".{name}", each) for name, each in zip(printable, value.values(), strict=True)]
    elif isinstance(value, list):
        inside = [(f"[{place}]", each) for place, each in enumerate(value)]
    for step, each in inside:
        if isinstance(each, float) and math.isinf(each):
            return step
        if (further := _too_large(each)) is not None:
            return step + further
    return None


def parse_query(type: Any, query: bytes) -> Any:
    """The parameters of a query."""
    try:
        pairs = parse_qsl(
            query.decode("ascii"),
            keep_blank_values=True,
            strict_parsing=bool(query),
            errors="strict",
        )
    except ValueError as error:
        raise Invalid(f"the query is not of the form name=value&...: {error}", "query") from None
    given = dict(pairs)
    if len(given) < len(pairs):
        raise Invalid("a parameter of the query is there twice", "query")
    try:
        return msgspec.convert(given, type, strict=False)
    except msgspec.ValidationError as error:
        problem = invalid(error)
        raise Invalid(problem.detail, f"query.{problem.path}") from None


def invalid(error: msgspec.ValidationError) -> Invalid:
    """The problem of a message of the wrong shape; the path of a field includes its own name."""
    place = _PLACE.match(str(error))
    detail, path = (place[1], place[2]) if place else (str(error), "")
    if field := _FIELD.match(detail):
        path = f"{path}.{field[1]}" if path else field[1]
    return Invalid(detail, path or WHOLE)
