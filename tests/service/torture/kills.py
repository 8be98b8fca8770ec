"""``kill -9`` at random moments under load: the server, its learner, or both."""

import contextlib
import os
import random
import signal
import time

from torture.clients import Clients
from torture.evidence import Evidence, finish, prepare, replayed
from torture.findings import Outcome

from served_process import ServedProcess

CLAIM = "nothing acknowledged is lost, nothing is learned twice, replay gives the same hash"
VARIABLES = {
    "JOSTLE_SERVE_CORE_SNAPSHOT": "0.3",
    "JOSTLE_SERVE_CORE_PUBLISH": "0.1",
    "JOSTLE_SERVE_CORE_CLOSE_INTERVAL": "0.02",
}
"""Much happens between two kills."""
LONGEST = 1.5
"""Seconds under load before a kill."""
STARTING, LEARNER_ALONE, BOTH = 0.1, 0.2, 0.6
"""Shares: killed while starting; the learner first, the server after it; both at once."""


def run(folder, times, say, seed=0):
    """Kill so many times; what was found."""
    rng, clients = random.Random(seed), Clients()
    data = prepare(folder)
    evidence, errors = Evidence(data), []
    kinds = dict.fromkeys(("starting", "learner", "both", "server"), 0)
    for number in range(times):
        errors += _life(folder, rng, clients, evidence, kinds)
        say(f"{number + 1} of {times} kills, {len(clients.decided)} decisions acknowledged")
    server = ServedProcess(folder, "--no-keys", **VARIABLES)
    finish(server)
    errors += evidence.read() + evidence.lost(clients) + clients.errors
    found, different = replayed(data, evidence)
    errors += different
    figures = {
        "kills": times,
        "of these, " + ", ".join(kinds): " / ".join(map(str, kinds.values())),
        "acknowledged decisions": len(clients.decided),
        "acknowledged rewards": len(clients.rewarded),
        "decisions made again by replay": found.decisions,
        "versions compared": found.versions,
    }
    return Outcome("kill -9", CLAIM, not errors, figures, errors)


def _life(folder, rng, clients, evidence, kinds):
    """Start a server, check what the one before has left, load it and kill it."""
    server = ServedProcess(folder, "--no-keys", ready=False, **VARIABLES)
    if rng.random() < STARTING:
        time.sleep(rng.random() * 2)
        kinds["starting"] += 1
        server.kill()
        return []
    server.wait_until_ready()
    errors = evidence.read() + evidence.lost(clients)
    way = rng.random()

    def kill():
        learners = server.learners()
        if way < LEARNER_ALONE:
            _kill(learners)
            kinds["learner"] += 1
            time.sleep(rng.random())
        server.kill()
        if LEARNER_ALONE <= way < LEARNER_ALONE + BOTH:
            _kill(learners)
            kinds["both"] += 1
        elif way >= LEARNER_ALONE:
            kinds["server"] += 1

    clients.run(server, rng.random() * LONGEST, kill)
    return errors


def _kill(processes):
    for each in processes:
        with contextlib.suppress(ProcessLookupError):
            os.kill(each, signal.SIGKILL)
