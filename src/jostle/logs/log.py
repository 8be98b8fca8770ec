"""``Log``: logged decisions in arrays, checked."""

import dataclasses
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from jostle.core.validation import lookup, whole
from jostle.logs import frames
from jostle.logs.columns import Columns
from jostle.logs.columns import from_arrays as columns_of
from jostle.logs.repair import checked, chosen_repairs
from jostle.types import NOBODY, BanditSpec

CHUNK = 2**16
"""Rows that are worked on at a time."""


@dataclasses.dataclass(frozen=True, eq=False)
class Log:
    """Decisions in the order in which they were made; build one with ``Log.from_arrays``.

    Each row shows the same number of arms. Contexts are those of the decision, ``(n, features)``,
    for arms with weights of their own (the disjoint model), or those of each arm,
    ``(n, shown, features)``.
    """

    actions: np.ndarray
    """(n,) int64: the index of the chosen arm among those shown."""
    rewards: np.ndarray
    """(n,) float64."""
    probabilities: np.ndarray
    """(n,) float64: how likely the chosen arm was (its propensity)."""
    shown: int
    """The number of arms of a row, absent ones included."""
    all_probabilities: np.ndarray | None = None
    """(n, shown) float64: how likely each arm was, where it was logged."""
    contexts: np.ndarray | None = None
    mask: np.ndarray | None = None
    """(n, shown) bool: which arms were present; None if all always were."""
    arms: np.ndarray | None = None
    """(n, shown): the id of each arm; None if arms have no ids, or if the index is the id."""
    users: np.ndarray | None = None
    times: np.ndarray | None = None
    """(n,) float64: when each decision was made, in a unit of the user's choice."""
    arm_total: int | None = None
    """How many arm ids there are, where it is known; see ``arm_count``."""
    user_total: int | None = None
    labels: tuple[str, ...] | None = None
    """What the arms are called, by index or, where there are ids, by id."""
    adaptive: bool | None = None
    """Whether the policy that decided was learning meanwhile; None if nobody knows."""
    first_row: int = 0
    """The number of the first row, where this is a chunk of a longer log."""
    repairs: Mapping[str, int] = dataclasses.field(default_factory=dict)
    """How many rows each repair changed."""

    @classmethod
    def from_arrays(
        cls,
        actions: Any,
        rewards: Any,
        probabilities: Any,
        contexts: Any = None,
        *,
        mask: Any = None,
        arms: Any = None,
        users: Any = None,
        times: Any = None,
        shown: int | None = None,
        arm_total: int | None = None,
        user_total: int | None = None,
        labels: Sequence[str] | None = None,
        adaptive: bool | None = None,
        repair: str | Iterable[str] = (),
        first_row: int = 0,
    ) -> "Log":
        """A log from arrays with one row per decision.

        Arguments:
            actions: (n,) the index of the chosen arm.
            rewards: (n,) what it brought.
            probabilities: (n,) how likely the chosen arm was, or (n, shown) how likely each was.
            contexts: (n, features) of the decision, or (n, shown, features) of each arm.
            mask: (n, shown) which arms were present; all by default.
            arms: (n, shown) ids of the arms, if the same index is not always the same arm.
            users, times: (n,) user ids, and when the decision was made.
            shown: the number of arms; by default that of ``probabilities``, ``contexts``, ``mask``
                or ``arms``, or else the largest action plus one.
            arm_total, user_total: how many ids of arms and users there are, if some may be
                missing from the log.
            labels: names of the arms.
            adaptive: whether the policy that decided was learning meanwhile.
            repair: what to do about bad rows, which are refused by default: see
                ``jostle.logs.repair.REPAIRS``.
            first_row: the number of the first row, for messages.
        """
        columns, count = columns_of(
            actions, rewards, probabilities, contexts, mask, arms, users, times, shown
        )
        columns, repairs = checked(columns, count, chosen_repairs(repair), first_row)
        names = _checked_labels(labels)
        _check_totals(columns, count, arm_total, user_total, names)
        if not isinstance(adaptive, bool | np.bool_ | None):
            raise TypeError(f"adaptive must be True, False or None, not {adaptive!r}")
        return cls(
            columns.actions,
            columns.rewards,
            columns.probabilities,
            count,
            columns.all_probabilities,
            columns.contexts,
            columns.mask,
            columns.arms,
            columns.users,
            columns.times,
            arm_total,
            user_total,
            names,
            adaptive,
            first_row,
            repairs,
        )

    @classmethod
    def from_frame(
        cls,
        frame: Any,
        *,
        action: str = "action",
        reward: str = "reward",
        probability: str = "probability",
        context: str | Sequence[str] | None = None,
        **others: Any,
    ) -> "Log":
        """A log from a Polars or pandas frame, by the names of its columns.

        Arguments:
            frame: one row per decision. Columns with the names of the schema (``context``,
                ``features``, ``mask``, ``arms``, ``user``, ``time``) are taken too.
            action: the column of chosen arms: indices, or labels, which are numbered in their
                alphabetical order.
            reward: the column of rewards.
            probability: the column of probabilities of the chosen arm; ignored if the frame has
                ``probabilities``, a list per row.
            context: a column of lists, or the names of several columns of numbers.
            others: as in ``from_arrays``.
        """
        columns = frames.arrays_of(frame, action, reward, probability, context)
        return cls.from_arrays(**{**columns, **others})

    def to_frame(self, kind: str = "polars") -> Any:
        """The log as a Polars or pandas frame, with the columns of the schema."""
        return frames.frame_of(self.as_columns(), kind)

    def as_columns(self) -> dict[str, np.ndarray]:
        """The arrays by the names of the schema (see ``jostle.logs.schema``)."""
        arrays = {
            "action": self.actions,
            "reward": self.rewards,
            "probability": self.probabilities,
            "probabilities": self.all_probabilities,
            "context" if self.shares_context else "features": self.contexts,
            "mask": self.mask,
            "arms": self.arms,
            "user": self.users,
            "time": self.times,
        }
        return {name: array for name, array in arrays.items() if array is not None}

    def __len__(self) -> int:
        return len(self.actions)

    def __repr__(self) -> str:
        return f"Log(rows={len(self):,}, arms={self.arm_count}, features={self.features})"

    def __getitem__(self, rows: slice) -> "Log":
        if not isinstance(rows, slice):
            raise TypeError(f"a log is indexed by slices of rows, not by {rows!r}")
        start, _, step = rows.indices(len(self))
        if step != 1:
            raise ValueError(f"slices of a log must have step 1, not {step}")
        taken: dict[str, Any] = {
            name: None if (v := getattr(self, name)) is None else v[rows] for name in ARRAYS
        }
        return dataclasses.replace(
            self,
            **taken,
            arm_total=self.arm_count,  # the rows that are taken may lack the last arms and users
            user_total=self.user_count,
            first_row=self.first_row + start,
            repairs={},
        )

    def chunks(self, rows: int = CHUNK) -> Iterator["Log"]:
        """The log in pieces of at most ``rows`` rows."""
        for start in range(0, len(self), whole("rows", rows)):
            chunk = self[start : start + rows]
            yield chunk if start else dataclasses.replace(chunk, repairs=self.repairs)

    def without(self, *names: str) -> "Log":
        """The log without some of ``OPTIONAL``, such as for a file that cannot hold them."""
        left_out: dict[str, Any] = {}
        for name in names:
            left_out |= dict.fromkeys(lookup("part to leave out of a log", name, OPTIONAL))
        if "labels" in left_out:
            left_out["arm_total"] = self.arm_count
        return dataclasses.replace(self, **left_out) if names else self

    @property
    def features(self) -> int:
        """Length of a context vector as it is logged; 0 if there are none."""
        return 0 if self.contexts is None else int(self.contexts.shape[-1])

    @property
    def shares_context(self) -> bool:
        """Whether all arms of a row have the same context, or none."""
        return self.contexts is None or self.contexts.ndim == 2

    @property
    def arm_count(self) -> int | None:
        """The number of arm ids; None if arms are new in every row."""
        if self.labels is not None:
            return len(self.labels)
        if self.arm_total is not None:
            return self.arm_total
        if self.arms is not None:
            return int(self.arms.max(initial=NOBODY)) + 1 or None
        return self.shown if self.shares_context else None

    @property
    def user_count(self) -> int | None:
        """The number of user ids; None if there are none."""
        if self.user_total is not None or self.users is None:
            return self.user_total
        return int(self.users.max(initial=0)) + 1

    @property
    def spec(self) -> BanditSpec:
        """The dimensions that a policy must be built for, to decide on the rows of this log.

        Arms that share a context are told apart by blocks (the disjoint model); a log without
        contexts has blocks of a constant 1.
        """
        users = self.user_count
        if not self.shares_context:
            return BanditSpec(self.features, arms=self.arm_count, users=users)
        arms = self.arm_count
        assert arms is not None
        return BanditSpec(max(self.features, 1) * arms, blocks=arms, arms=arms, users=users)

    def chosen_arms(self) -> np.ndarray:
        """(n,) The id of the chosen arm, or its index where arms have no ids."""
        return self.actions if self.arms is None else self.arms[np.arange(len(self)), self.actions]

    def arm_ids(self) -> np.ndarray:
        """(n, shown) The id of each arm: its index, or ``NOBODY`` where arms are new each time."""
        if self.arms is not None:
            return self.arms
        ids = np.arange(self.shown) if self.shares_context else np.full(self.shown, NOBODY)
        return np.broadcast_to(ids, (len(self), self.shown))

    def present(self) -> np.ndarray:
        """(n, shown) Which arms were present."""
        return np.ones((len(self), self.shown), bool) if self.mask is None else self.mask


def _checked_labels(labels: Any) -> tuple[str, ...] | None:
    if labels is None:
        return None
    if isinstance(labels, str) or not isinstance(labels, Iterable):
        raise TypeError(f"labels must be a sequence of names, one per arm, not {labels!r}")
    names = tuple(str(label) for label in labels)
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"labels must differ from each other, but {twice!r} is there twice")
    return names


def _check_totals(
    columns: Columns,
    shown: int,
    arm_total: int | None,
    user_total: int | None,
    labels: tuple[str, ...] | None,
) -> None:
    """Check that there are as many arms and users as the rows speak of."""
    arms, users, contexts = columns.arms, columns.users, columns.contexts
    arms_seen = 0  # arms with features of their own may be new in every row
    if arms is not None:
        arms_seen = int(arms.max(initial=NOBODY)) + 1
    elif contexts is None or contexts.ndim == 2:
        arms_seen = shown
    users_seen = 0 if users is None else int(users.max(initial=NOBODY)) + 1
    for name, total, seen in (
        ("arm_total", arm_total, arms_seen),
        ("user_total", user_total, users_seen),
        ("the number of labels", None if labels is None else len(labels), arms_seen),
    ):
        if total is not None and whole(name, total, least=0) < seen:
            raise ValueError(f"{name} is {total}, but the rows have {seen}")


ARRAYS = (
    "actions",
    "rewards",
    "probabilities",
    "all_probabilities",
    "contexts",
    "mask",
    "arms",
    "users",
    "times",
)
"""The fields with one row per decision."""

OPTIONAL = {
    "probabilities": ("all_probabilities",),
    "user": ("users", "user_total"),
    "time": ("times",),
    "labels": ("labels",),
    "adaptive": ("adaptive",),
}
"""What ``Log.without`` leaves out, by the names of the schema: their fields. With the
``probabilities`` of all arms left out, that of the chosen one stays."""
