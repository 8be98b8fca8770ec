"""``join``: one log from its chunks."""

import dataclasses
from collections.abc import Iterable
from typing import Any

import numpy as np

from jostle.logs.log import ARRAYS, Log


def join(chunks: Iterable[Log]) -> Log:
    """One log from its chunks."""
    pieces = list(chunks)
    if not pieces:
        raise ValueError("the log is empty: expected at least one row")
    repairs: dict[str, int] = {}
    for piece in pieces:
        for name, count in piece.repairs.items():
            repairs[name] = repairs.get(name, 0) + count
    columns: dict[str, Any] = {
        name: None
        if getattr(pieces[0], name) is None
        else np.concatenate([getattr(piece, name) for piece in pieces])
        for name in ARRAYS
    }
    return dataclasses.replace(pieces[0], **columns, repairs=repairs)
