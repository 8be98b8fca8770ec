"""Evaluations and exports of the log."""

import asyncio
import os
import tempfile
from pathlib import Path

from jostle.service.calls import PARQUET, Call, Reply
from jostle.service.envelopes import EvaluationList


async def evaluate(call: Call) -> Reply:
    """Start a job."""
    job = await call.context.service.evaluate(call.app, call.body)
    place = f"/v1/apps/{call.app}/evaluations/{job}"
    found = call.context.service.evaluation(call.app, job)
    return Reply.of(found, 202, {"Location": place})


async def evaluation(call: Call) -> Reply:
    """A job, and its result once it is done."""
    return Reply.of(call.context.service.evaluation(call.app, call.parameters[1]))


async def evaluations(call: Call) -> Reply:
    """All jobs."""
    return Reply.of(EvaluationList(call.context.service.evaluations(call.app)))


async def export(call: Call) -> Reply:
    """The log as a Parquet file, which is removed when it has been sent."""
    call.context.service.config(call.app)  # before a file is made: there may be no such app
    folder = Path(call.context.settings.data)
    handle, name = tempfile.mkstemp(dir=folder, prefix=".export-", suffix=".parquet")
    os.close(handle)
    target = Path(name)
    try:
        path = await call.context.service.export_log(call.app, target)
    except BaseException:
        await asyncio.to_thread(target.unlink, missing_ok=True)
        raise
    headers = {"Content-Disposition": f'attachment; filename="{call.app}.parquet"'}
    return Reply(200, media=PARQUET, headers=headers, file=path, temporary=True)
