"""``FolderLock``: one service per folder."""

import fcntl
from pathlib import Path


class FolderLock:
    """Held as long as this process lives, or until it is closed; an error if somebody has it."""

    def __init__(self, folder: Path):
        self._file = (folder / "lock").open("w")
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            self._file.close()
            raise BlockingIOError(
                f"{folder} is in use by another service: stop it, or choose another folder"
            ) from None

    def close(self) -> None:
        """Let others have the folder."""
        self._file.close()
