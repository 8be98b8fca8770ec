"""What the clients that use HTTP share: headers, and when to try again."""

from collections.abc import Mapping

import httpx

from jostle.client.errors import ServiceError, Unreachable, error_of
from jostle.client.exchanges import Exchange
from jostle.client.retrying import NOT_KNOWN, NOTHING_WAS_DONE, Retries


def headers_of(exchange: Exchange) -> dict[str, str]:
    """The headers of a request."""
    media = {} if exchange.body is None else {"content-type": exchange.media}
    return {**exchange.headers, **media}


def authorisation(key: str | None) -> dict[str, str]:
    """The header with the key."""
    return {} if key is None else {"authorization": f"Bearer {key}"}


def check(url: str) -> str:
    """The address of a service, or an error."""
    if not url.startswith(("http://", "https://")):
        raise ValueError(f"url must start with http:// or https://, not {url!r:.80}")
    return url


def is_answer(exchange: Exchange, status: int) -> bool:
    """Whether the content is what was asked for."""
    return 200 <= status < 300 or status in exchange.accepted


def failure(status: int, content: bytes, headers: Mapping[str, str]) -> ServiceError:
    """The error of an answer."""
    return error_of(status, content, headers.get("retry-after"))


def pause_after_error(
    retries: Retries, exchange: Exchange, attempt: int, error: ServiceError
) -> float:
    """Seconds to wait before the next attempt; raises the error if there is none."""
    again = error.status in NOTHING_WAS_DONE or (exchange.repeatable and error.status in NOT_KNOWN)
    if not again or attempt >= retries.most:
        raise error
    return retries.wait(attempt, error.retry_after)


def pause_after_silence(
    retries: Retries, exchange: Exchange, attempt: int, error: httpx.TransportError
) -> float:
    """Seconds to wait after a connection failed; raises if there is no next attempt."""
    unsent = isinstance(error, httpx.ConnectError | httpx.ConnectTimeout | httpx.PoolTimeout)
    if not (unsent or exchange.repeatable) or attempt >= retries.most:
        reason = str(error) or type(error).__name__
        raise Unreachable(f"the service did not answer ({reason})") from error
    return retries.wait(attempt)
