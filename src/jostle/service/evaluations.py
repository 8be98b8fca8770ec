"""The process that does one evaluation: what other policies would have earned, from the log.

python -m jostle.service.evaluations DATA APP JOB
"""

import os
import sys
import tempfile
from pathlib import Path
from typing import Any

from jostle.evaluation import compare, scan
from jostle.evaluation.named_targets import target_of
from jostle.service.exports import Selection, write_export
from jostle.service.folders import AppFolder
from jostle.service.jobs import job_path, read_job, write_job
from jostle.service.messages import Evaluation
from jostle.service.snapshots import Snapshots

CURRENT = "current"
"""The newest snapshot of the app's own model, as it is."""


def run(data: Path, app: str, job: str) -> None:
    """Do a job, in this process."""
    folder = AppFolder(data, app)
    path = job_path(folder, job)
    evaluation = read_job(path)
    evaluation.state = "running"
    write_job(path, evaluation)
    try:
        _evaluate(data, app, evaluation)
        evaluation.state = "done"
    except Exception as error:  # whatever it is, whoever asked wants to know
        evaluation.state, evaluation.error = "failed", f"{type(error).__name__}: {error}"
    write_job(path, evaluation)


def _evaluate(data: Path, app: str, evaluation: Evaluation) -> None:
    request = evaluation.request
    selection = Selection(most=request.most_rows)
    if request.since is not None:
        selection = selection._replace(since=request.since)
    if request.until is not None:
        selection = selection._replace(until=request.until)
    with tempfile.TemporaryDirectory(dir=AppFolder(data, app).evaluations) as scratch:
        file = Path(scratch) / "log.parquet"
        evaluation.rows = write_export(data, app, file, selection)
        log = scan(file)
        texts = dict.fromkeys([*request.policies, request.baseline])
        targets = {text: _target(data, app, text, log) for text in texts}
        found = compare(
            log,
            targets,
            request.baseline,
            list(request.estimators),
            request.interval,
            level=request.level,
        )
        evaluation.estimates = found.lines()


def _target(data: Path, app: str, text: str, log: Any) -> Any:
    if text != CURRENT:
        return target_of(text, log)
    fold = Snapshots(AppFolder(data, app).models).latest()
    if fold is None:
        raise ValueError("there is no snapshot of the model yet")
    return fold.agent


if __name__ == "__main__":
    os.nice(5)
    run(Path(sys.argv[1]), sys.argv[2], sys.argv[3])
