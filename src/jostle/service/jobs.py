"""``Jobs``: evaluations that are running, have run, or wait for it; see ``evaluations``."""

import os
import subprocess
import sys
import time
from pathlib import Path

import msgspec

from jostle.core.atomic import atomic
from jostle.service.apps import App
from jostle.service.configuration import deciding_policy
from jostle.service.folders import AppFolder
from jostle.service.messages import Config, Evaluation, EvaluationRequest
from jostle.service.problems import Busy, Invalid, NotFound

NAMED = ("logged", "uniform", "current")
"""Targets that are not policies of the catalogue."""
MOST_JOBS = 2
"""Jobs that run at the same time."""


class Jobs:
    """The evaluations of a service."""

    def __init__(self, data: Path):
        self._data = data
        self._running: dict[str, subprocess.Popen[bytes]] = {}

    def start(self, app: App, request: EvaluationRequest) -> str:
        """Start a job; its id."""
        for place, text in enumerate(request.policies):
            _check_target(app.config, text, f"policies[{place}]")
        _check_target(app.config, request.baseline, "baseline")
        self._reap()
        if len(self._running) >= MOST_JOBS:
            raise Busy(f"{MOST_JOBS} evaluations are running: wait for one to end", retry_after=5.0)
        job = f"{time.time_ns() // 1000:014x}{os.urandom(3).hex()}"
        write_job(job_path(app.folder, job), Evaluation(job, "queued", time.time(), request))
        command = [
            sys.executable,
            "-m",
            "jostle.service.evaluations",
            str(self._data),
            app.name,
            job,
        ]
        self._running[job] = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, start_new_session=True
        )
        return job

    def get(self, app: App, job: str) -> Evaluation:
        """A job as it is now."""
        self._reap()
        path = job_path(app.folder, job)
        if not job.isalnum() or not path.exists():
            raise NotFound(f"there is no evaluation {job!r:.60}")
        found = read_job(path)
        if found.state in ("queued", "running") and job not in self._running:
            found.state, found.error = "failed", "its process has ended before it was done"
        return found

    def list(self, app: App) -> list[Evaluation]:
        """All jobs, newest first."""
        paths = sorted(app.folder.evaluations.glob("*.json"), reverse=True)
        return [self.get(app, path.stem) for path in paths]

    def close(self) -> None:
        """End the jobs that are running."""
        for process in self._running.values():
            process.kill()
            process.wait()

    def _reap(self) -> None:
        for job, process in list(self._running.items()):
            if process.poll() is not None:
                del self._running[job]


def _check_target(config: Config, text: str, path: str) -> None:
    """Only what the catalogue names: nothing that a client sends is imported."""
    if text in NAMED:
        return
    try:
        deciding_policy(msgspec.structs.replace(config, policy=text, floor=None, optimism=None))
    except Invalid as problem:
        raise Invalid(problem.detail, path) from None


def job_path(folder: AppFolder, job: str) -> Path:
    """The file of a job."""
    return folder.evaluations / f"{job}.json"


def read_job(path: Path) -> Evaluation:
    """The job in a file."""
    return msgspec.json.decode(path.read_bytes(), type=Evaluation)


def write_job(path: Path, evaluation: Evaluation) -> None:
    """Write how far a job is."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with atomic(path) as file:
        file.write(msgspec.json.encode(evaluation))
