"""How we measure: in turns, and the best of several."""

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any, NamedTuple

import jax

from jostle.lab.running.local import one_thread


class Row(NamedTuple):
    """One line of the table: a ratio, and the bound it is held to."""

    name: str
    ours: str
    yardstick: str
    ratio: float
    bound: float
    at_least: bool = False

    @property
    def ok(self) -> bool:
        """Whether the ratio is within its bound."""
        return self.ratio >= self.bound if self.at_least else self.ratio <= self.bound

    @property
    def wanted(self) -> str:
        """The bound, in words."""
        return f"{'at least' if self.at_least else 'at most'} {self.bound:g}"


def in_turns(
    first: Callable[[], Any], second: Callable[[], Any], turns: int
) -> tuple[float, float]:
    """Seconds of each at its best, after one call each that does not count."""
    jax.block_until_ready(first())
    jax.block_until_ready(second())
    pairs = [(_seconds(first), _seconds(second)) for _ in range(turns)]
    return min(pair[0] for pair in pairs), min(pair[1] for pair in pairs)


def on_one_core(benchmark: Callable[..., Row], *arguments: int) -> Row:
    """A benchmark in a process of its own that has one thread, as a trial of ``jostle run`` has."""
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
