"""A warning for logs of policies that leave arms out."""

import warnings
from typing import Any

import numpy as np


def warn_of_no_chance(probabilities: Any, mask: Any = True, *, stacklevel: int) -> bool:
    """Warn if an arm that is present has probability 0; return whether one has."""
    found = bool(np.any((np.asarray(probabilities) == 0) & mask))
    if found:
        warnings.warn(
            "the policy gives some arms no chance, so that the log says nothing about policies "
            "that choose them: give the policy a floor, such as floor=0.05",
            stacklevel=stacklevel + 1,
        )
    return found
