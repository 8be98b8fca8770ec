"""Reading answers: what all three kinds of clients share."""

from typing import Any

import msgspec

from jostle.client.errors import ServiceError
from jostle.service.envelopes import DecisionBatchAnswer, RewardBatchAnswer
from jostle.service.messages import DecisionAnswer, RewardState


def read(content: bytes, type: Any) -> Any:
    """The message in an answer; None if it has none."""
    return None if type is None else msgspec.json.decode(content, type=type)


def decisions(batch: DecisionBatchAnswer) -> list[DecisionAnswer | ServiceError]:
    """The decisions of a batch; errors are returned, not raised: the others have been decided."""
    found: list[DecisionAnswer | ServiceError] = []
    for result in batch.decisions:
        assert result.decision is not None or result.problem is not None
        found.append(result.decision or ServiceError(result.problem))  # type: ignore[arg-type]
    return found


def rewards(batch: RewardBatchAnswer) -> list[RewardState | ServiceError]:
    """The states of a batch of rewards, likewise."""
    found: list[RewardState | ServiceError] = []
    for result in batch.rewards:
        assert result.state is not None or result.problem is not None
        found.append(result.state or ServiceError(result.problem))  # type: ignore[arg-type]
    return found
