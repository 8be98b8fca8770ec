"""``ServiceSettings``: how the core of the service works, whatever its apps are."""

from typing import Literal

import msgspec


class ServiceSettings(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Limits and intervals of one service."""

    queue: int = 4096
    """Requests that may wait to be written; more are refused with ``Busy``."""
    patience: float = 0.5
    """Seconds that a request may wait to be decided. While one has waited longer, others are
    refused with ``Busy``."""
    group: int = 512
    """Requests that are written in one transaction at most."""
    synchronous: Literal["full", "normal"] = "full"
    """"normal" acknowledges before the disk has it: for tests of what that loses."""
    learner: bool = True
    """Whether to start a learner process. Without one nothing is learned."""
    publish: float = 0.5
    """Seconds between views that the learner publishes."""
    snapshot: float = 300.0
    """Seconds between snapshots, if anything was learned."""
    snapshots: int = 20
    """Learned snapshots that are kept; pinned ones and imported ones are kept beside these."""
    close_interval: float = 0.1
    """Seconds between looks for decisions whose time is over."""
    most_disk: int | None = None
    """Bytes that the log may take; None for as much as the disk has."""
