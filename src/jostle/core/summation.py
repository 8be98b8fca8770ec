"""Sums and means in float32 that stay accurate over any number of small terms."""

from typing import Any


def compensated_add(total: Any, lost: Any, change: Any) -> tuple[Any, Any]:
    """Kahan's summation: what rounding cuts off is kept and added the next time.

    Returns the new total and what it lost.
    """
    wanted = change + lost
    sum = total + wanted
    return sum, wanted - (sum - total)
