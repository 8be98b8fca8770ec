"""``Context``: what all requests share."""

from dataclasses import dataclass, field

from jostle.service.auth import Keys
from jostle.service.metrics import Metrics
from jostle.service.quotas import Quotas
from jostle.service.service import Service
from jostle.service.settings import Settings


@dataclass
class Context:
    """A running service and what the HTTP interface needs beside it."""

    service: Service
    settings: Settings
    keys: Keys | None
    """None: no keys are needed, and only this machine can connect."""
    metrics: Metrics = field(default_factory=Metrics)
    quotas: Quotas = field(default_factory=Quotas)
    in_flight: int = 0
    """Requests that are under way."""
