"""Validation of arguments: errors that name the argument, what was found and what was expected."""

import difflib
from collections.abc import Iterable
from typing import Any

import numpy as np


def lookup(kind: str, name: str, options: dict[str, Any]) -> Any:
    """Return ``options[name]``, or raise a ``ValueError`` that suggests the nearest names."""
    if isinstance(name, str) and name in options:
        return options[name]
    raise ValueError(unknown(kind, name, options))


def unknown(kind: str, name: object, options: Iterable[str]) -> str:
    """The message for an unknown name: it suggests the nearest names, or else lists all."""
    options = list(options)
    folded = {option.casefold(): option for option in options}
    near = difflib.get_close_matches(str(name).casefold(), folded, n=3, cutoff=0.5)
    if near:
        hint = "did you mean " + " or ".join(repr(folded[match]) for match in near) + "?"
    else:
        hint = "choose from " + ", ".join(repr(option) for option in options) + "."
    return f"unknown {kind} {name!r}; {hint}"


def whole(name: str, value: Any, least: int = 1) -> int:
    """``value`` as an int, if it is a whole number of at least ``least``."""
    if isinstance(value, bool) or not isinstance(value, int | np.integer):
        raise TypeError(f"{name} must be a whole number, not {value!r}")
    if value < least:
        raise ValueError(f"{name} must be at least {least}, not {value}")
    return int(value)


def number(name: str, value: Any, least: float = 0.0, most: float = np.inf) -> None:
    """Check that every entry of ``value`` is a finite number between ``least`` and ``most``."""
    array = numeric(name, value)
    if not np.all(np.isfinite(array)):
        raise ValueError(f"{name} must be finite, not {value!r}")
    if np.any(array < least) or np.any(array > most):
        expected = f"at least {least:g}" if most == np.inf else f"between {least:g} and {most:g}"
        raise ValueError(f"{name} must be {expected}, not {value!r}")


def numeric(name: str, value: Any) -> np.ndarray:
    """``value`` as an array of real numbers, of any shape and precision."""
    if value is None:
        raise TypeError(f"{name} is missing: expected numbers, got None")
    try:
        array = np.asarray(value)
    except ValueError as error:  # rows of unequal length
        raise ValueError(f"{name} must be a rectangular array of numbers: {error}") from None
    if array.dtype.kind not in "fiub":
        raise TypeError(f"{name} must be numeric, not of dtype {array.dtype}")
    return array


def finite(name: str, value: Any) -> np.ndarray:
    """``value`` as an array of finite float32 numbers."""
    array = numeric(name, value).astype(np.float32, copy=False)
    good = np.isfinite(array)
    if np.count_nonzero(good) != array.size:  # far cheaper than good.all()
        place = tuple(int(i) for i in np.argwhere(~good)[0])
        where = f" at index {place if len(place) > 1 else place[0]}" if place else ""
        raise ValueError(f"{name} must be finite, but holds {array[place]}{where}")
    return array
