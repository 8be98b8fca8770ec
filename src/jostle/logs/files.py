"""Files of logged decisions: ``read``, ``scan`` in chunks, and ``LogWriter``."""

import os
from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from types import ModuleType
from typing import Any, Protocol

from jostle.core.validation import unknown, whole
from jostle.logs import json_lines, open_bandit, parquet, ragged, schema
from jostle.logs.joining import join
from jostle.logs.log import CHUNK, Log
from jostle.logs.repair import chosen_repairs
from jostle.types import BanditSpec

FORMATS: dict[str, ModuleType] = {
    ".parquet": parquet,
    ".jsonl": json_lines,
    ".ndjson": json_lines,
    ".csv": open_bandit,
}
"""What reads and writes each kind of file. CSV is that of the Open Bandit Dataset."""
COMPLETE = (".parquet", ".jsonl", ".ndjson")
"""The formats that hold all that a log may have."""

AnyPath = str | os.PathLike[str]


class LogLike(Protocol):
    """A ``Log``, or a ``LogFile`` that is read in chunks as often as needed."""

    def chunks(self) -> Iterator[Log]:
        """The log in pieces, in order."""
        ...

    @property
    def spec(self) -> BanditSpec:
        """The dimensions that a policy must be built for."""
        ...


class LogFile:
    """A log in a file that is read in chunks, so that it may be larger than memory.

    Arguments:
        path: a file of one of ``FORMATS``.
        rows: rows to read at a time.
        repair: as in ``Log.from_arrays``.
    """

    def __init__(self, path: AnyPath, *, rows: int = CHUNK, repair: str | Iterable[str] = ()):
        self.path = Path(path)
        self.rows = whole("rows", rows)
        self.repair = chosen_repairs(repair)
        self._format = _format(self.path)
        with _readable(self.path):
            self._facts = self._format.facts(self.path)
        if (
            self._facts.get("shown") is None
        ):  # there is no header, or it was written before the rows
            self._facts.update(self._counted())
        first = next(self.chunks(), None)
        if first is None:
            raise ValueError(f"{self.path} is empty: expected at least one row")
        if _grows(first):  # later rows may have further ids
            self._facts.update({**self._counted(), "shown": first.shown})
            first = next(self.chunks())
        self.spec = first.spec

    def __repr__(self) -> str:
        return f"LogFile({str(self.path)!r})"

    def chunks(self) -> Iterator[Log]:
        """The log in pieces, in order, each checked."""
        start = 0
        for columns in self._columns():
            whole = ragged.completed(columns, self._facts["shown"], self._facts.get("labels"))
            yield schema.log_of(whole, self._facts, repair=self.repair, first_row=start)
            start += len(columns["action"])

    def _columns(self) -> Iterator[dict[str, Any]]:
        with _readable(self.path):
            yield from self._format.chunks(self.path, self.rows)

    def _counted(self) -> dict[str, Any]:
        """How many arms a file without header has, and their names: one pass over the rows."""
        shown = arms = users = 0
        names: set[str] = set()
        for columns in self._columns():
            names |= ragged.names_in(columns)
            whole = ragged.completed(columns, None, sorted(names))
            chunk = schema.log_of(whole, {}, repair=self.repair)
            shown, arms = max(shown, chunk.shown), max(arms, chunk.arm_count or 0)
            users = max(users, chunk.spec.users or 0)
        counted = {"shown": shown or None, "arm_total": arms or None, "user_total": users or None}
        return {**counted, "labels": sorted(names)} if names else counted


def scan(path: AnyPath, *, rows: int = CHUNK, repair: str | Iterable[str] = ()) -> LogFile:
    """A log that is read in chunks of ``rows`` rows whenever it is used."""
    return LogFile(path, rows=rows, repair=repair)


def read(path: AnyPath, *, repair: str | Iterable[str] = ()) -> Log:
    """The whole log in memory."""
    return join(LogFile(path, repair=repair).chunks())


class LogWriter(AbstractContextManager["LogWriter"]):
    """Writes a log to a file, chunk by chunk.

    Use it in a ``with`` block: the file appears when the block ends, and not at all if it fails.

    Arguments:
        path: a file of one of ``FORMATS``. Parquet and JSON lines hold all of a log. The CSV of the
            Open Bandit Dataset holds clicks, a context for each row and the probability of the
            chosen arm; what else there is has to be left out.
        drop: what to leave out, as in ``Log.without``.
    """

    def __init__(self, path: AnyPath, *, drop: str | Iterable[str] = ()):
        self.path = Path(path)
        if self.path.suffix not in FORMATS:
            raise ValueError(unknown("suffix of a log", self.path.suffix, FORMATS))
        if not self.path.parent.is_dir():
            raise FileNotFoundError(f"the folder {self.path.parent} does not exist")
        self._drop = (drop,) if isinstance(drop, str) else tuple(drop)
        self._shapes: dict[str, tuple[int, ...]] | None = None
        self._partial = self.path.with_name(f".{self.path.name}.partial")
        self._writer = FORMATS[self.path.suffix].Writer(self._partial)
        self._rows = 0

    def write(self, log: Log) -> None:
        """Append the rows of ``log``, which must have the columns of those before."""
        kept = log.without(*self._drop)
        shapes = {name: column.shape[1:] for name, column in kept.as_columns().items()}
        if self._shapes is None:
            self._shapes = shapes
        elif shapes != self._shapes:
            raise ValueError(
                f"log must have the columns of the rows before, {self._shapes}, not {shapes}"
            )
        self._writer.write(kept)
        self._rows += len(log)

    def __exit__(self, kind: type[BaseException] | None, *rest: Any) -> None:
        self._writer.close()
        if kind is None and self._rows:
            os.replace(self._partial, self.path)
        else:
            self._partial.unlink(missing_ok=True)


def write(log: LogLike, path: AnyPath, *, drop: str | Iterable[str] = ()) -> None:
    """Write a log to a file: Parquet, JSON lines, or the CSV of the Open Bandit Dataset.

    Arguments:
        log: a ``Log``, or a file that ``scan`` reads in chunks.
        path, drop: as in ``LogWriter``.
    """
    checked = checked_log(log)
    with LogWriter(path, drop=drop) as writer:
        for chunk in checked.chunks():
            writer.write(chunk)


def checked_log(log: Any) -> LogLike:
    """``log``, if it is one that has rows."""
    if not isinstance(log, Log | LogFile):
        raise TypeError(
            "log must be a jostle log, as Log.from_arrays, Log.from_frame, read or scan give, not "
            f"{type(log).__name__}"
        )
    if isinstance(log, Log) and not len(log):
        raise ValueError("log must have at least one row, but is empty")
    return log


def _grows(chunk: Log) -> bool:
    """Whether nobody has said how many ids of arms or users there are."""
    arms = chunk.arms is not None and chunk.arm_total is None and chunk.labels is None
    return arms or (chunk.users is not None and chunk.user_total is None)


@contextmanager
def _readable(path: Path) -> Iterator[None]:
    """Turn errors of the libraries that read files into one that names the file."""
    try:
        yield
    except FileNotFoundError:
        raise
    except Exception as error:
        foreign = type(error).__module__.startswith("pyarrow")
        if foreign or isinstance(error, OSError | UnicodeDecodeError):
            raise ValueError(f"{path} cannot be read: {error}") from None
        raise


def _format(path: Path) -> ModuleType:
    if path.suffix not in FORMATS:
        raise ValueError(unknown("suffix of a log", path.suffix, FORMATS))
    if not path.exists():
        raise FileNotFoundError(f"{path} does not exist")
    if path.suffix == ".csv" and not open_bandit.recognises(path):
        raise ValueError(
            f"{path} does not have the columns of the Open Bandit Dataset "
            f"({', '.join(open_bandit.COLUMNS)}); read it with Polars or pandas and use "
            "Log.from_frame"
        )
    return FORMATS[path.suffix]
