"""``ArmSlots``: where in a policy's arrays the arms of an agent are, whatever their ids."""

from typing import Any

import numpy as np

from jostle.policies.base import UNKNOWN_ARMS, Policy

OWN_SLOTS = 1024
"""Arm ids below this are their own slot. The slot of this number is that of unknown ids."""
LARGEST_ID = 2**63 - 1
LARGEST_SLOT = 2**31 - 1


class ArmSlots:
    """Which place in the policy's arrays each arm id has.

    Policies with a fixed number of arms, and those that keep nothing for single arms, use the ids
    as they are. For the others, small ids are their own slots, and larger ones take the next free
    slot when they are first learned about, so that a sparse id costs no more than a small one.
    Until then they share one slot, of which nothing is ever learned.

    One thread at a time may ``assign``; any number may ``look_up`` meanwhile.
    """

    def __init__(self, policy: Policy):
        fixed = policy.spec.pool or policy.spec.blocks
        self.limit = fixed or LARGEST_ID + 1
        self._as_they_are = fixed is not None or not policy.indexes_arms
        self._ready = self._needed = UNKNOWN_ARMS
        self._sparse: dict[int, int] = {}

    @property
    def capacity(self) -> int | None:
        """The number of slots that are needed; None if ids are used as they are."""
        return None if self._as_they_are else self._needed

    @property
    def grown(self) -> bool:
        """Whether more slots are needed than the policy's arrays have."""
        return self._needed > self._ready

    def look_up(self, ids: np.ndarray) -> np.ndarray:
        """The slot of each id, within what the policy's arrays have."""
        if self._as_they_are:
            ids = np.minimum(ids, LARGEST_SLOT)
        elif ids.max(initial=0) >= OWN_SLOTS:
            slots = np.array([self._slot(i) for i in ids.tolist()])
            ids = np.where(slots < self._ready, slots, OWN_SLOTS)
        return ids.astype(np.int32, copy=False)

    def knows(self, ids: np.ndarray) -> bool:
        """Whether any of these ids, which are not small, has been learned about."""
        return any(i in self._sparse for i in ids.tolist())

    def assign(self, ids: np.ndarray) -> np.ndarray:
        """The slot of each id, after giving one to those that have none yet.

        If ``grown`` is true afterwards, make room for ``capacity`` and call ``made_room``.
        """
        if self._as_they_are or ids.max(initial=0) < OWN_SLOTS:
            return self.look_up(ids)
        for i in ids.tolist():
            if i >= OWN_SLOTS and i not in self._sparse:
                self._sparse[i] = OWN_SLOTS + 1 + len(self._sparse)
        while OWN_SLOTS + 1 + len(self._sparse) > self._needed:
            self._needed *= 4
        return np.array([self._slot(i) for i in ids.tolist()], np.int32)

    def made_room(self) -> None:
        """The policy's arrays now have ``capacity`` slots."""
        self._ready = self._needed

    def as_data(self) -> dict[str, Any]:
        """For the header of a file."""
        return {"capacity": self._needed, "sparse": list(self._sparse)}

    @classmethod
    def from_data(cls, policy: Policy, data: dict[str, Any]) -> "ArmSlots":
        """What ``as_data`` returned."""
        made = cls(policy)
        made._ready = made._needed = data["capacity"]
        made._sparse = {i: OWN_SLOTS + 1 + place for place, i in enumerate(data["sparse"])}
        return made

    def _slot(self, i: int) -> int:
        return i if i < OWN_SLOTS else self._sparse.get(i, OWN_SLOTS)
