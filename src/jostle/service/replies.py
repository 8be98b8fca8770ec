"""Sending answers: bytes, files and problems."""

import os

from starlette.background import BackgroundTask
from starlette.responses import FileResponse
from starlette.types import Receive, Scope, Send

from jostle.service.calls import JSON, PROBLEM, Reply, encode
from jostle.service.envelopes import ProblemData
from jostle.service.problems import Problem

_JSON = (b"content-type", JSON.encode())
NO_CONTENT = 204
_SAFE = (b"x-content-type-options", b"nosniff")


def problem_data(problem: Problem) -> ProblemData:
    """A problem as a message."""
    return ProblemData(
        type=problem.type,
        title=problem.title,
        status=problem.status,
        detail=problem.detail,
        path=problem.path,
    )


def problem_reply(problem: Problem) -> Reply:
    """A problem as an answer."""
    return Reply(problem.status, encode(problem_data(problem)), PROBLEM, problem.headers)


async def send_reply(reply: Reply, scope: Scope, receive: Receive, send: Send) -> None:
    """Send an answer."""
    if reply.file is not None:
        clean_up = BackgroundTask(os.unlink, reply.file) if reply.temporary else None
        response = FileResponse(
            reply.file,
            status_code=reply.status,
            headers=reply.headers,
            media_type=reply.media,
            background=clean_up,
        )
        await response(scope, receive, send)
        return
    headers = [_SAFE]
    if reply.status != NO_CONTENT:
        length = (b"content-length", str(len(reply.body)).encode())
        media = _JSON if reply.media is JSON else (b"content-type", reply.media.encode())
        headers += [media, length]
    if reply.headers:
        headers += [
            (name.lower().encode(), value.encode()) for name, value in reply.headers.items()
        ]
    await send({"type": "http.response.start", "status": reply.status, "headers": headers})
    await send({"type": "http.response.body", "body": reply.body})
