"""The OpenAPI 3.1 document of the interface, made from the table of operations."""

import re
from collections.abc import Iterable, Sequence
from typing import Any

import msgspec

from jostle import __version__
from jostle.service.calls import BINARY, JSON, PROBLEM, Answered, Call, Operation, Reply
from jostle.service.envelopes import ProblemData
from jostle.service.messages import AppName, Id

PATH = "/v1/openapi.json"
REFERENCE = "#/components/schemas/{name}"
PARAMETERS: dict[str, tuple[Any, str]] = {
    "app": (AppName, "The app."),
    "event_id": (Id, "The decision."),
    "version": (int, "The version of a model."),
    "job": (Id, "The job."),
    "user": (Id, "The user."),
    "id": (Id, "The id of the key, which is also its second part."),
}
PROBLEMS = {
    400: "The body is not JSON.",
    401: "There is no key, or it is not known.",
    403: "The key does not have the role.",
    404: "There is no such thing.",
    408: "The body did not come in time.",
    412: "There is another version than the request states.",
    413: "The body is too large.",
    415: "The body is of another media type.",
    422: "A part of the request is wrong; `path` says which.",
    428: "If-Match is missing.",
    429: "Over quota; Retry-After says when to try again.",
    503: "Too busy, or the disk is full; nothing was done. Retry-After says when to try again.",
}


def problems(operation: Operation) -> list[int]:
    """The statuses of the refusals that an operation can be answered with."""
    found = {503, *operation.problems}
    if operation.roles or operation.any_key:
        found |= {401, 403}
    if "{" in operation.path:
        found.add(404)
    if operation.body is not None:
        found |= {400, 408, 413, 415, 422}
    if operation.query is not None:
        found.add(422)
    if operation.quota is not None:
        found.add(429)
    return sorted(found - set(operation.answers))


def document(operations: Iterable[Operation]) -> dict[str, Any]:
    """The document."""
    operations = list(operations)
    types = [ProblemData, *dict.fromkeys(_types(operations))]
    schemas, components = msgspec.json.schema_components(types, ref_template=REFERENCE)
    schema = dict(zip(map(_key, types), schemas, strict=True))
    paths: dict[str, dict[str, Any]] = {}
    for operation in operations:
        entry = _entry(operation, schema)
        paths.setdefault(operation.path, {})[operation.method.lower()] = entry
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "jostle",
            "version": __version__,
            "description": "Decisions by contextual bandits: durable, with exact probabilities.",
        },
        "servers": [{"url": "/"}],
        "paths": paths,
        "components": {
            "schemas": components,
            "securitySchemes": {"key": {"type": "http", "scheme": "bearer"}},
        },
    }


def document_operation(operations: Sequence[Operation]) -> Operation:
    """The operation that serves the document, which also describes itself."""
    answer: list[bytes] = []

    async def serve(call: Call) -> Reply:  # noqa: ARG001 (all handlers take a call)
        if not answer:
            answer.append(msgspec.json.encode(document([*operations, itself])))
        return Reply(200, answer[0])

    itself = Operation(
        "GET", PATH, serve, "openapi", "This document.",
        {200: Answered("The document.", dict[str, Any])},
    )  # fmt: skip
    return itself


def _types(operations: Iterable[Operation]) -> Iterable[Any]:
    for operation in operations:
        yield from (PARAMETERS[name][0] for name in _names(operation.path))
        if operation.body not in (None, bytes):
            yield operation.body
        yield from (answer.type for answer in operation.answers.values() if answer.type)
        if operation.query is not None:
            for field in msgspec.structs.fields(operation.query):
                yield field.type


def _key(type: Any) -> str:
    """Types such as ``Annotated[str, ...]`` are not all hashable by identity."""
    return repr(type)


def _names(path: str) -> list[str]:
    return re.findall(r"{(\w+)}", path)


def _entry(operation: Operation, schema: dict[str, Any]) -> dict[str, Any]:
    entry: dict[str, Any] = {
        "operationId": operation.name,
        "summary": operation.summary,
        "tags": [operation.tag],
        "responses": {
            **{
                str(status): _answer(answer, schema) for status, answer in operation.answers.items()
            },
            **{str(status): _problem(status, schema) for status in problems(operation)},
        },
    }
    if operation.roles or operation.any_key:
        entry["security"] = [{"key": []}]
        needed = " or ".join(sorted(operation.roles)) or "any"
        entry["description"] = f"Role: {needed}."
    if parameters := [*_path(operation, schema), *_query(operation, schema), *_headers(operation)]:
        entry["parameters"] = parameters
    if operation.body is not None:
        media, content = (
            (BINARY, {}) if operation.body is bytes else (JSON, schema[_key(operation.body)])
        )
        entry["requestBody"] = {
            "required": not operation.optional_body,
            "content": {media: {"schema": content}},
        }
    return entry


def _answer(answer: Answered, schema: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = {"description": answer.description}
    if answer.type is not None:
        found["content"] = {answer.media: {"schema": schema[_key(answer.type)]}}
    elif answer.media != JSON:
        found["content"] = {answer.media: {}}
    if answer.headers:
        found["headers"] = {
            name: {"description": text, "schema": {"type": "string"}}
            for name, text in answer.headers.items()
        }
    return found


def _problem(status: int, schema: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = {
        "description": PROBLEMS[status],
        "content": {PROBLEM: {"schema": schema[_key(ProblemData)]}},
    }
    if status in (429, 503):
        seconds = {"type": "integer", "minimum": 1}
        found["headers"] = {"Retry-After": {"description": "Seconds.", "schema": seconds}}
    return found


def _path(operation: Operation, schema: dict[str, Any]) -> Iterable[dict[str, Any]]:
    for name in _names(operation.path):
        type, text = PARAMETERS[name]
        yield {
            "name": name, "in": "path", "required": True, "description": text,
            "schema": schema[_key(type)],
        }  # fmt: skip


def _query(operation: Operation, schema: dict[str, Any]) -> Iterable[dict[str, Any]]:
    if operation.query is None:
        return
    for field in msgspec.structs.fields(operation.query):
        content = dict(schema[_key(field.type)])
        # Absent means None: a query cannot say null.
        options = [part for part in content.get("anyOf", []) if part.get("type") != "null"]
        if len(options) == 1:
            content = options[0]
        elif field.default is not None and field.default is not msgspec.NODEFAULT:
            content["default"] = field.default
        yield {"name": field.name, "in": "query", "required": False, "schema": content}


def _headers(operation: Operation) -> Iterable[dict[str, Any]]:
    for name, text in operation.headers.items():
        yield {
            "name": name, "in": "header", "required": True, "description": text,
            "schema": {"type": "string"},
        }  # fmt: skip
