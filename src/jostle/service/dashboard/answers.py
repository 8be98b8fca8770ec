"""Answers of the dashboard: pages with strict headers, redirections, static files."""

import hashlib
from typing import Any

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from jostle.service.dashboard import templating
from jostle.service.dashboard.sessions import Visitor

HEADERS = {
    # Everything comes from this server, nothing is inline, and nobody may frame it.
    "Content-Security-Policy": "default-src 'none'; style-src 'self'; script-src 'self'; "
    "connect-src 'self'; img-src data:; form-action 'self'; base-uri 'none'; "
    "frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    # "no-referrer" would make browsers hide the origin of forms, which is checked.
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}


def base_of(request: Request) -> str:
    """The path at which the dashboard is mounted."""
    return str(request.scope.get("root_path", "")).rstrip("/")


def page(
    request: Request, template: str, visitor: Visitor | None, status: int = 200, **context: Any
) -> Response:
    """A page that nobody keeps a copy of."""
    base = base_of(request)
    content = templating.render(template, base=base, visitor=visitor, status=status, **context)
    return Response(
        content,
        status,
        {**HEADERS, "Cache-Control": "no-store"},
        "text/html; charset=utf-8",
    )


def redirect(request: Request, path: str) -> Response:
    """See another page of the dashboard."""
    return RedirectResponse(base_of(request) + path, 303, {**HEADERS, "Cache-Control": "no-store"})


def static_file(request: Request) -> Response:
    """A style sheet or script, which browsers keep until it changes."""
    name = request.path_params["name"]
    if name not in templating.MEDIA:
        return Response("Not found", 404, HEADERS, "text/plain")
    content = templating.static(name)
    tag = f'"{hashlib.sha256(content).hexdigest()[:16]}"'
    headers = {**HEADERS, "ETag": tag, "Cache-Control": "no-cache"}
    if request.headers.get("if-none-match") == tag:
        return Response(None, 304, headers)
    return Response(content, 200, headers, templating.MEDIA[name])
