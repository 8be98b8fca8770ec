"""The schema of logged decisions: names and kinds of columns, and the header that files carry.

======================  =======================================================================
``action``              index of the chosen arm among those shown (whole number)
``reward``              what it brought
``probability``         how likely the chosen arm was
``probabilities``       how likely each arm was (list; optional)
``context``             features of the decision (list; optional)
``features``            features of each arm (list of lists; optional, in place of ``context``)
``mask``                which arms were present (list; optional)
``arms``                ids of the arms (list; optional)
``user``, ``time``      id of the user, and time of the decision (optional)
======================  =======================================================================

The header states the format and its version, the number of arms shown, how many ids of arms and
users there are, labels, and whether the policy that decided was learning. Tables of others that
have these columns and no header are read too.
"""

import json
from collections.abc import Iterable, Mapping
from typing import Any

from jostle.logs.log import Log

FORMAT, VERSION = "jostle-log", 1
REQUIRED = ("action", "reward", "probability")
ARGUMENTS = {
    "action": "actions",
    "reward": "rewards",
    "probability": "probabilities",
    "probabilities": "probabilities",
    "context": "contexts",
    "features": "contexts",
    "mask": "mask",
    "arms": "arms",
    "user": "users",
    "time": "times",
}
"""The argument of ``Log.from_arrays`` that each column becomes."""
FACTS = ("shown", "arm_total", "user_total", "labels", "adaptive")


def header_of(log: Log) -> str:
    """The header of a file that begins with ``log``, as JSON.

    Where arms have ids and nobody has said how many there are, later rows may have further ones.
    """
    total = log.arm_count if log.arms is None else log.arm_total
    return header(**{**{name: getattr(log, name) for name in FACTS}, "arm_total": total})


def header(**facts: Any) -> str:
    """A header as JSON; facts that are left out are found in the rows when they are read."""
    return json.dumps({"format": FORMAT, "version": VERSION, **dict.fromkeys(FACTS), **facts})


def facts_of(header: str | bytes | None, where: str) -> dict[str, Any]:
    """What a header states, as arguments of ``Log.from_arrays``; nothing if there is none."""
    if header is None:
        return {}
    try:
        content = json.loads(header)
    except json.JSONDecodeError as error:
        raise ValueError(f"{where} has a header that is not JSON ({error})") from None
    if content.get("format") != FORMAT:
        raise ValueError(f"{where} is not a jostle log (unknown header)")
    if content.get("version") != VERSION:
        raise ValueError(
            f"{where} is a log of version {content.get('version')} of the format, and this jostle "
            f"reads version {VERSION}"
        )
    return {name: content.get(name) for name in FACTS}


def check_columns(names: Iterable[str], where: str) -> list[str]:
    """The columns of a table that belong to the schema, if all required ones are there."""
    present = list(names)
    missing = [
        name
        for name in REQUIRED
        if name not in present and not (name == "probability" and "probabilities" in present)
    ]
    if missing:
        raise ValueError(
            f"{where} has no column {missing[0]!r}: expected {', '.join(REQUIRED)} and optionally "
            "probabilities, context or features, mask, arms, user, time; for other names, read the "
            "table with Polars or pandas and use Log.from_frame"
        )
    return [name for name in present if name in ARGUMENTS]


def checked_columns(names: Iterable[str]) -> tuple[str, ...]:
    """The columns of a file to be written, if all required ones are there."""
    present = tuple(names)
    check_columns(present, "the file")
    return present


def log_of(columns: Mapping[str, Any], facts: Mapping[str, Any], **others: Any) -> Log:
    """A log, or a chunk of one, from columns by their names in the schema."""
    found = dict(columns)
    if "probabilities" in found:  # the column of the chosen arm's repeats what is in there
        found.pop("probability", None)
    return Log.from_arrays(
        **{ARGUMENTS[name]: column for name, column in found.items()}, **facts, **others
    )
