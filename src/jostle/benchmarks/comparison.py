"""The result of a benchmark, and how to measure two things side by side."""

import json
import math
import os
import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any, NamedTuple

import jax

from jostle.lab.running.local import one_thread


class Row(NamedTuple):
    """One line of the table: two measurements, their ratio, and the bound on the ratio."""

    name: str
    ours: str
    reference: str
    ratio: float
    bound: float = math.inf
    """The ratio to reach; infinite if the measurement is for information only."""
    at_least: bool = False
    """Whether the ratio should be at least the bound, instead of at most."""
    details: str = ""
    """Further figures, printed below the table."""

    @property
    def ok(self) -> bool:
        """Whether the ratio is within its bound."""
        return self.ratio >= self.bound if self.at_least else self.ratio <= self.bound

    @property
    def expected(self) -> str:
        """The bound in words."""
        if math.isinf(self.bound):
            return "-"
        return f"{'at least' if self.at_least else 'at most'} {self.bound:g}"


def in_turns(
    first: Callable[[], Any], second: Callable[[], Any], turns: int
) -> tuple[float, float]:
    """Return the best time of each in seconds, measured alternately.

    Each is called once before, so that compilation is not measured.
    """
    _seconds(first)
    _seconds(second)
    pairs = [(_seconds(first), _seconds(second)) for _ in range(turns)]
    return min(pair[0] for pair in pairs), min(pair[1] for pair in pairs)


def on_one_core(benchmark: Callable[..., Row], *arguments: int) -> Row:
    """Run a benchmark in a new process with one thread, as a trial of ``jostle run`` has."""
    place, name = benchmark.__module__, benchmark.__name__
    code = f"import json; from {place} import {name} as run; print(json.dumps(run(*{arguments})))"
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, **one_thread()},
        stdout=subprocess.PIPE,
        check=True,
    )
    row = Row(*json.loads(done.stdout))
    return row._replace(name=f"{row.name}, on one core")


def _seconds(call: Callable[[], Any]) -> float:
    start = time.perf_counter()
    jax.block_until_ready(call())
    return time.perf_counter() - start
