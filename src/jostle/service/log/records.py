"""The records of the log. A log that one release has written opens in the next.

Bodies are MessagePack maps. A release may add fields with defaults to a record without raising
``SCHEMA``; for anything else it raises ``SCHEMA`` and reads the old versions too, by ``decode``.
"""

from enum import IntEnum
from typing import Any, NamedTuple

import msgspec

SCHEMA = 1
"""The version of the records that this release writes."""


class Kind(IntEnum):
    """What a record is. Learning reads those from ``CLOSED`` on."""

    DECIDED = 1
    ACTIVATED = 2
    REWARDED = 3
    CLOSED = 4
    CONFIG = 5
    MODEL = 6
    ERASED = 7


class Decided(msgspec.Struct, omit_defaults=True):
    """A decision."""

    request: bytes
    """The ``DecisionRequest``, MessagePack. Names are in the order in which they came, by which
    terms were added up; the first logs have them sorted."""
    answer: bytes
    """The answer as it was sent: JSON."""
    chosen: str
    vector: bytes
    """The row of the chosen action, float32: what is learned."""
    version: int
    """Of the model."""
    position: int
    """Up to which the model had learned."""
    config: int
    """The position of the configuration that was in force."""
    epoch: int
    """The position of the configuration that the model began with."""
    mode: str
    expires: float
    probability: float | None = None
    """With which ``chosen`` was chosen."""
    numbers: list[tuple[int, list[float]]] | None = None
    """What the encoder's moments learn."""
    arm: int | None = None
    """The arm's id, for policies that need it."""
    agreement: float | None = None
    """The probability with which the policy would have chosen the baseline."""
    exploration: float = 0.0
    """1 - the largest probability."""
    user: str | None = None
    deferred: bool = False
    choices: int = 0
    """Actions that were not excluded."""
    baseline: bool | None = None
    """Whether ``chosen`` is the baseline; None if none was named."""


class Observation(msgspec.Struct):
    """The part of ``Decided`` that learning reads; decoding skips the rest."""

    vector: bytes
    epoch: int
    mode: str
    numbers: list[tuple[int, list[float]]] | None = None
    arm: int | None = None


class Activated(msgspec.Struct):
    """A deferred decision counts from now on."""


class Rewarded(msgspec.Struct, omit_defaults=True):
    """A reward that was counted, or came too late."""

    value: float
    state: str
    reward_id: str | None = None
    final: bool = False
    delay: float | None = None
    """Seconds since the decision, if that was open."""


class Closed(msgspec.Struct, omit_defaults=True):
    """The end of a decision: exactly one for each."""

    decided: int
    """The position of the decision."""
    reason: str
    reward: float | None = None
    """None: nothing is learned."""
    rewards: int = 0
    """How many rewards there were."""
    action: str = ""
    probability: float | None = None
    agreement: float | None = None
    choices: int = 0
    baseline: bool | None = None


class ConfigSet(msgspec.Struct):
    """The configuration of an app from here on; its first record makes the app."""

    name: str
    config: bytes
    """JSON, with all defaults written out, so that a release may change them."""
    epoch: int
    """The position of the configuration that the model begins with; 0 for this one."""


class ModelChange(msgspec.Struct, omit_defaults=True):
    """A version of the model: made, imported, pinned or gone back to."""

    change: str
    """"learned", "imported", "pinned", "unpinned" or "rolled_back"."""
    version: int
    position: int = 0
    """Up to which the version had learned."""
    sha256: str = ""
    content: bytes = b""
    """The file of an imported version."""


class Erased(msgspec.Struct):
    """A user's decisions were replaced by tombstones."""

    events: int
    last: int
    """The position of the last decision that was erased."""


BODIES: dict[int, type[msgspec.Struct]] = {
    Kind.DECIDED: Decided,
    Kind.ACTIVATED: Activated,
    Kind.REWARDED: Rewarded,
    Kind.CLOSED: Closed,
    Kind.CONFIG: ConfigSet,
    Kind.MODEL: ModelChange,
    Kind.ERASED: Erased,
}
TOMBSTONE = b"\xc0"
"""The body of an erased record: MessagePack's nil."""


class Record(NamedTuple):
    """A record as it is stored."""

    position: int
    app: int
    kind: int
    version: int
    time: float
    event: str | None
    body: bytes


_encode = msgspec.msgpack.Encoder().encode
_decoders = {kind: msgspec.msgpack.Decoder(body) for kind, body in BODIES.items()}
_observation = msgspec.msgpack.Decoder(Observation)


def encode(body: msgspec.Struct) -> bytes:
    """A body as it is stored."""
    return _encode(body)


def decode(record: Record) -> Any:
    """The body of a record; None for a tombstone."""
    if record.version > SCHEMA:
        raise ValueError(
            f"record {record.position} has version {record.version}, and this jostle reads up to "
            f"{SCHEMA}: open the log with the jostle that wrote it"
        )
    return None if record.body == TOMBSTONE else _decoders[record.kind].decode(record.body)


def observation(body: bytes) -> Observation | None:
    """What learning reads of a decision; None for a tombstone."""
    return None if body == TOMBSTONE else _observation.decode(body)
