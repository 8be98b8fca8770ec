"""``jostle serve`` in a process of its own."""

import os
import re
import signal
import subprocess
import sys

SECONDS = 120.0


class ServedProcess:
    """A server in a folder, with the data in ``jostle-data`` there; ``stop`` must be called."""

    def __init__(self, folder, *flags, **variables):
        self.folder = folder
        self.environment = {**os.environ, **variables}
        self.process = subprocess.Popen(
            [sys.executable, "-m", "jostle", "serve", "--port", "0", *flags],
            cwd=folder,
            env=self.environment,
            stdout=subprocess.PIPE,
            text=True,
        )
        said = ""
        while "curl" not in said:
            line = self.process.stdout.readline()
            assert line, f"the server ended: {said}"
            said += line
        self.address = re.search(r"http://[\w.]+:\d+", said)[0]
        self.key = (re.search(r"jostle_\w+_[\w-]+", said) or [None])[0]

    def stop(self):
        """Stop it as a user would; it must end well."""
        self.process.send_signal(signal.SIGTERM)
        code = self.process.wait(SECONDS)
        self.process.stdout.close()
        assert code == 0
