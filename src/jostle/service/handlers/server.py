"""Health, metrics, and the description of the interface."""

from jostle.service import metrics
from jostle.service.calls import TEXT, Call, Reply


async def alive(call: Call) -> Reply:  # noqa: ARG001 (all handlers take a call)
    """That the server answers at all."""
    return Reply(200, b"ok\n", TEXT)


async def ready(call: Call) -> Reply:
    """Whether it can decide, log and learn."""
    health = call.context.service.health()
    return Reply.of(health, 200 if health.ready else 503)


async def figures(call: Call) -> Reply:
    """For Prometheus."""
    return Reply(200, call.context.metrics.text(), metrics.MEDIA)
