"""``warm_start``: learn from the log of another policy before deciding anything."""

import os
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from jostle.agent import Agent
from jostle.core.optional import require
from jostle.core.validation import unknown, whole
from jostle.decisions.decider import Decider
from jostle.decisions.importance import MOST_WEIGHT, effective_number, importance_weights
from jostle.features.encoder import arm_id
from jostle.features.rows import as_records

Report = Callable[[int, int | None], None]
"""Called with the rows learned so far, and how many there are if that is known."""


class WarmStart(NamedTuple):
    """What was learned."""

    rows: int
    seconds: float
    mean_reward: float
    effective_rows: float
    """Rows of equal weight that would say as much; fewer than ``rows`` with importance weights."""


def warm_start(
    agent: Agent | Decider,
    log: Any,
    *,
    reward: str = "reward",
    action: str | None = None,
    features: Sequence[str] | None = None,
    context: Sequence[str] | None = None,
    probability: str | None = None,
    most_weight: float = MOST_WEIGHT,
    chunk: int = 10_000,
    progress: bool | Report = True,
) -> WarmStart:
    """Let an agent or a decider learn from decisions that somebody else has made.

    A log has one row per decision: what was shown, which action was taken, what it brought.

        jostle.warm_start(agent, "log.parquet", features=["x0", "x1", "x2"])
        jostle.warm_start(decider, frame, action="offer", context=["device", "hour"])

    The rows of an ``Agent`` are the contexts of the arms that were taken: ``features`` names their
    columns, and ``action`` the ids of the arms if the policy needs them. For a ``Decider`` the rows
    are records: ``action`` names the column of the action (an id or a record), and ``context`` the
    columns of the context (by default all others but the reward).

    Rows count alike by default. With ``probability`` they count by importance weights: 1 /
    probability, divided by its mean, and at most ``most_weight``. They make the model fit all
    actions alike, as if the log had been random. That costs precision where the model can fit the
    rewards, since least squares on the log as it is then estimates the same function under any
    logging policy; docs/warm-start.md has figures. What is missing in a log is what was never
    tried: there the model stays uncertain, and explores.

    Arguments:
        agent: who learns.
        log: a pandas or Polars frame, or the path of a Parquet file, which is read in chunks.
        reward: the column of rewards.
        action: the column of actions.
        features: the columns of the context's features, for an ``Agent``.
        context: the columns of the context, for a ``Decider``; by default all that have no other
            use.
        probability: the column of the probabilities with which actions were taken, to learn with
            importance weights. LinUCB, LinTS, LinFPL and NPR can; NPR's network counts rows alike.
        most_weight: the largest of these weights.
        chunk: rows to read and learn at a time.
        progress: whether to draw a bar on the terminal; or a function that is called with the rows
            learned so far and their number.
    """
    whole("chunk", chunk)
    started, rows, total = time.perf_counter(), 0, 0.0
    frames, count = _chunks(log, chunk)
    weights = None if probability is None else _weights(log, probability, most_weight)
    report = progress if callable(progress) else _bar if progress else None
    records = isinstance(agent, Decider)
    if records == (features is not None) or (records and action is None):
        raise ValueError(
            "a Decider learns from records: pass action= and context=; an Agent learns from "
            "numbers: pass features="
        )
    for frame in frames:
        names = [str(name) for name in frame.columns]
        for name in [reward, *([action] if action else []), *(features or ()), *(context or ())]:
            _check_column(name, names)
        rewards = np.asarray(frame[reward].to_numpy(), np.float64)
        weight = None if weights is None else weights[rows : rows + len(rewards)]
        if isinstance(agent, Decider):
            used = (reward, action, probability)
            taken = context or [name for name in names if name not in used]
            actions = frame[action].to_list()
            _learn_records(agent, _records(frame, taken), actions, rewards, weight)
        else:
            columns = [np.asarray(frame[name].to_numpy(), np.float32) for name in features or ()]
            arms = None if action is None else frame[action].to_numpy()
            agent.learn(np.stack(columns, axis=1), rewards, arm=arms, weight=weight)
        rows += len(rewards)
        total += float(rewards.sum())
        if report is not None:
            report(rows, count)
    effective = float(rows) if weights is None else effective_number(weights)
    return WarmStart(rows, time.perf_counter() - started, total / max(rows, 1), effective)


def _check_column(name: str, names: list[str]) -> None:
    if name not in names:
        raise ValueError(f"log: {unknown('column', name, names)}")


def _weights(log: Any, column: str, most: float) -> np.ndarray:
    """The importance weights of all rows."""
    if isinstance(log, str | os.PathLike):
        import polars as pl

        lazy = pl.scan_parquet(Path(log))
        _check_column(column, lazy.collect_schema().names())
        values = lazy.select(column).collect()[column]
    else:
        _check_column(column, [str(name) for name in log.columns])
        values = log[column]
    return importance_weights(f"log: column {column!r}", values.to_numpy(), most)


def _learn_records(
    decider: Decider, contexts: list[Any], actions: list[Any], rewards: Any, weight: Any
) -> None:
    """Learn from one chunk, after the encoder has learned its moments as far as it still does."""
    with decider.locked():
        encoder, agent = decider.encoder, decider.agent
        for pair in zip(contexts[: encoder.warmup], actions, strict=False):
            encoder.observe(pair[0], [pair[1]])
        vectors = encoder.encode_pairs(contexts, actions)
        arms = None
        if agent.policy.needs_arms:
            arms = [arm_id(each["id"] if isinstance(each, dict) else each) for each in actions]
        agent.learn(vectors, rewards, arm=arms, weight=weight)


def _chunks(log: Any, chunk: int) -> tuple[Iterator[Any], int | None]:
    """Frames of at most ``chunk`` rows, and how many rows there are."""
    if isinstance(log, str | os.PathLike):
        return _parquet(Path(log), chunk)
    if not hasattr(log, "columns"):
        raise TypeError(
            f"log must be a pandas or Polars frame or the path of a Parquet file, not {log!r:.40}"
        )
    part = log.iloc if hasattr(log, "iloc") else log  # pandas takes slices by position there
    return (part[start : start + chunk] for start in range(0, len(log), chunk)), len(log)


def _parquet(path: Path, chunk: int) -> tuple[Iterator[Any], int]:
    require("polars", extra="data")
    import polars as pl

    lazy = pl.scan_parquet(path)
    count = int(lazy.select(pl.len()).collect().item())
    return (lazy.slice(start, chunk).collect() for start in range(0, count, chunk)), count


def _records(frame: Any, columns: Sequence[str]) -> list[Any]:
    return as_records(frame[list(columns)])


def _bar(done: int, total: int | None) -> None:
    """A bar on the terminal; nothing if standard error is not one."""
    if total and sys.stderr.isatty():
        filled = round(40 * done / total)
        end = "\n" if done >= total else ""
        print(
            f"\rwarm start [{'#' * filled:<40}] {done:,} of {total:,} rows",
            end=end,
            file=sys.stderr,
            flush=True,
        )
