"""Versions of an app's model."""

from typing import NoReturn

from jostle.service.calls import BINARY, Call, Reply
from jostle.service.envelopes import ModelList
from jostle.service.problems import NotFound


async def models(call: Call) -> Reply:
    """The versions, newest first."""
    return Reply.of(ModelList(call.context.service.models(call.app)))


async def export(call: Call) -> Reply:
    """The file of a version."""
    version = _version(call.app, call.parameters[1])
    path = call.context.service.export_model(call.app, version)
    name = f"{call.app}-{version}{path.suffix}"
    headers = {"Content-Disposition": f'attachment; filename="{name}"'}
    return Reply(200, media=BINARY, headers=headers, file=path)


async def import_model(call: Call) -> Reply:
    """Take a model from a file."""
    return Reply.of(await call.context.service.import_model(call.app, call.body), 201)


async def pin(call: Call) -> Reply:
    """Decide with one version."""
    await call.context.service.pin(call.app, call.body.version)
    return await models(call)


async def roll_back(call: Call) -> Reply:
    """Go back to a version."""
    await call.context.service.roll_back(call.app, call.body.version)
    return await models(call)


def _version(app: str, text: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) < 19):
        _no_version(app, text)
    return int(text)


def _no_version(app: str, text: str) -> NoReturn:
    raise NotFound(f"app {app!r} has no model of version {text!r:.40}")
