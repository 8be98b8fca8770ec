"""The pages of the dashboard, as routes to mount at ``/dashboard``.

Whoever has a key with the role ``read`` sees an app; ``admin`` also rolls back and pins. A visitor
without a session is led to the sign-in; an app that they may not see is not found.
"""

import functools
import time
from collections.abc import Awaitable, Callable
from typing import Any
from urllib.parse import quote, urlencode

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Mount, Route

from jostle.service.auth import Keys
from jostle.service.context import Context
from jostle.service.dashboard import page_data
from jostle.service.dashboard.answers import base_of, page, redirect, static_file
from jostle.service.dashboard.forms import check_local, check_origin, form
from jostle.service.dashboard.sessions import LIFETIME, Sessions, Visitor
from jostle.service.diagnostics import logger
from jostle.service.http_problems import Broken, Forbidden
from jostle.service.messages import ModelInfo
from jostle.service.problems import NotFound, Problem
from jostle.service.service import Service

COOKIE = "jostle_session"
NOTICES = {
    "rolled-back": "Rolled back. Decisions are made with that version from now on.",
    "pinned": "Pinned. Decisions are made with that version until you unpin it.",
    "unpinned": "Unpinned. Decisions are made with the latest model again.",
}

Endpoint = Callable[[Request], Awaitable[Response]]
VisitorEndpoint = Callable[[Request, Visitor], Awaitable[Response]]


def routes(service: Service, keys: Keys | None) -> list[BaseRoute]:
    """The routes of the dashboard, relative to where it is mounted.

    Arguments:
        service: whose apps are shown.
        keys: that visitors sign in with; None if the service asks for none.
    """
    pages = Pages(service, Sessions(keys))
    app, model = "/apps/{app}", "/apps/{app}/models/{version:int}"
    return [
        Route("/", pages.guarded(pages.all_apps), methods=["GET"]),
        Route("/sign-in", pages.open(pages.sign_in), methods=["GET", "POST"]),
        Route("/sign-out", pages.guarded(pages.sign_out), methods=["POST"]),
        Route("/static/{name}", static_file, methods=["GET"]),
        Route(app, pages.guarded(pages.app), methods=["GET"]),
        Route(f"{app}/decisions", pages.guarded(pages.decision), methods=["GET"]),
        Route(f"{app}/unpin", pages.guarded(pages.unpin), methods=["GET", "POST"]),
        Route(f"{model}/pin", pages.guarded(pages.pin), methods=["GET", "POST"]),
        Route(f"{model}/roll-back", pages.guarded(pages.roll_back), methods=["GET", "POST"]),
        Route("/{path:path}", pages.guarded(pages.nothing)),
    ]


def pages(context: Context) -> list[BaseRoute]:
    """The dashboard of a running server at its usual place, and the way to it from the root."""
    return [
        Mount("/dashboard", routes=routes(context.service, context.keys)),
        Route("/", _to_dashboard, methods=["GET"]),
    ]


async def _to_dashboard(request: Request) -> Response:
    return redirect(request, "/dashboard/")


class Pages:
    """The endpoints."""

    def __init__(self, service: Service, sessions: Sessions):
        self._service, self._sessions = service, sessions

    def open(self, endpoint: Endpoint) -> Endpoint:
        """An endpoint for everybody, whose problems are shown as pages."""

        @functools.wraps(endpoint)
        async def answer(request: Request) -> Response:
            try:
                if not self._sessions.needs_key:
                    check_local(request)
                if request.method == "POST":
                    check_origin(request)
                return await endpoint(request)
            except Problem as problem:
                refused = problem
            except Exception:
                logger.exception("dashboard_error", path=request.url.path)
                refused = Broken("an error of the dashboard; the log of the server has the details")
            return await self._page(
                request,
                "error.html",
                None,
                refused.status,
                title=refused.title,
                detail=refused.detail,
            )

        return answer

    def guarded(self, endpoint: VisitorEndpoint) -> Endpoint:
        """An endpoint for those who have signed in."""

        async def checked(request: Request) -> Response:
            visitor = self._sessions.visitor(request.cookies.get(COOKIE))
            if visitor is not None:
                return await endpoint(request, visitor)
            if not self._sessions.needs_key:
                return await self._begin_without_key(request, endpoint)
            here = self._here(request) if request.method == "GET" else "/"
            return redirect(request, f"/sign-in?{urlencode({'next': here})}")

        return self.open(checked)

    async def sign_in(self, request: Request) -> Response:
        """Ask for a key, and begin a session with it."""
        if request.method == "GET":
            following = _inside(request.query_params.get("next", "/"))
            if self._sessions.visitor(request.cookies.get(COOKIE)) is not None:
                return redirect(request, following)
            return await self._ask_for_key(request, following)
        fields = await form(request)
        following = _inside(fields.get("next", "/"))
        token = self._sessions.sign_in(fields.get("key", "").strip())
        if token is None:
            return await self._ask_for_key(request, following, "There is no such key.", 403)
        return _with_cookie(request, redirect(request, following), token)

    async def sign_out(self, request: Request, visitor: Visitor) -> Response:
        """End the session."""
        await self._check_form(request, visitor)
        self._sessions.sign_out(request.cookies[COOKIE])
        answer = redirect(request, "/sign-in")
        answer.delete_cookie(COOKIE, path=base_of(request) or "/")
        return answer

    async def all_apps(self, request: Request, visitor: Visitor) -> Response:
        """The list of apps, or the only one."""
        apps = self._apps(visitor)
        if len(apps) == 1:
            return redirect(request, f"/apps/{quote(apps[0], safe='')}")
        day = time.time() - 86400
        cards = [page_data.card(app, self._service.statistics(app, day, 24)) for app in apps]
        health = self._service.health()
        return await self._page(
            request, "apps.html", visitor, title="Apps", cards=cards, health=health
        )

    async def app(self, request: Request, visitor: Visitor) -> Response:
        """Everything about one app."""
        app = self._readable(request, visitor)
        span = page_data.span_called(request.query_params.get("span"))
        since = time.time() - span.seconds
        statistics = self._service.statistics(app, since, page_data.BUCKETS)
        models, health = self._service.models(app), self._service.health()
        config, _ = self._service.config(app)
        # Drawing takes milliseconds, in which the loop has decisions to answer.
        data = await run_in_threadpool(page_data.app_page, statistics, models, health, config)
        return await self._page(
            request,
            "app.html",
            visitor,
            title=app,
            app=app,
            apps=self._apps(visitor),
            span=span,
            origin=f"{request.url.scheme}://{request.url.netloc}",
            notice=NOTICES.get(request.query_params.get("done", "")),
            **data,
        )

    async def decision(self, request: Request, visitor: Visitor) -> Response:
        """Everything about one decision."""
        app = self._readable(request, visitor)
        event = request.query_params.get("event", "").strip()
        parts = page_data.decision_parts(self._service.decision(app, event))
        return await self._page(
            request, "decision.html", visitor, title=event, app=app, event=event, parts=parts
        )

    async def roll_back(self, request: Request, visitor: Visitor) -> Response:
        """Ask whether to roll back, and do it."""
        app, model = self._model(request, visitor)
        if request.method == "GET":
            return await self._confirm(request, visitor, app, page_data.roll_back_page(app, model))
        await self._check_form(request, visitor)
        await self._service.roll_back(app, model.version)
        return self._done(request, visitor, app, "rolled-back")

    async def pin(self, request: Request, visitor: Visitor) -> Response:
        """Ask whether to pin a version, and do it."""
        app, model = self._model(request, visitor)
        if request.method == "GET":
            return await self._confirm(request, visitor, app, page_data.pin_page(app, model))
        await self._check_form(request, visitor)
        await self._service.pin(app, model.version)
        return self._done(request, visitor, app, "pinned")

    async def unpin(self, request: Request, visitor: Visitor) -> Response:
        """Ask whether to unpin, and do it."""
        app = self._administered(request, visitor)
        if request.method == "GET":
            return await self._confirm(request, visitor, app, page_data.unpin_page(app))
        await self._check_form(request, visitor)
        await self._service.pin(app, None)
        return self._done(request, visitor, app, "unpinned")

    async def nothing(self, request: Request, visitor: Visitor) -> Response:
        """Any other path."""
        raise NotFound("there is no such page")

    def _apps(self, visitor: Visitor) -> list[str]:
        return [app for app in self._service.apps() if visitor.reads(app)]

    def _readable(self, request: Request, visitor: Visitor) -> str:
        app = str(request.path_params["app"])
        if app not in self._apps(visitor):
            raise NotFound(f"there is no app {app!r:.80} that your key may see")
        return app

    def _administered(self, request: Request, visitor: Visitor) -> str:
        app = self._readable(request, visitor)
        if not visitor.administers(app):
            raise Forbidden(f"this needs a key with the role admin for {app}; yours may only look")
        return app

    def _model(self, request: Request, visitor: Visitor) -> tuple[str, ModelInfo]:
        app, version = self._administered(request, visitor), request.path_params["version"]
        for model in self._service.models(app):
            if model.version == version:
                return app, model
        raise NotFound(f"{app} has no version {version} of its model")

    async def _check_form(self, request: Request, visitor: Visitor) -> None:
        if not visitor.sent_by_them((await form(request)).get("csrf", "")):
            raise Forbidden("the form is older than your session; go back, reload and try again")

    async def _page(
        self,
        request: Request,
        template: str,
        visitor: Visitor | None,
        status: int = 200,
        **context: Any,
    ) -> Response:
        return await run_in_threadpool(
            page,
            request,
            template,
            visitor,
            status,
            signs_out=self._sessions.needs_key,
            **context,
        )

    async def _ask_for_key(
        self, request: Request, following: str, problem: str = "", status: int = 200
    ) -> Response:
        return await self._page(
            request,
            "sign_in.html",
            None,
            status,
            title="Sign in",
            next=following,
            problem=problem,
        )

    async def _confirm(
        self, request: Request, visitor: Visitor, app: str, data: dict[str, Any]
    ) -> Response:
        return await self._page(request, "confirm.html", visitor, app=app, **data)

    def _done(self, request: Request, visitor: Visitor, app: str, what: str) -> Response:
        logger.info("dashboard", key=visitor.access.key, app=app, done=what)
        return redirect(request, f"/apps/{quote(app, safe='')}?done={what}")

    async def _begin_without_key(self, request: Request, endpoint: VisitorEndpoint) -> Response:
        """Answer, and begin a session on the way: forms need its token.

        There is no redirection: a visitor who followed a link of another site would not send the
        cookie with it, and so would be sent round in a circle.
        """
        token = self._sessions.sign_in("")
        visitor = self._sessions.visitor(token)
        assert token is not None
        assert visitor is not None
        return _with_cookie(request, await endpoint(request, visitor), token)

    def _here(self, request: Request) -> str:
        """The page that was asked for, relative to the dashboard."""
        path = request.url.path.removeprefix(base_of(request)) or "/"
        return f"{path}?{request.url.query}" if request.url.query else path


def _inside(path: str) -> str:
    """A path of the dashboard itself; "//host" would be another site."""
    return path if path.startswith("/") and not path.startswith(("//", "/\\")) else "/"


def _with_cookie(request: Request, answer: Response, token: str) -> Response:
    answer.set_cookie(
        COOKIE,
        token,
        max_age=int(LIFETIME),
        path=base_of(request) or "/",
        secure="https" in (request.url.scheme, request.headers.get("x-forwarded-proto")),
        httponly=True,
        samesite="strict",
    )
    return answer
