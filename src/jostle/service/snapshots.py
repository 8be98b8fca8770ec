"""Snapshots: versions of an app's model in files, each with its hash.

A file appears whole or not at all. One that is damaged all the same is skipped for an older one,
and said so.
"""

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import jax
import numpy as np

from jostle import serialization
from jostle.core.atomic import atomic
from jostle.service.fold import Data, Fold, sha256_of
from jostle.service.views import save_view

SUFFIX, VIEW_SUFFIX = ".model.npz", ".view.npz"
Complain = Callable[[str], None]


class Snapshot(NamedTuple):
    """A version in a file."""

    version: int
    path: Path


class Snapshots:
    """The snapshots of one app, in a folder.

    Arguments:
        folder: where they are.
        complain: called with a sentence about every damaged file.
    """

    def __init__(self, folder: Path, complain: Complain = print):
        self.folder, self._complain = folder, complain

    def list(self) -> list[Snapshot]:
        """All of them, the newest first."""
        found = [
            Snapshot(int(path.name.partition(".")[0]), path)
            for path in self.folder.glob(f"*{SUFFIX}")
            if path.name.partition(".")[0].isdecimal()
        ]
        return sorted(found, reverse=True)

    def path(self, version: int) -> Path:
        """The file of a version."""
        return self.folder / f"{version:08d}{SUFFIX}"

    def view_path(self, version: int) -> Path:
        """The file of a version's view."""
        return self.folder / f"{version:08d}{VIEW_SUFFIX}"

    def save(self, fold: Fold, version: int, source: str = "learned") -> str:
        """Write a version and its view; the hash of its state."""
        self.folder.mkdir(parents=True, exist_ok=True)
        header, state = fold.as_data()
        sha256 = sha256_of(header, jax.tree.leaves(state))
        save_view(fold, self.view_path(version))
        header = {**header, "number": version, "source": source, "sha256": sha256}
        with atomic(self.path(version)) as file:
            serialization.write_file(file, header, state, "model")
        _sync_folder(self.folder)
        return sha256

    def load(self, version: int) -> Data:
        """The state of a version, checked; a ``ValueError`` if it is damaged."""
        return read_model(self.path(version))

    def whole(self) -> Iterator[Data]:
        """The states of all versions that are not damaged, the newest first."""
        for snapshot in self.list():
            try:
                yield self.load(snapshot.version)
            except (ValueError, OSError) as error:
                self._complain(f"snapshot {snapshot.version} is skipped: {error}")

    def latest(self) -> Fold | None:
        """The newest state that is whole; None if there is none."""
        found = next(self.whole(), None)
        return None if found is None else Fold.from_data(*found)

    def prune(self, keep: int, needed: set[int]) -> None:
        """Remove all but the newest ``keep`` versions and those that are needed."""
        for snapshot in self.list()[keep:]:
            if snapshot.version not in needed:
                snapshot.path.unlink(missing_ok=True)
                self.view_path(snapshot.version).unlink(missing_ok=True)


def read_model(path: Path) -> Data:
    """The state in a file, checked by its hash."""
    header, leaves = serialization.read(path, "model")
    check_model(header, leaves, str(path))
    return header, leaves


def check_model(header: dict[str, Any], leaves: list[np.ndarray], name: str) -> None:
    """Raise a ``ValueError`` unless the hash is that of the state."""
    found = sha256_of(header, leaves)
    if found != header["sha256"]:
        raise ValueError(
            f"{name} is damaged: its state has the hash {found[:16]}..., not "
            f"{header['sha256'][:16]}..."
        )


def _sync_folder(folder: Path) -> None:
    """So that the name of a new file survives a power loss, too."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
