"""The bare minimum beside which the service is measured: uvicorn, and one synced row per request.

    python bare_server.py FOLDER alone|grouped

"alone" commits in the handler; "grouped" commits rows that came meanwhile together, in a thread, as
the service does.
"""

import asyncio
import queue
import socket
import sys
import threading
from pathlib import Path

import apsw
import uvicorn
import uvloop


class Rows:
    """A table to which rows are appended; synced at every commit."""

    def __init__(self, folder):
        self._database = apsw.Connection(str(folder / "rows.sqlite"))
        self._database.execute("PRAGMA journal_mode = wal; PRAGMA synchronous = full")
        self._database.execute("CREATE TABLE IF NOT EXISTS rows (body BLOB)")

    def append(self, bodies):
        self._database.execute("BEGIN IMMEDIATE")
        self._database.executemany("INSERT INTO rows VALUES (?)", [(body,) for body in bodies])
        self._database.execute("COMMIT")


class Groups:
    """Appends rows in groups."""

    def __init__(self, rows):
        self._rows, self._queue = rows, queue.SimpleQueue()
        threading.Thread(target=self._work, daemon=True).start()

    async def append(self, body):
        future = asyncio.get_running_loop().create_future()
        self._queue.put((body, future))
        await future

    def _work(self):
        while True:
            group = [self._queue.get()]
            while not self._queue.empty():
                group.append(self._queue.get())
            self._rows.append([body for body, _ in group])
            loop = group[0][1].get_loop()
            loop.call_soon_threadsafe(_resolve, [future for _, future in group])


def _resolve(futures):
    for future in futures:
        if not future.done():
            future.set_result(None)


def application(rows, grouped):
    """Store the body of each request, then answer."""
    groups = Groups(rows) if grouped else None

    async def app(scope, receive, send):
        body, more = b"", True
        while more:
            message = await receive()
            body, more = body + message.get("body", b""), message.get("more_body", False)
        if groups is None:
            rows.append([body])
        else:
            await groups.append(body)
        headers = [(b"content-length", b"2")]
        await send({"type": "http.response.start", "status": 201, "headers": headers})
        await send({"type": "http.response.body", "body": b"ok"})

    return app


def main(folder, way):
    listening = socket.socket()
    listening.bind(("127.0.0.1", 0))
    app = application(Rows(folder), way == "grouped")
    config = uvicorn.Config(app, http="httptools", lifespan="off", log_config=None)
    print(f"http://127.0.0.1:{listening.getsockname()[1]}", flush=True)
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        runner.run(uvicorn.Server(config).serve([listening]))


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2])
