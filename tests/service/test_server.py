"""The server as a whole: real connections, pages beside the interface, lines of JSON."""

import io
import json
import logging
import socket

import httpx
import pytest
from starlette.responses import PlainTextResponse
from starlette.routing import Route

from jostle.service.diagnostics import logger, write_json_lines
from jostle.service.server import Server

from http_support import DECISION, Site, served


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    site = Site(tmp_path_factory.mktemp("site"), stop_seconds=1.0, largest_request=10_000)
    with served(site) as site.url:
        yield site
    site.close()


def speak(site, *parts):
    """Send bytes over one connection, and read until the server has answered and is silent."""
    with socket.create_connection(site.url.removeprefix("http://").split(":"), timeout=5) as line:
        for part in parts:
            line.sendall(part)
        answer = b""
        line.settimeout(0.5)
        try:
            while part := line.recv(100_000):
                answer += part
        except TimeoutError:
            pass
    return answer


def head(site, length, path="/v1/apps/shop/decisions"):
    return (
        f"POST {path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {site.admin}\r\n"
        f"Content-Type: application/json\r\n{length}\r\n\r\n"
    ).encode()


def test_two_decisions_over_one_connection(site):
    body = json.dumps(DECISION).encode()
    request = head(site, f"Content-Length: {len(body)}") + body
    answer = speak(site, request, request)
    assert answer.count(b"HTTP/1.1 201 Created") == 2
    assert b"server:" not in answer.lower()


def test_a_chunked_body_is_read_and_limited(site):
    body = json.dumps(DECISION).encode()
    chunk = f"{len(body):x}\r\n".encode() + body + b"\r\n0\r\n\r\n"
    assert b"201 Created" in speak(site, head(site, "Transfer-Encoding: chunked"), chunk)
    large = b"fff\r\n" + b" " * 4095 + b"\r\n"
    answer = speak(site, head(site, "Transfer-Encoding: chunked"), large * 4)
    assert b"HTTP/1.1 413" in answer
    assert b"connection: close" in answer


def test_a_large_body_is_refused_before_it_comes(site):
    answer = speak(site, head(site, "Content-Length: 1000000000"))
    assert b"HTTP/1.1 413" in answer


def test_what_is_not_http_is_refused(site):
    assert b"400 Bad Request" in speak(site, b"\x16\x03\x01 nonsense\r\n\r\n")


def test_unknown_paths_are_problems_also_outside_of_the_interface(site):
    for path in ("/", "/favicon.ico", "/v1", "/healthzz", "/v1/nothing"):
        answer = httpx.get(f"{site.url}{path}")
        assert answer.status_code == 404
        assert answer.headers["content-type"] == "application/problem+json"
        assert answer.json()["status"] == 404


def test_pages_are_served_beside_the_interface(site):
    async def hello(request):
        return PlainTextResponse("hello")

    server = Server(site.context, [lambda context: [Route("/hello", hello)]])
    transport = httpx.ASGITransport(server)

    async def get(path):
        async with httpx.AsyncClient(transport=transport, base_url="http://x") as client:
            return await client.get(path)

    assert site.loop.run(get("/hello")).text == "hello"
    assert site.loop.run(get("/healthz")).text == "ok\n"


def test_logs_are_lines_of_json():
    stream = io.StringIO()
    names = ("jostle", "uvicorn")
    kept = [(logging.getLogger(name), vars(logging.getLogger(name)).copy()) for name in names]
    try:
        write_json_lines("info", stream)
        logger.info("started", data="here", path=1)
        logger.debug("not shown")
        logging.getLogger("uvicorn.error").info("Started %d", 7, extra={"color_message": "x"})
        try:
            raise ValueError("bad")
        except ValueError:
            logger.exception("internal_error")
    finally:
        for source, before in kept:
            source.handlers, source.propagate = before["handlers"], before["propagate"]
            source.setLevel(before["level"])
    lines = [json.loads(line) for line in stream.getvalue().splitlines()]
    assert [line["event"] for line in lines] == ["started", "Started 7", "internal_error"]
    assert lines[0]["level"] == "info"
    assert lines[0]["data"] == "here"
    assert set(lines[1]) == {"event", "level", "logger", "timestamp"}
    assert "ValueError: bad" in lines[2]["exception"]
