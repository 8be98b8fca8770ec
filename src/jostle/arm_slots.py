"""``ArmSlots``: where in a policy's arrays the arms of an agent are, whatever their ids."""

from typing import Any

import numpy as np

from jostle.policies.base import UNKNOWN_ARMS, Policy

OWN_SLOTS = 1024
"""Arm ids below this are their own slot; larger ones get the next free slot."""
LARGEST_ID = 2**63 - 1
LARGEST_SLOT = 2**31 - 1


class ArmSlots:
    """Which place in the policy's arrays each arm id has.

    Policies with a fixed number of arms, and those that keep nothing for single arms, use the ids
    as they are. For the others, small ids are their own slots, and larger ones take the next free
    slot when they are first learned about, so that a sparse id costs no more than a small one.
    Until then they share the last slot, of which nothing is ever learned.
    """

    def __init__(self, policy: Policy):
        fixed = policy.spec.pool or policy.spec.blocks
        self.limit = fixed or LARGEST_ID + 1
        self.grown = False
        self._as_they_are = fixed is not None or not policy.indexes_arms
        self._capacity = UNKNOWN_ARMS
        self._sparse: dict[int, int] = {}

    @property
    def capacity(self) -> int | None:
        """The number of slots; None if ids are used as they are."""
        return None if self._as_they_are else self._capacity

    def look_up(self, ids: np.ndarray) -> np.ndarray:
        """The slot of each id."""
        if self._as_they_are:
            ids = np.minimum(ids, LARGEST_SLOT)
        elif ids.max(initial=0) >= OWN_SLOTS:
            last = self._capacity - 1
            slots = [i if i < OWN_SLOTS else self._sparse.get(i, last) for i in ids.tolist()]
            ids = np.array(slots)
        return ids.astype(np.int32, copy=False)

    def assign(self, ids: np.ndarray) -> np.ndarray:
        """The slot of each id, after giving one to those that have none yet."""
        if not self._as_they_are and ids.max(initial=0) >= OWN_SLOTS:
            for i in ids.tolist():
                if i >= OWN_SLOTS and i not in self._sparse:
                    self._sparse[i] = OWN_SLOTS + len(self._sparse)
            while OWN_SLOTS + len(self._sparse) >= self._capacity:
                self._capacity, self.grown = 4 * self._capacity, True
        return self.look_up(ids)

    def as_data(self) -> dict[str, Any]:
        """For the header of a file."""
        return {"capacity": self._capacity, "sparse": list(self._sparse)}

    @classmethod
    def from_data(cls, policy: Policy, data: dict[str, Any]) -> "ArmSlots":
        """What ``as_data`` returned."""
        made = cls(policy)
        made._capacity = data["capacity"]
        made._sparse = {i: OWN_SLOTS + place for place, i in enumerate(data["sparse"])}
        return made
