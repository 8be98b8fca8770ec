"""``LearnerProcess``: starts the learner, listens to it, and starts it again if it dies."""

import contextlib
import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from jostle.service.messages import LearnerState
from jostle.service.service_settings import ServiceSettings

FIRST_PAUSE, LONGEST_PAUSE = 0.2, 30.0
"""Seconds before a dead learner is started again: doubled each time, while it dies young."""
GROWN_UP = 60.0
"""Seconds after which a learner that dies is started again at once."""
STOP_TIMEOUT = 60.0
ONE_THREAD = {"NPROC": "1"}
"""The size of XLA's pool of threads. An observation has hardly anything to do at the same time: a
second thread waits for the first without rest, and doubles the processor time of learning."""


class LearnerProcess:
    """A child process that learns.

    Arguments:
        data: the folder of the service.
        settings: how often to publish and to snapshot.
        listener: called, in a thread of its own, with everything that the learner announces.
    """

    def __init__(
        self, data: Path, settings: ServiceSettings, listener: Callable[[dict[str, Any]], None]
    ):
        self._data, self._settings, self._listener = data, settings, listener
        self.restarts = 0
        self.state: LearnerState = "starting"
        self._closing = threading.Event()
        self._process: subprocess.Popen[bytes] | None = None
        self._thread = threading.Thread(target=self._supervise, name="jostle-learner", daemon=True)
        self._thread.start()

    @property
    def pid(self) -> int | None:
        """The id of the process that learns now."""
        process = self._process
        return None if process is None or process.poll() is not None else process.pid

    def close(self) -> None:
        """Let it learn what is left and keep a snapshot, then stop it."""
        self._closing.set()
        process = self._process
        if process is not None and process.stdin is not None:
            try:
                process.stdin.write(b"stop\n")
                process.stdin.close()
            except OSError:
                pass  # it is dead already
        self._thread.join(STOP_TIMEOUT)
        if process is not None and process.poll() is None:
            process.kill()
            process.wait()

    def _supervise(self) -> None:
        pause = FIRST_PAUSE
        while not self._closing.is_set():
            started = time.monotonic()
            self._run()
            if self._closing.is_set():
                break
            self.state = "restarting"
            self.restarts += 1
            pause = FIRST_PAUSE if time.monotonic() - started > GROWN_UP else pause
            self._closing.wait(pause)
            pause = min(2 * pause, LONGEST_PAUSE)
        self.state = "off"

    def _run(self) -> None:
        settings = self._settings
        command = [sys.executable, "-m", "jostle.service.learner", str(self._data)]
        command += [str(settings.publish), str(settings.snapshot)]
        process = self._process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env={**ONE_THREAD, **os.environ},
            start_new_session=True,  # Ctrl-C is for the server, which then tells it to stop
        )
        assert process.stdout is not None
        assert process.stdin is not None
        if self._closing.is_set():
            process.stdin.close()
        with process.stdout:
            for line in process.stdout:
                self.state = "running"
                self._listener(json.loads(line))
        with contextlib.suppress(OSError):  # there may be something in it that nobody will read
            process.stdin.close()
        process.wait()
