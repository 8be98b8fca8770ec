"""Logs in the CSV form of the Open Bandit Dataset (Saito et al., 2021).

Each row shows one item in one position of a page:

===========================  ====================================================================
``timestamp``                UTC; may be empty in all rows
``item_id``                  the item that was shown: a number from 0
``position``                 where on the page
``click``                    the reward
``propensity_score``         probability of the item in its position
``user_feature_0``, ...      features of the user: categories, or numbers
``user-item_affinity_0`` ..  one column per item, so that their number says how many items there are
===========================  ====================================================================

The context is the position, if there are several, and the features of the user. Categories become
indicators, one for each that occurs in the file; columns that hold nothing but numbers are taken as
they are, as ``pandas.get_dummies`` and Open Bandit Pipeline do. Affinities are not read.
"""

import csv
import functools
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from jostle.core.optional import require
from jostle.logs.columns import seconds
from jostle.logs.log import Log

COLUMNS = {"item_id": "action", "click": "reward", "propensity_score": "probability"}
POSITION, TIME = "position", "timestamp"
FEATURE, AFFINITY = "user_feature", "user-item_affinity"
NUMBERS = ("item_id", "click", "propensity_score")
ABSENT = ("probabilities", "user", "labels", "adaptive")
"""What a log may have and this form has no place for; ``drop=`` leaves it out."""
LAST_TIME = 253_402_300_799.0
"""The end of the year 9999 in seconds since 1970, the last that the form can state."""


class Survey(NamedTuple):
    """What has to be known of a whole file before its first row can be read."""

    items: int
    timed: bool
    context: Mapping[str, Any]
    """The columns of the context: the values of each in order, as an Arrow array of text; None if
    they are numbers, which are taken as they are."""


def recognises(path: Path) -> bool:
    """Whether the first line of a CSV file has the columns of the data set."""
    try:
        names = _names(path)
    except UnicodeDecodeError:
        return False
    twice = [name for name in names if names.count(name) > 1]
    if twice:
        raise ValueError(f"{path} has two columns {twice[0]!r}")
    return set(COLUMNS) <= set(names)


def facts(path: Path) -> dict[str, Any]:
    """The number of items."""
    items = _survey(path).items
    return {"shown": items, "arm_total": items}


def chunks(path: Path, rows: int) -> Iterator[dict[str, Any]]:
    """The columns of ``rows`` rows at a time."""
    survey = _survey(path)
    wanted = [*COLUMNS, *([TIME] if survey.timed else []), *survey.context]
    for batch in _batches(path, wanted):
        for start in range(0, len(batch["item_id"]), rows):
            part = {name: column.slice(start, rows) for name, column in batch.items()}
            found = {ours: _array(part[theirs]) for theirs, ours in COLUMNS.items()}
            if survey.timed:
                found["time"] = _array(part[TIME])
            if survey.context:
                features = [_features(part[name], known) for name, known in survey.context.items()]
                found["context"] = np.concatenate(features, axis=1)
            yield found


class Writer:
    """Writes chunks as rows that all have the same position."""

    def __init__(self, path: Path):
        self._path = path
        self._file: Any = None
        self._writer: Any = None
        self._rows = 0

    def write(self, log: Log) -> None:
        """Append a chunk, if the form can hold it."""
        _check(log, self._rows)
        arrow = require("pyarrow", extra="evaluation")
        table = arrow.table(_columns(log, self._rows, arrow))
        if self._writer is None:
            table_writer = require("pyarrow.csv", extra="evaluation")
            self._file = self._path.open("wb")
            self._file.write((",".join(["", *table.column_names[1:]]) + "\n").encode())
            options = table_writer.WriteOptions(include_header=False, quoting_style="none")
            self._writer = table_writer.CSVWriter(self._file, table.schema, write_options=options)
        self._writer.write_table(table)
        self._rows += len(log)

    def close(self) -> None:
        """Finish the file."""
        if self._writer is not None:
            self._writer.close()
            self._file.close()


def _check(log: Log, first_row: int) -> None:
    """Raise a ``ValueError`` that says what this form cannot hold, and what to do."""
    form = "the CSV of the Open Bandit Dataset"
    if not log.shares_context or log.arms is not None or not log.present().all():
        what = (
            "features of each arm"
            if not log.shares_context
            else "ids of the arms of each row"
            if log.arms is not None
            else "which arms are absent in a row"
        )
        raise ValueError(f"{form} cannot hold {what}: write .parquet or .jsonl")
    held = log.as_columns()
    others = {name: getattr(log, name) for name in ("labels", "adaptive")}
    lost = tuple(name for name in ABSENT if held.get(name, others.get(name)) is not None)
    if lost:
        raise ValueError(
            f"{form} cannot hold {', '.join(lost)}: write .parquet or .jsonl, or leave that out "
            f"with drop={list(lost)!r}"
        )
    wrong = np.flatnonzero((log.rewards != 0) & (log.rewards != 1))
    if len(wrong):
        raise ValueError(
            f"{form} cannot hold rewards other than 0 and 1 (clicks), but row "
            f"{first_row + wrong[0]} has {log.rewards[wrong[0]]:g}: write .parquet or .jsonl"
        )
    if log.times is not None and not np.all((log.times >= 0) & (log.times <= LAST_TIME)):
        raise ValueError(
            f"{form} cannot hold times that are not seconds since 1970 (up to the year 9999), but "
            f"they go from {log.times.min():g} to {log.times.max():g}: leave them out with "
            "drop='time'"
        )


def _columns(log: Log, first_row: int, arrow: Any) -> dict[str, Any]:
    compute = require("pyarrow.compute", extra="evaluation")
    n = len(log)
    times = arrow.nulls(n)
    if log.times is not None:
        moments = np.round(log.times * 1e6).astype("datetime64[us]")
        times = compute.strftime(arrow.array(moments), format="%Y-%m-%d %H:%M:%S+00:00")
    contexts = np.zeros((n, 0)) if log.contexts is None else log.contexts
    return {
        "row": np.arange(first_row, first_row + n),  # its name in the file is empty
        TIME: times,
        "item_id": log.actions,
        POSITION: np.ones(n, np.int64),
        "click": log.rewards.astype(np.int64),
        "propensity_score": log.probabilities,
        **{f"{FEATURE}_{i}": column.astype(np.float64) for i, column in enumerate(contexts.T)},
        **{f"{AFFINITY}_{item}": arrow.nulls(n) for item in range(log.arm_count or 0)},
    }


def _names(path: Path) -> list[str]:
    with path.open("rb") as file:
        header = file.readline()
    return next(csv.reader([header.decode("utf-8-sig")]), [])


def _survey(path: Path) -> Survey:
    """What the file holds; read again only after it has changed."""
    state = path.stat()
    return _surveyed(path, (state.st_mtime_ns, state.st_size))


@functools.lru_cache(maxsize=16)
def _surveyed(path: Path, _state: tuple[int, int]) -> Survey:
    names = _names(path)
    features = [name for name in names if name.startswith(FEATURE)]
    timed = TIME in names
    numbers = set(features)
    largest = without_item = without_time = rows = 0
    for batch in _batches(path, ["item_id", *([TIME] if timed else []), *features]):
        items = _array(batch["item_id"])
        rows += len(items)
        largest = max(largest, int(np.nanmax(items, initial=-1)) + 1)
        numbers -= {name for name in numbers if not _is_numeric(batch[name])}
        without_item += batch["item_id"].null_count
        if timed:
            without_time += batch[TIME].null_count
            if str(batch[TIME].type) == "string":
                raise ValueError(f"{path}: {TIME} must hold times, such as 2019-11-24 00:00:34.76")
    for name, empty in (("item_id", without_item), (TIME, without_time)):
        if empty > 0 and (empty < rows or name == "item_id"):
            raise ValueError(f"{path}: {name} is empty in {empty:,} of {rows:,} rows")
    context = [name for name in (POSITION, *features) if name in names]
    categories = _categories(path, [name for name in context if name not in numbers])
    if POSITION in categories and len(categories[POSITION]) < 2:
        context.remove(POSITION)
    counted = sum(name.startswith(AFFINITY) for name in names)
    return Survey(
        max(counted, largest),
        timed and without_time == 0,
        {name: categories.get(name) for name in context},
    )


def _categories(path: Path, names: list[str]) -> dict[str, Any]:
    """The values of each categorical column, in order."""
    arrow = require("pyarrow", extra="evaluation")
    found: dict[str, set[str]] = {name: set() for name in names}
    for batch in _batches(path, names) if names else ():
        for name in names:
            found[name].update(batch[name].unique().to_pylist())
    return {name: arrow.array(sorted(values), arrow.string()) for name, values in found.items()}


def _batches(path: Path, columns: list[str]) -> Iterator[dict[str, Any]]:
    """Arrow arrays by the names of the columns; the context's as text."""
    arrow = require("pyarrow", extra="evaluation")
    reader = require("pyarrow.csv", extra="evaluation")
    kinds = {
        name: arrow.int64() if name == "item_id" else arrow.float64()
        for name in NUMBERS
        if name in columns
    }
    kinds |= {name: arrow.string() for name in columns if name not in (*NUMBERS, TIME)}
    options = reader.ConvertOptions(include_columns=columns, column_types=kinds)
    with reader.open_csv(path, convert_options=options) as batches:
        for batch in batches:
            yield {name: batch.column(name) for name in columns}


def _is_numeric(column: Any) -> bool:
    """Whether all text that is not empty is a number."""
    arrow = require("pyarrow", extra="evaluation")
    try:
        _numbers(column)
    except arrow.ArrowInvalid:
        return False
    return True


def _numbers(column: Any) -> np.ndarray:
    """Text as numbers; NaN where it is empty."""
    compute = require("pyarrow.compute", extra="evaluation")
    text = compute.if_else(compute.equal(column, ""), None, column)
    return _array(compute.cast(text, "float64"))


def _features(column: Any, known: Any) -> np.ndarray:
    """(n, 1) numbers, or (n, values) indicators of the known values."""
    if known is None:
        return _numbers(column)[:, None]
    compute = require("pyarrow.compute", extra="evaluation")
    codes = _array(compute.index_in(column, known))
    return np.asarray(codes[:, None] == np.arange(len(known)), np.float32)


def _array(column: Any) -> np.ndarray:
    array: np.ndarray = column.to_numpy(zero_copy_only=False)
    return seconds(array) if array.dtype.kind == "M" else array
