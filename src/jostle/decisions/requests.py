"""The two ends of a decision: the request that asks for it, and the record of how it ended."""

import json
import math
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from jostle.core.validation import number
from jostle.decisions.ledger import Decision, Entry, Past
from jostle.features.hashing import digest
from jostle.features.rows import as_record, as_records
from jostle.types import Choice

LONGEST_ID = 256
"""Characters of an id."""


class ClosedDecision(NamedTuple):
    """A decision and its reward, for a log."""

    id: str
    action: Any
    probability: float | None
    """The probability with which the action was chosen."""
    reward: float | None
    """Its rewards as one number, or the default reward; None if it had neither."""
    rewards: int
    """How many it had."""
    vector: np.ndarray
    """The row that was decided on, and learned."""
    opened: float
    closed: float

    @classmethod
    def of(cls, entry: Entry, reward: float | None, closed: float) -> "ClosedDecision":
        """A decision that the ledger has closed."""
        decision = entry.decision
        return cls(
            decision.id,
            decision.action,
            decision.probability,
            reward,
            entry.tally.count,
            entry.vector,
            entry.opened,
            closed,
        )


class Request:
    """What a decision is asked for: a context, actions, and perhaps a baseline."""

    def __init__(
        self, context: Any, actions: Any, baseline: Any, baseline_probability: float | None
    ):
        self.context = as_record(context)
        self.actions = as_records(actions)
        self.baseline, self.baseline_probability = baseline, baseline_probability
        if baseline_probability is not None:
            number("baseline_probability", baseline_probability, 1e-12, 1.0)
            self.baseline_probability = float(baseline_probability)

    @cached_property
    def names(self) -> list[Any]:
        """What each action is called: its id, or its position if it has none."""
        names = [_name(action, place) for place, action in enumerate(self.actions)]
        # As text, because 1 and "1" are encoded alike. What is no id is for the encoder to say.
        ids = [str(name) for name in names if isinstance(name, str | int)]
        if len(set(ids)) < len(ids):
            twice = next(name for name in ids if ids.count(name) > 1)
            raise ValueError(
                f"actions must have ids of their own, but {twice!r:.60} is there twice"
            )
        return names

    def baseline_index(self, *, required: bool, logged: bool = False) -> int | None:
        """The position of the baseline among the actions; a log needs its probability, too."""
        if self.baseline is None:
            if required:
                raise ValueError("baseline is missing: an apprentice needs the action you take")
            return None
        if self.baseline not in self.names:
            raise ValueError(f"baseline must be the id of an action, not {self.baseline!r:.60}")
        if logged and self.baseline_probability is None:
            raise ValueError(
                "baseline_probability is missing: a log needs the probability with which the "
                "baseline was chosen"
            )
        return self.names.index(self.baseline)

    @cached_property
    def digest(self) -> str:
        """Equal for equal requests, in whatever order their names come."""
        whole = [self.context, self.actions, self.baseline, self.baseline_probability]
        try:
            return digest(json.dumps(whole, sort_keys=True, default=_plain).encode())
        except (TypeError, ValueError, RecursionError):
            return "unreadable"


def answer(known: Entry | Past, request: Request) -> Decision:
    """The answer that was given before, if the request is the same."""
    if request.digest != known.digest:
        raise ValueError(
            f"id {known.decision.id!r:.60} was used for another request: decisions need ids of "
            "their own"
        )
    return known.decision


def check_id(name: str, id: Any) -> str:
    """An id of a decision or of a reward, or an error."""
    if not isinstance(id, str):
        raise TypeError(f"{name} must be a string, not {id!r:.40}")
    if not 0 < len(id) <= LONGEST_ID:
        raise ValueError(f"{name} must have 1 to {LONGEST_ID} characters, not {len(id)}")
    try:
        id.encode()
    except UnicodeEncodeError:
        raise ValueError(f"{name} must be Unicode text, but holds a lone surrogate") from None
    return id


def ranked(scores: Any, first: int) -> list[int]:
    """The positions of all actions: ``first``, and then the others by their scores."""
    values = [-math.inf if score != score else score for score in np.asarray(scores).tolist()]
    order = sorted(range(len(values)), key=values.__getitem__, reverse=True)
    order.remove(first)
    return [first, *order]


def agreement(choice: Choice, index: int) -> float:
    """The probability with which a choice would have been ``index``."""
    if choice.probabilities is None:
        return float(choice.index == index)
    return float(choice.probabilities[index])


def _name(action: Any, place: int) -> Any:
    name = action.get("id") if hasattr(action, "get") else action
    if name is None:
        return place
    return int(name) if isinstance(name, np.integer) else name


def _plain(value: Any) -> Any:
    """Values that JSON does not have, as ones it has."""
    if isinstance(value, set | frozenset):
        return sorted(value)
    if hasattr(value, "tolist"):
        return value.tolist()
    return dict(value)
