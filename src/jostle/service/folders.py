"""Where the files of a service are."""

from pathlib import Path


class AppFolder:
    """The files of one app, in the folder ``data`` of its service."""

    def __init__(self, data: Path, name: str):
        self.path = data / "apps" / name
        self.view = self.path / "view.npz"
        """The latest view that the learner has published."""
        self.models = self.path / "models"
        self.archive = self.path / "archive"
        self.exports = self.path / "exports"
        self.evaluations = self.path / "evaluations"
