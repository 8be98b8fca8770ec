"""Logs as JSON lines: a header, then one object per decision."""

import itertools
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, TextIO

import numpy as np

from jostle.logs import ragged, schema
from jostle.logs.log import Log


def facts(path: Path) -> dict[str, Any]:
    """What the header states, if the file has one."""
    with path.open(encoding="utf-8-sig") as file:
        first = file.readline()
    return schema.facts_of(first if _is_header(first) else None, str(path))


def chunks(path: Path, rows: int) -> Iterator[dict[str, Any]]:
    """The columns of ``rows`` rows at a time."""
    with path.open(encoding="utf-8-sig") as file:
        lines = enumerate(file, start=1)
        names: list[str] | None = None
        while batch := list(itertools.islice(lines, rows)):
            if batch[0][0] == 1 and _is_header(batch[0][1]):
                batch = batch[1:]
            parsed = [_parsed(path, number, line) for number, line in batch if line.strip()]
            if not parsed:
                continue
            if names is None:
                names = schema.check_columns(parsed[0], str(path))
            columns = {name: [row.get(name) for row in parsed] for name in names}
            if "mask" in columns:  # without it, nobody knows which arms a short row lacks
                columns = {name: ragged.filled(rows, name) for name, rows in columns.items()}
            yield {name: _array(values, name) for name, values in columns.items()}


class Writer:
    """Writes chunks as JSON lines."""

    def __init__(self, path: Path):
        self._path = path
        self._file: TextIO | None = None

    def write(self, log: Log) -> None:
        """Append a chunk."""
        if self._file is None:
            self._file = self._path.open("w", encoding="utf-8")
            self._file.write(schema.header_of(log) + "\n")
        columns = {name: array.tolist() for name, array in log.as_columns().items()}
        for values in zip(*columns.values(), strict=True):
            self._file.write(json.dumps(dict(zip(columns, values, strict=True))) + "\n")

    def close(self) -> None:
        """Finish the file."""
        if self._file is not None:
            self._file.close()


def _is_header(line: str) -> bool:
    """Whether it says what the file is; rows may have columns of these names too."""
    stated = line.lstrip().startswith("{") and '"format"' in line and '"version"' in line
    return stated and not all(f'"{name}":' in line for name in ("action", "reward"))


def _parsed(path: Path, number: int, line: str) -> dict[str, Any]:
    try:
        row = json.loads(line)
    except json.JSONDecodeError as error:
        raise ValueError(f"{path}, line {number}: not JSON ({error})") from None
    except (ValueError, RecursionError) as error:  # numbers of thousands of digits; deep nesting
        raise ValueError(f"{path}, line {number}: cannot be read ({error})") from None
    if not isinstance(row, dict):
        raise ValueError(f"{path}, line {number}: expected an object, not {type(row).__name__}")
    return row


def _array(values: list[Any], name: str) -> np.ndarray:
    try:
        array = np.array([np.nan if value is None else value for value in values])
    except ValueError:
        array = np.empty(0, object)
    if name == "arms" and array.dtype.kind == "U":
        return np.array(values, object)
    if array.dtype.kind not in "fiub":
        rest = ", unless 'mask' says which arms are present" if name in ragged.FILLERS else ""
        raise ValueError(
            f"column {name!r} must hold numbers, or lists of numbers of the same length{rest}"
        )
    return array
