"""``jostle serve`` in a process of its own."""

import contextlib
import os
import re
import signal
import subprocess
import sys
from pathlib import Path

SECONDS = 120.0


class ServedProcess:
    """A server in a folder, with the data in ``jostle-data`` there; ``stop`` or ``kill`` it.

    Arguments:
        folder: where it works.
        flags: of ``jostle serve``.
        launcher: what Python is told to run as the ``jostle`` command.
        ready: whether to wait until it answers.
        variables: of its environment.
    """

    def __init__(self, folder, *flags, launcher=("-m", "jostle"), ready=True, **variables):
        self.folder = folder
        self.environment = {**os.environ, **variables}
        self.process = subprocess.Popen(
            [sys.executable, *launcher, "serve", "--port", "0", *flags],
            cwd=folder,
            env=self.environment,
            stdout=subprocess.PIPE,
            text=True,
        )
        if ready:
            self.wait_until_ready()

    def wait_until_ready(self):
        """Read what it says when it answers."""
        said = ""
        while "curl" not in said:
            line = self.process.stdout.readline()
            assert line, f"the server ended: {said}"
            said += line
        self.address = re.search(r"http://[\w.]+:\d+", said)[0]
        self.key = (re.search(r"jostle_\w+_[\w-]+", said) or [None])[0]

    def learners(self):
        """The ids of the processes that it has started (Linux only)."""
        found = []
        # Each thread has children of its own, and the learner is started by one of them.
        for path in Path(f"/proc/{self.process.pid}/task").glob("*/children"):
            with contextlib.suppress(OSError):
                found += map(int, path.read_text().split())
        return found

    def kill(self):
        """Kill it without warning; its learner ends by itself."""
        self.process.kill()
        self.process.wait()
        self.process.stdout.close()

    def stop(self):
        """Stop it as a user would; it must end well."""
        self.process.send_signal(signal.SIGTERM)
        code = self.process.wait(SECONDS)
        self.process.stdout.close()
        assert code == 0
