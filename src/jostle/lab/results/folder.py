"""The folder of an experiment: every finished trial is safe in it, whatever happens next.

    manifest.json    the experiment, its panels, all settings; written first
    parts/*.parquet  one file a finished trial, put in place whole
    trials.parquet   all of them together, once the experiment is finished
    times.json       how long choosing and learning take
    sessions.json    when, where, with which versions and how long it was worked on
    status.json      what goes on just now, for ``jostle status``

One process at a time may write; it holds a lock, which ends with the process however that ends.
"""

import json
import os
import platform
import re
import sys
import time
import zlib
from collections.abc import Iterable, Iterator, Mapping
from importlib.metadata import version
from pathlib import Path
from typing import Any, Self

from jostle.core.atomic import atomic
from jostle.lab.results import parquet
from jostle.lab.results.manifest import FORMAT, VERSION, Manifest, differences
from jostle.lab.results.model import Run, Timed, Times
from jostle.lab.results.outcome import Outcome
from jostle.lab.spec.plan import Trial

MANIFEST, PARTS, TRIALS = "manifest.json", "parts", "trials.parquet"
TIMES, SESSIONS, STATUS, LOCK = "times.json", "sessions.json", "status.json", ".lock"
REPORT = "report.html"


class FolderError(ValueError):
    """A folder that cannot be used; the message says why and what to do."""


class Store:
    """A folder that this process writes to; leave the ``with`` block to let others.

    If it holds another experiment it is refused, or renewed: then it keeps the trials that both
    have in common, and loses the others.
    """

    def __init__(self, folder: Path, manifest: Manifest, renew: bool = False):
        from filelock import FileLock, Timeout

        self.folder = folder
        _make(folder)
        _refuse_foreign(folder)  # before we put a lock into it
        self._lock = FileLock(folder / LOCK)
        try:
            self._lock.acquire(timeout=1)  # whoever only asks for the status holds it for a moment
        except Timeout:
            raise FolderError(
                f"{str(folder)!r} is being written by another process; see: jostle status {folder}"
            ) from None
        try:
            self._claim(manifest, renew)
        except BaseException:
            self._lock.release()
            raise
        self._sessions = _sessions(folder)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        (self.folder / STATUS).unlink(missing_ok=True)
        self._lock.release()

    def add(self, run: Run) -> None:
        """Keep a finished trial: once this returns, it is on disk."""
        parquet.write(self.folder / PARTS / _part(run.trial), [run])

    def keep_times(self, outcome: Outcome) -> None:
        """Keep all times measured so far."""
        times = [
            {"environment": comparison.plan.environment, "policy": policy, **times._asdict()}
            for comparison in outcome.comparisons
            for policy, times in comparison.times.items()
        ]
        _write_json(self.folder / TIMES, times)

    def keep_session(self, session: Mapping[str, Any]) -> None:
        """Note the present session, in place of what was noted of it before."""
        _write_json(self.folder / SESSIONS, [*self._sessions, session])

    def show_status(self, status: Mapping[str, Any]) -> None:
        """Let other processes know what goes on."""
        _write_json(self.folder / STATUS, status)

    def compact(self) -> None:
        """Put all trials into one file. Whenever it is interrupted, none is lost."""
        parts = sorted((self.folder / PARTS).glob("*.parquet"))
        if parts:
            parquet.write(self.folder / TRIALS, list(_runs(self.folder)))
            for part in parts:
                part.unlink()

    def _claim(self, manifest: Manifest, renew: bool) -> None:
        """Make the folder ours, or see that it holds the same experiment."""
        path = self.folder / MANIFEST
        wanted = manifest.as_mapping()
        if not path.exists():
            _write_json(path, wanted)
        elif changes := list(differences(_read_manifest(self.folder), wanted)):
            if not renew:
                raise FolderError(
                    f"{str(self.folder)!r} holds another experiment, and nothing is overwritten; "
                    "name another folder, or have this one renewed (--renew), which plays anew "
                    "only what differs. What differs:\n  " + "\n  ".join(changes)
                )
            self._let_go_of_what_differs(manifest)
            _write_json(path, wanted)
        (self.folder / PARTS).mkdir(exist_ok=True)

    def _let_go_of_what_differs(self, manifest: Manifest) -> None:
        """Keep the runs that ``manifest`` asks for too, and no times: they are compared in one go.

        Whenever it is interrupted, what is left is some of what the old manifest asks for.
        """
        before = read(self.folder)
        kept = list(Outcome(manifest).alike(before))
        if before.runs() and not kept:
            raise FolderError(
                f"{str(self.folder)!r} holds {len(before.runs())} runs, none of which this "
                "experiment asks for, so it is not renewed; name another folder"
            )
        (self.folder / TIMES).unlink(missing_ok=True)
        parquet.write(self.folder / TRIALS, kept)
        for part in (self.folder / PARTS).glob("*.parquet"):
            part.unlink()


def read(folder: Path) -> Outcome:
    """All that a folder holds, finished or not; safe while another process writes to it."""
    content = _read_manifest(folder)
    try:
        manifest = Manifest.from_mapping(content)
    except (TypeError, ValueError, KeyError) as error:  # such as a figure that is not known here
        raise FolderError(f"{str(folder / MANIFEST)!r} cannot be read: {error}") from None
    times: Iterable[dict[str, Any]] = _read_json(folder / TIMES, [])
    timed = [
        Timed(each["environment"], each["policy"], Times(each["choosing"], each["learning"]))
        for each in times
    ]
    return Outcome(manifest, [*_runs(folder), *timed], _sessions(folder), folder)


def status(folder: Path) -> dict[str, Any] | None:
    """What the process that writes to ``folder`` last said of itself; None when there is none."""
    _read_manifest(folder)
    said: dict[str, Any] | None = _read_json(folder / STATUS, None)
    return said


def locked(folder: Path) -> bool:
    """Whether a process writes to ``folder`` now."""
    from filelock import FileLock, Timeout

    try:
        with FileLock(folder / LOCK).acquire(timeout=0):
            return False
    except Timeout:
        return True


def session(command: str, engine: str, jobs: int, taken: int = 0) -> dict[str, Any]:
    """Where and how the present process works on an experiment; ``taken`` trials came to it."""
    names = ("jostle", "jax", "jaxlib", "numpy", "optax")
    return {
        "command": command,
        "engine": engine,
        "jobs": jobs,
        "started": time.strftime("%Y-%m-%d %H:%M:%S %z"),
        "seconds": 0.0,
        "trials": 0,
        "taken": taken,
        "machine": {"platform": platform.platform(), "cores": os.cpu_count()},
        "versions": {
            "python": sys.version.split()[0],
            **{name: version(name) for name in names},
        },
    }


def _make(folder: Path) -> None:
    if folder.exists() and not folder.is_dir():
        raise FolderError(f"{str(folder)!r} is a file; a folder is wanted")
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise FolderError(f"{str(folder)!r} cannot be made: {error.strerror}") from None


def _refuse_foreign(folder: Path) -> None:
    ours = (folder / MANIFEST).exists() or {each.name for each in folder.iterdir()} <= {LOCK}
    if not ours:
        raise FolderError(f"{str(folder)!r} is not empty, and nothing is overwritten; name another")


def _part(trial: Trial) -> str:
    """A file name that tells the trial to people, and is like no other's."""
    words = re.sub(r"[^a-zA-Z0-9.]+", "-", f"{trial.environment}--{trial.policy}").strip("-")
    return f"{words[:80]}-{trial.seed}-{zlib.crc32(repr(tuple(trial)).encode()):08x}.parquet"


def _runs(folder: Path) -> Iterator[Run]:
    """Every finished trial once, though it may be in two files for a moment."""
    seen: set[Trial] = set()
    # The parts first: one that is gone by the time we look for it is in the file of all by then.
    for path in [*sorted((folder / PARTS).glob("*.parquet")), folder / TRIALS]:
        try:
            runs = parquet.read(path)
        except FileNotFoundError:
            continue
        except Exception as error:
            raise FolderError(
                f"{str(path)!r} cannot be read ({error}); remove it to have its trials played again"
            ) from None
        for run in runs:
            if run.trial not in seen:
                seen.add(run.trial)
                yield run


def _sessions(folder: Path) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = _read_json(folder / SESSIONS, [])
    return found


def _read_manifest(folder: Path) -> dict[str, Any]:
    if not folder.is_dir():
        raise FolderError(f"there is no folder {str(folder)!r}")
    content = _read_json(folder / MANIFEST, None)
    if not isinstance(content, dict) or content.get("format") != FORMAT:
        raise FolderError(f"{str(folder)!r} holds no experiment")
    if content["version"] != VERSION:
        raise FolderError(f"{str(folder)!r} is of version {content['version']}; we read {VERSION}")
    return content


def _read_json(path: Path, missing: Any) -> Any:
    try:
        return json.loads(path.read_text("utf-8"))
    except FileNotFoundError:
        return missing
    except (OSError, ValueError) as error:
        raise FolderError(f"{str(path)!r} cannot be read: {error}") from None


def _write_json(path: Path, content: Any) -> None:
    with atomic(path) as file:
        file.write(json.dumps(content, indent=1, ensure_ascii=False).encode())
