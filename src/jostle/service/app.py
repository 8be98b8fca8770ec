"""The ASGI application: who may do what is checked here, and every error becomes an answer.

The operations are routed by their encoded paths (``routing.py``), which Starlette does not do, and
without its request objects. Starlette serves the rest: start, stop, and pages (``server.py``).
"""

import time
from collections.abc import Sequence

from starlette.requests import ClientDisconnect
from starlette.types import Receive, Scope, Send

from jostle.service.api import OPERATIONS
from jostle.service.auth import FULL_ACCESS, Access
from jostle.service.calls import BINARY, JSON, Call, Operation, Reply
from jostle.service.context import Context
from jostle.service.diagnostics import logger
from jostle.service.http_problems import Broken, Forbidden, Malformed, Unauthorised, WrongMethod
from jostle.service.openapi import document_operation
from jostle.service.origin import check_origin
from jostle.service.problems import Busy, NotFound, OverQuota, Problem
from jostle.service.reading import check_media, parse, parse_query, read_body
from jostle.service.replies import problem_reply, send_reply
from jostle.service.roles import EVERY_APP
from jostle.service.routing import Router
from jostle.service.turns import Turns

UNKNOWN = "unknown"
"""The operation of requests that lead nowhere, in metrics."""
_BEARER = b"bearer "


class Api:
    """Answers the operations of the interface.

    Arguments:
        context: the running service.
        operations: those of ``api.py``, unless others are given.
    """

    def __init__(self, context: Context, operations: Sequence[Operation] = OPERATIONS):
        self.context = context
        self.operations = [*operations, document_operation(operations)]
        self._router = Router(self.operations)
        self._turns = Turns()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        started = time.perf_counter()
        context = self.context
        operation: Operation | None = None
        parameters: list[str] = []
        context.in_flight += 1
        try:
            operation, parameters = self._find(scope)
            if context.in_flight > context.settings.in_flight and not operation.open_to_all:
                raise Busy("too many requests are under way")
            if self._turns.waited() > context.settings.patience and not operation.open_to_all:
                raise Busy("too many requests wait for their turn")
            reply = await self._answer(operation, parameters, scope, receive)
        except Problem as problem:
            reply = problem_reply(problem)
        except ClientDisconnect:
            return
        except RecursionError:
            reply = problem_reply(Malformed("the request is nested too deeply"))
        except Exception:
            logger.exception("internal_error", operation=operation.name if operation else UNKNOWN)
            reply = problem_reply(Broken("an error of the service; its log has the details"))
        finally:
            context.in_flight -= 1
        await send_reply(reply, scope, receive, send)
        self._measure(operation, parameters, reply.status, time.perf_counter() - started)

    def _find(self, scope: Scope) -> tuple[Operation, list[str]]:
        """The operation of a request, and the parameters of its path."""
        found = self._router.find(scope["raw_path"])
        if found is None:
            raise NotFound("there is nothing at this path")
        method = scope["method"]
        operation = found.methods.get("GET" if method == "HEAD" else method)
        if operation is None:
            raise WrongMethod(f"{method} is not possible here", found.methods)
        return operation, found.parameters

    def _measure(
        self, operation: Operation | None, parameters: list[str], status: int, seconds: float
    ) -> None:
        name, app = UNKNOWN, ""
        if operation is not None:
            name = operation.name
            # An app that does not exist is no label: anybody could make up any number of them.
            if operation.in_app and (status < 300 or parameters[0] in self.context.service.apps()):
                app = parameters[0]
        self.context.metrics.observe(name, app, status, seconds)

    async def _answer(
        self, operation: Operation, parameters: list[str], scope: Scope, receive: Receive
    ) -> Reply:
        headers = dict(scope["headers"])
        access = self._access(operation, parameters, headers)
        content = None
        if operation.body is not None:
            content = await self._content(operation, headers, receive)
        query = scope["query_string"]
        return await self.perform(operation, access, parameters, headers, query, content)

    async def perform(
        self,
        operation: Operation,
        access: Access,
        parameters: list[str],
        headers: dict[bytes, bytes],
        query: bytes,
        content: bytes | None,
    ) -> Reply:
        """What a request asks for, whose key allows it; raises ``Problem``.

        Arguments:
            operation: which.
            access: of the key.
            parameters: of the path.
            headers: by their names in small letters.
            query: as in a URL.
            content: the body; None if there is none.
        """
        body: object = content
        if content is not None and operation.decode is not None:
            body = parse(operation.decode, content)
        wanted = None if operation.query is None else parse_query(operation.query, query)
        if operation.quota is not None:
            self._count(operation.quota, parameters[0], body)
        call = Call(self.context, access, parameters, headers, wanted, body)
        reply = await operation.handler(call)
        if operation.tag != "decisions" and operation.method != "GET":
            logger.info(operation.name, key=access.key, parameters=parameters, status=reply.status)
        return reply

    def _access(
        self,
        operation: Operation,
        parameters: list[str],
        headers: dict[bytes, bytes],
    ) -> Access:
        """What the request's key allows, if that is enough."""
        if self.context.keys is None:
            check_origin(headers)
            return FULL_ACCESS
        if operation.open_to_all:
            return FULL_ACCESS
        given = headers.get(b"authorization", b"")
        if given[:7].lower() != _BEARER:
            raise Unauthorised("send the header Authorization: Bearer KEY")
        access = self.context.keys.find(given[7:].strip().decode("latin-1"))
        if access is None:
            raise Unauthorised("the key is not known: it was revoked, or is of another server")
        app = parameters[0] if operation.in_app else EVERY_APP
        if operation.roles and not access.allows(app, operation.roles):
            needed = " or ".join(sorted(operation.roles))
            raise Forbidden(f"this needs a key with the role {needed} on {app!r:.80}")
        return access

    async def _content(
        self, operation: Operation, headers: dict[bytes, bytes], receive: Receive
    ) -> bytes | None:
        """The body; None if there is none and none is needed."""
        settings = self.context.settings
        largest: int = getattr(settings, f"largest_{operation.size}")
        optional = operation.optional_body and b"content-type" not in headers
        if not optional:
            check_media(headers, JSON if operation.decode else BINARY)
        content = await read_body(headers, receive, largest, settings.body_seconds)
        if optional and content:
            check_media(headers, JSON)
        return None if optional else content

    def _count(self, kind: str, app: str, body: object) -> None:
        """Count the requests of a body towards the app's quota, or refuse them."""
        config, _ = self.context.service.config(app)
        rate = getattr(config.quotas, f"{kind}_per_second")
        if rate is None:
            return
        count = len(getattr(body, kind, ())) or 1
        seconds = self.context.quotas.take((app, kind), rate, count)
        if seconds:
            detail = f"app {app!r} may have {rate:g} {kind} per second; wait {seconds:.3g} seconds"
            raise OverQuota(detail, retry_after=seconds)
