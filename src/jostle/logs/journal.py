"""``Journal``: a log that grows by one decision at a time, and survives a crash.

Rows are JSON lines, each appended by one call of the operating system, so that a process that dies
leaves whole rows and at most one torn line, which is cut off when the file is continued. No file is
held open in between.
Rows may show different numbers of arms, and arms have names.
"""

import json
import os
from pathlib import Path
from typing import Any

from jostle.core.validation import unknown
from jostle.logs import files, schema

SUFFIXES = (".jsonl", ".ndjson", ".parquet")
BLOCK = 2**16
"""Bytes that are read at a time in search of the last row."""


class Journal:
    """Appends decisions to a file that ``scan``, ``read`` and ``jostle evaluate`` take.

    Arguments:
        path: a JSON lines file, which is continued if it exists; or a Parquet file. Parquet files
            cannot be appended to: rows are collected in a JSON lines file beside it, with
            ``.jsonl`` added to its name, and the Parquet file is written from it by ``finish``.
        features: how many features each arm has.
        adaptive: whether the policy that decides is learning; None if nobody knows.
        columns: the columns that every row has; those of the schema, and any others.
    """

    def __init__(
        self,
        path: str | os.PathLike[str],
        *,
        features: int,
        adaptive: bool | None,
        columns: tuple[str, ...],
    ):
        self.path = Path(path)
        if self.path.suffix not in SUFFIXES:
            raise ValueError(unknown("suffix of a log", self.path.suffix, SUFFIXES))
        self._columns = schema.checked_columns(columns)
        self._rows_path = self.path
        if self.path.suffix == ".parquet":
            self._rows_path = self.path.with_name(f"{self.path.name}.jsonl")
        header = schema.header(adaptive=adaptive, features=features) + "\n"
        self._rows_path.touch()
        self._cut_torn_line()
        if self.size == 0:
            self._append(header)
        else:
            self._check(header)

    @property
    def size(self) -> int:
        """The length of the file in bytes."""
        return self._rows_path.stat().st_size

    def write(self, row: dict[str, Any]) -> None:
        """Append one decision."""
        if tuple(row) != self._columns:
            raise ValueError(f"row must have the columns {self._columns}, not {tuple(row)}")
        self._append(json.dumps(row) + "\n")

    def after(self, position: int) -> list[dict[str, Any]]:
        """The rows that were written since ``size`` was ``position``."""
        if position > self.size:
            raise ValueError(
                f"log: {self._rows_path} has {self.size:,} bytes, fewer than the {position:,} it "
                "had when the decider was saved; pass the same file, uncut"
            )
        with self._rows_path.open("rb") as file:
            file.seek(position)
            return [json.loads(line) for line in file]

    def finish(self) -> None:
        """Make sure that all rows are on the disk; write the Parquet file, if that is wanted."""
        with self._rows_path.open("ab") as file:
            os.fsync(file.fileno())
        if self._rows_path != self.path and self._first_lines()[1]:
            files.write(files.LogFile(self._rows_path), self.path)

    def _append(self, text: str) -> None:
        with self._rows_path.open("ab", buffering=0) as file:
            file.write(text.encode())

    def _cut_torn_line(self) -> None:
        """Cut off what follows the last end of a line."""
        end = self.size
        with self._rows_path.open("r+b") as file:
            while end > 0:
                start = max(0, end - BLOCK)
                file.seek(start)
                found = file.read(end - start).rfind(b"\n")
                end = start + found + 1
                if found >= 0:
                    break
            file.truncate(end)

    def _first_lines(self) -> tuple[str, str]:
        """The header and the first row; empty where there is none."""
        with self._rows_path.open(encoding="utf-8") as file:
            return file.readline(), file.readline()

    def _check(self, header: str) -> None:
        """Refuse to continue a file of another kind."""
        first, second = self._first_lines()
        if first != header:
            raise ValueError(
                f"{self._rows_path} is not a log of this kind (it begins with {first[:200]!r}, not "
                f"{header!r}): pass another path"
            )
        if second and (found := tuple(json.loads(second))) != self._columns:
            raise ValueError(
                f"{self._rows_path} has the columns {found}, not {self._columns}: pass another path"
            )
