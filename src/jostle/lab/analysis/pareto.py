"""Which policies are worth their time: the Pareto front of regret and milliseconds per round."""

from collections.abc import Sequence


def pareto_front(cost: Sequence[float], loss: Sequence[float]) -> list[int]:
    """The indices of the points that no other beats at no higher cost, the cheapest first."""
    found: list[int] = []
    for index in sorted(range(len(cost)), key=lambda i: (cost[i], loss[i])):
        if not found or loss[index] < loss[found[-1]]:
            found.append(index)
    return found
