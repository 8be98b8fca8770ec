"""The folder of an experiment, in which every finished trial survives whatever happens next.

    manifest.json    the experiment, its panels, all settings and behaviour numbers; written first
    parts/*.parquet  one file per finished trial
    trials.parquet   all of them together, once every trial is finished
    times.json       how long choosing and learning take
    sessions.json    when, where, with which versions and for how long it was run
    status.json      current progress, for ``jostle status``

Files are replaced whole, so a reader never sees half of one. One process at a time may write: it
holds a lock that the operating system releases when the process ends, however that happens.
"""

import json
import re
import zlib
from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
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


class FolderError(ValueError):
    """The folder cannot be used; the message says why and what to do."""


@contextmanager
def exclusive(folder: Path) -> Iterator[None]:
    """Hold the lock of a folder, so that no other process writes to it."""
    from filelock import FileLock, Timeout

    try:
        lock = FileLock(folder / LOCK).acquire(timeout=1)  # ``locked`` holds it for a moment
    except Timeout:
        raise FolderError(
            f"another process is writing to {str(folder)!r}; see: jostle status {folder}"
        ) from None
    with lock:
        yield


class Store:
    """A folder to which this process writes until it leaves the ``with`` block.

    A folder that holds another experiment is refused, unless ``renew`` is true: then the trials
    that both have in common are kept and the others are deleted.
    """

    def __init__(self, folder: Path, manifest: Manifest, renew: bool = False):
        self.folder = folder
        make_folder(folder)
        _refuse_foreign(folder)  # before a lock file is put into it
        with ExitStack() as stack:
            stack.enter_context(exclusive(folder))
            self._claim(manifest, renew)
            self._lock = stack.pop_all()
        self._sessions = _sessions(folder)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        (self.folder / STATUS).unlink(missing_ok=True)
        self._lock.close()

    def add(self, run: Run) -> None:
        """Save a finished trial: it is on disk once this returns."""
        parquet.write(self.folder / PARTS / _part(run.trial), [run])

    def keep_times(self, outcome: Outcome) -> None:
        """Save all times measured so far."""
        times = [
            {
                "environment": comparison.plan.environment,
                "policy": policy,
                "after": comparison.plan.timed_after,
                **times._asdict(),
            }
            for comparison in outcome.comparisons
            for policy, times in comparison.times.items()
        ]
        write_json(self.folder / TIMES, times)

    def keep_session(self, session: Mapping[str, Any]) -> None:
        """Save the record of the present session, replacing an earlier version of it."""
        write_json(self.folder / SESSIONS, [*self._sessions, session])

    def show_status(self, status: Mapping[str, Any]) -> None:
        """Save the current progress for other processes to read."""
        write_json(self.folder / STATUS, status)

    def compact(self) -> None:
        """Put all trials into one file. No trial is lost if this is interrupted."""
        parts = sorted((self.folder / PARTS).glob("*.parquet"))
        if parts:
            parquet.write(self.folder / TRIALS, list(_runs(self.folder)))
            for part in parts:
                part.unlink()

    def _claim(self, manifest: Manifest, renew: bool) -> None:
        """Write the manifest, or check that the folder holds the same experiment."""
        path = self.folder / MANIFEST
        new = manifest.as_mapping()
        old = _read_manifest(self.folder) if path.exists() else None
        changes = [] if old is None else differences(old, new)
        if changes:
            if not renew:
                raise FolderError(
                    f"{str(self.folder)!r} holds another experiment and is not overwritten; choose "
                    "another folder, or pass --renew to replay only what changed. Differences:\n  "
                    + "\n  ".join(changes)
                )
            self._keep_common_runs(manifest)
        if old != new:
            write_content(self.folder, new)
        (self.folder / PARTS).mkdir(exist_ok=True)

    def _keep_common_runs(self, manifest: Manifest) -> None:
        """Delete the times, which are measured together, and the runs ``manifest`` does not have.

        If this is interrupted, the folder holds a part of what its old manifest describes.
        """
        before = read(self.folder)
        kept = list(Outcome(manifest).reusable(before))
        if before.runs() and not kept:
            raise FolderError(
                f"{str(self.folder)!r} holds {len(before.runs())} runs, none of which belongs to "
                "this experiment, so --renew would delete them all; choose another folder"
            )
        (self.folder / TIMES).unlink(missing_ok=True)
        parquet.write(self.folder / TRIALS, kept)
        for part in (self.folder / PARTS).glob("*.parquet"):
            part.unlink()


def read(folder: Path) -> Outcome:
    """The results in a folder, finished or not; safe while another process writes to it."""
    content = _read_manifest(folder)
    try:
        manifest = Manifest.from_mapping(content)
    except (TypeError, ValueError, KeyError) as error:  # such as an unknown kind of figure
        raise FolderError(f"{str(folder / MANIFEST)!r} cannot be read: {error}") from None
    times: Iterable[dict[str, Any]] = _read_json(folder / TIMES, [])
    timed = [
        Timed(
            each["environment"],
            each["policy"],
            Times(each["choosing"], each["learning"]),
            each.get("after"),
        )
        for each in times
    ]
    return Outcome(manifest, [*_runs(folder), *timed], _sessions(folder), folder)


def status(folder: Path) -> dict[str, Any] | None:
    """The progress last reported by the process that writes to ``folder``, if there is one."""
    _read_manifest(folder)
    progress: dict[str, Any] | None = _read_json(folder / STATUS, None)
    return progress


def locked(folder: Path) -> bool:
    """Whether a process is writing to ``folder``."""
    from filelock import FileLock, Timeout

    try:
        with FileLock(folder / LOCK).acquire(timeout=0):
            return False
    except Timeout:
        return True


def unfinished(candidates: Iterable[Path], manifest: Manifest) -> Path | None:
    """The first of ``candidates`` that holds this experiment, unfinished and not being written."""
    for folder in candidates:
        try:
            old = _read_manifest(folder)
            if differences(old, manifest.as_mapping()) or locked(folder) or read(folder).finished:
                continue
        except FolderError:
            continue  # foreign, damaged or of an older version
        return folder
    return None


def make_folder(folder: Path) -> None:
    """Create a folder if it does not exist."""
    if folder.exists() and not folder.is_dir():
        raise FolderError(f"{str(folder)!r} is a file; expected a folder")
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise FolderError(f"{str(folder)!r} cannot be created: {error.strerror}") from None


def _refuse_foreign(folder: Path) -> None:
    ours = (folder / MANIFEST).exists() or {each.name for each in folder.iterdir()} <= {LOCK}
    if not ours:
        raise FolderError(
            f"{str(folder)!r} is not empty and holds no experiment; choose another folder"
        )


def _part(trial: Trial) -> str:
    """A file name that people can read and that no other trial has."""
    words = re.sub(r"[^a-zA-Z0-9.]+", "-", f"{trial.environment}--{trial.policy}").strip("-")
    return f"{words[:80]}-{trial.seed}-{zlib.crc32(repr(tuple(trial)).encode()):08x}.parquet"


def _runs(folder: Path) -> Iterator[Run]:
    """Every finished trial once, though it may briefly be in two files."""
    seen: set[Trial] = set()
    # The parts first: one that has disappeared by then has been moved into the file of all trials.
    for path in [*sorted((folder / PARTS).glob("*.parquet")), folder / TRIALS]:
        try:
            runs = parquet.read(path)
        except FileNotFoundError:
            continue
        except Exception as error:
            raise FolderError(
                f"{str(path)!r} cannot be read ({error}); delete it to play its trials again"
            ) from None
        for run in runs:
            if run.trial not in seen:
                seen.add(run.trial)
                yield run


def _sessions(folder: Path) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = _read_json(folder / SESSIONS, [])
    return found


def _read_manifest(folder: Path) -> dict[str, Any]:
    content = read_content(folder)
    if content.get("version") == 1:
        raise FolderError(
            f"{str(folder)!r} was written by jostle 0.1 (format version 1; expected {VERSION}); "
            f"convert it with: jostle migrate {folder}"
        )
    if content.get("version") != VERSION:
        raise FolderError(
            f"{str(folder)!r} has format version {content.get('version')}; expected {VERSION}: "
            "it was written by a newer jostle"
        )
    return content


def read_content(folder: Path) -> dict[str, Any]:
    """The manifest of a folder as plain values, of whatever version."""
    if not folder.is_dir():
        raise FolderError(f"there is no folder {str(folder)!r}")
    content = _read_json(folder / MANIFEST, None)
    if not isinstance(content, dict) or content.get("format") != FORMAT:
        raise FolderError(f"{str(folder)!r} holds no experiment (no manifest.json of jostle's)")
    return content


def write_content(folder: Path, content: dict[str, Any]) -> None:
    """Replace the manifest of a folder."""
    write_json(folder / MANIFEST, content)


def _read_json(path: Path, missing: Any) -> Any:
    try:
        return json.loads(path.read_text("utf-8"))
    except FileNotFoundError:
        return missing
    except (OSError, ValueError) as error:
        raise FolderError(f"{str(path)!r} cannot be read: {error}") from None


def write_json(path: Path, content: Any) -> None:
    """Replace a JSON file as a whole."""
    with atomic(path) as file:
        file.write(json.dumps(content, indent=1, ensure_ascii=False).encode())
