"""A data folder per test, a toy data set, and a web server that can misbehave."""

import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from jostle.datasets import catalog
from jostle.datasets.catalog.entry import File, TableSet

from dataset_support import CONTENT, Site, sha


@pytest.fixture(autouse=True)
def folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("JOSTLE_DATA", str(tmp_path / "data"))
    monkeypatch.setenv("JOSTLE_CACHE", str(tmp_path / "cache"))
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    return tmp_path


@pytest.fixture
def toy(monkeypatch: pytest.MonkeyPatch) -> TableSet:
    """A data set of one required file, one optional one, and one not in the archive."""
    entry = TableSet(
        name="toy",
        title="Toy",
        citation="nobody",
        licence="none",
        page="http://example.org/toy",
        url="http://example.org/static/toy+set.zip",
        folder="toy-folder",
        files=(
            File("toy.data", 2, sha(CONTENT)),
            File("notes.txt", 1, sha(b"hello\n"), role="optional"),
            File("extra.tsv", 1, sha(CONTENT), role="optional", origin="github somebody/else"),
        ),
        rows=2,
        features=2,
        classes=2,
    )
    monkeypatch.setattr(catalog, "CATALOG", {"toy": entry, **catalog.CATALOG})
    return entry


@pytest.fixture
def site() -> Iterator[Site]:
    site = Site()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            site.on_request()
            site.ranges.append(self.headers.get("Range"))
            if site.failures:
                return self.send_error(site.failures.pop(0))
            content = site.files.get(self.path)
            if content is None:
                return self.send_error(404)
            start = 0
            if self.headers.get("Range") and self.headers.get("If-Range") == site.tag:
                start = int(self.headers["Range"].removeprefix("bytes=").removesuffix("-"))
            body = content[start:]
            self.send_response(206 if start else 200)
            self.send_header("Content-Length", str(len(body)))
            if start:
                end = len(content) - 1
                self.send_header("Content-Range", f"bytes {start}-{end}/{len(content)}")
            if site.tag:
                self.send_header("ETag", site.tag)
            self.end_headers()
            self.wfile.write(body[: site.cuts.pop(0)] if site.cuts else body)
            self.close_connection = True
            return None

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = False  # so that closing waits for them
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    site.base = f"http://127.0.0.1:{server.server_address[1]}"
    yield site
    server.shutdown()
    server.server_close()
    thread.join()
