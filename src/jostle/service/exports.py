"""Closed decisions of the log as a Parquet file in the schema of ``jostle.logs``.

    python -m jostle.service.exports DATA APP TARGET [--since TIME] [--until TIME] [--most ROWS]

It runs as a process of its own, so that deciding does not wait for it. Rows are encoded again, all
by the present encoder. Where a baseline was taken whose probability the caller did not state, it
counts as certain.
"""

import argparse
import math
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
import numpy as np

from jostle.logs import Log, LogWriter
from jostle.service.app_records import read_facts
from jostle.service.configuration import make_encoder
from jostle.service.folders import AppFolder
from jostle.service.log.records import Closed, Decided, Kind, Record, decode
from jostle.service.log.sqlite import SqliteLog
from jostle.service.messages import DecisionRequest
from jostle.service.views import load_view

CHUNK_NUMBERS = 2**22
"""Numbers of the contexts of one chunk."""


class Selection(NamedTuple):
    """Which closed decisions to take."""

    since: float = -math.inf
    until: float = math.inf
    """Times of their closing."""
    before: int = 2**62
    """Closed before this position."""
    most: int = 2**62
    """The latest so many."""


class Row(NamedTuple):
    """A closed decision."""

    names: list[str]
    """The actions that could be chosen."""
    request: DecisionRequest
    decided: Decided
    reward: float
    time: float


def export(data: Path, app: str, target: Path, selection: Selection) -> Path:
    """Write decisions to a file, in another process; takes as long as it takes."""
    command = [sys.executable, "-m", "jostle.service.exports", str(data), app, str(target)]
    for name, value in selection._asdict().items():
        if value != Selection._field_defaults[name]:
            command += [f"--{name}", repr(value)]
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(f"the export failed: {done.stderr.strip()[-500:]}")
    return target


def write_export(data: Path, app: str, target: Path, selection: Selection) -> int:
    """Write decisions to a file, in this process; the number of rows."""
    log = SqliteLog(data)
    number = log.apps()[app]
    facts = read_facts(log, number)
    config = msgspec.structs.replace(facts.config, schema=None)
    encoder = make_encoder(config).with_moments(load_view(AppFolder(data, app).view).moments)
    labels: dict[str, int] = {}
    users: dict[str, int] = {}
    shown = count = 0
    certain = True
    for row in closed_rows(log, number, selection):
        shown, count = max(shown, len(row.names)), count + 1
        certain = certain and row.decided.mode == "online"
        for name in row.names:
            labels.setdefault(name, len(labels))
        if row.decided.user is not None:
            users.setdefault(row.decided.user, len(users))
    target.parent.mkdir(parents=True, exist_ok=True)
    if count == 0:
        raise ValueError("there are no closed decisions to export")
    size = max(1, CHUNK_NUMBERS // (shown * encoder.features))
    rows = closed_rows(log, number, selection)
    with LogWriter(target) as writer:
        for start in range(0, count, size):
            chunk = [next(rows) for _ in range(min(size, count - start))]
            columns = _columns(chunk, shown, encoder, labels, users, all_known=certain)
            writer.write(
                Log.from_arrays(
                    **columns,
                    shown=shown,
                    arm_total=len(labels),
                    user_total=len(users) + 1 if users else None,  # and those without an id
                    labels=list(labels),
                    adaptive=True,
                    first_row=start,
                )
            )
    log.close()
    return count


def closed_rows(log: SqliteLog, app: int, selection: Selection) -> Iterator[Row]:
    """Closed decisions with a reward, in the order of their closing."""
    skipped = _to_skip(log, app, selection)
    after = 0
    while records := log.scan(after, app=app, least_kind=Kind.CLOSED, limit=500):
        after = records[-1].position
        closed = [
            (record, body)
            for record in records
            if record.kind == Kind.CLOSED
            and record.position < selection.before
            and selection.since <= record.time < selection.until
            and isinstance(body := decode(record), Closed)
            and body.reward is not None
        ]
        decided = {each.position: each for each in log.read([body.decided for _, body in closed])}
        for _, body in closed:
            row = _row(decided.get(body.decided), body)
            if row is not None:
                if skipped > 0:
                    skipped -= 1
                else:
                    yield row


def _to_skip(log: SqliteLog, app: int, selection: Selection) -> int:
    if selection.most == Selection().most:
        return 0
    every = selection._replace(most=Selection().most)
    return max(0, sum(1 for _ in closed_rows(log, app, every)) - selection.most)


def _row(record: Record | None, closed: Closed) -> Row | None:
    decided = None if record is None else decode(record)
    if record is None or decided is None or closed.reward is None:
        return None  # archived, or erased
    request = msgspec.msgpack.decode(decided.request, type=DecisionRequest)
    excluded = set(request.exclude)
    names = [each.id for each in request.actions if each.id not in excluded]
    return Row(names, request, decided, closed.reward, record.time)


def _columns(
    rows: list[Row],
    shown: int,
    encoder: Any,
    labels: dict[str, int],
    users: dict[str, int],
    *,
    all_known: bool,
) -> dict[str, Any]:
    """The arguments of ``Log.from_arrays``."""
    contexts = np.zeros((len(rows), shown, encoder.features), np.float32)
    mask = np.zeros((len(rows), shown), bool)
    arms = np.zeros((len(rows), shown), np.int64)
    every = np.zeros((len(rows), shown))
    chosen, probabilities = np.zeros(len(rows), np.int64), np.ones(len(rows))
    for i, row in enumerate(rows):
        k = len(row.names)
        actions = {each.id: each.features or {} for each in row.request.actions}
        records = [{"id": name, **actions[name]} for name in row.names]
        contexts[i, :k] = encoder.encode(row.request.context, records)
        mask[i, :k] = True
        arms[i, :k] = [labels[name] for name in row.names]
        chosen[i] = row.names.index(row.decided.chosen)
        if row.decided.probability is not None:
            probabilities[i] = row.decided.probability
        ranking = msgspec.json.decode(row.decided.answer)["ranking"]
        known = {each["id"]: each["probability"] for each in ranking}
        every[i, :k] = [known[name] or 0.0 for name in row.names]
    columns: dict[str, Any] = {
        "actions": chosen,
        "rewards": np.array([row.reward for row in rows]),
        "probabilities": every if all_known else probabilities,
        "contexts": contexts,
        "mask": mask,
        "arms": arms,
        "times": np.array([row.time for row in rows]),
    }
    if users:
        nobody = len(users)
        columns["users"] = np.array([users.get(row.decided.user or "", nobody) for row in rows])
    return columns


def main() -> None:
    """The process that ``export`` starts."""
    parser = argparse.ArgumentParser()
    parser.add_argument("data", type=Path)
    parser.add_argument("app")
    parser.add_argument("target", type=Path)
    for name, value in Selection()._asdict().items():
        parser.add_argument(f"--{name}", type=type(value), default=value)
    found = parser.parse_args()
    selection = Selection(found.since, found.until, found.before, found.most)
    try:
        write_export(found.data, found.app, found.target, selection)
    except ValueError as error:
        sys.exit(str(error))


if __name__ == "__main__":
    main()
