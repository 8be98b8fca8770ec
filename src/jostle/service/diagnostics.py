"""What the service says about itself: one line of JSON per event on standard error.

``logger`` goes through the standard library's logging under the name "jostle.service", so that a
program which embeds the service decides what becomes of it. ``jostle serve`` writes it as JSON.
"""

import logging
import sys
from collections.abc import MutableMapping
from typing import Any, TextIO

import msgspec
import structlog

_SHARED: list[Any] = [
    structlog.stdlib.add_log_level,
    structlog.stdlib.add_logger_name,
    structlog.processors.TimeStamper(fmt="iso", utc=True),
    structlog.processors.format_exc_info,
]
LEVELS = ("debug", "info", "warning", "error")

logger: structlog.stdlib.BoundLogger = structlog.wrap_logger(
    logging.getLogger("jostle.service"),
    processors=[
        structlog.stdlib.filter_by_level,
        *_SHARED,
        structlog.stdlib.ProcessorFormatter.wrap_for_formatter,
    ],
    wrapper_class=structlog.stdlib.BoundLogger,
    cache_logger_on_first_use=True,
)


def write_json_lines(level: str = "info", stream: TextIO | None = None) -> None:
    """Write what this service and its web server log as lines of JSON."""
    handler = logging.StreamHandler(stream or sys.stderr)
    handler.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            foreign_pre_chain=_SHARED,
            processors=[
                structlog.stdlib.ProcessorFormatter.remove_processors_meta,
                _drop_colours,
                structlog.processors.JSONRenderer(serializer=_as_json),
            ],
        )
    )
    for name in ("jostle", "uvicorn"):
        source = logging.getLogger(name)
        source.handlers, source.propagate = [handler], False
        source.setLevel(level.upper())


def _drop_colours(
    logger: Any,  # noqa: ARG001
    name: str,  # noqa: ARG001
    event: MutableMapping[str, Any],
) -> MutableMapping[str, Any]:
    """Uvicorn sends each message a second time, with colours for a terminal."""
    event.pop("color_message", None)
    return event


def _as_json(event: Any, **_: Any) -> str:
    return msgspec.json.encode(event, enc_hook=str).decode()
