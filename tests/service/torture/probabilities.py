"""Probabilities: actions are chosen as often as the answers say, while the model learns."""

import json
import subprocess
import sys
from collections import defaultdict

import numpy as np
import uvloop

from jostle.service.messages import Config
from torture.findings import Outcome
from torture.shop import APP, BATCHES, served_shop
from torture.wire import Connection

CLAIM = (
    "each action's sum of (chosen - p) is within 5 deviations; every logged decision is "
    "reproduced from the log"
)
DIMENSIONS, FLOOR = 32, 0.05
BATCH = 50
ACTIONS = 6
MODELS = 5
"""That have to decide at least, one after the other."""
REWARDS = f"/v1/apps/{APP}/batches/rewards"
MOST = 5.0
"""Deviations, of which one is the square root of the sum of p (1 - p)."""


def run(folder, times, say, policy="npr", seed=0):
    """Take at least so many decisions; what was found."""
    config = Config(policy=policy, wait=1.0, dimensions=DIMENSIONS, floor=FLOOR)
    with served_shop(folder / "shop", config, JOSTLE_SERVE_CORE_PUBLISH="0.1") as server:
        taken, surplus, variance, models = uvloop.run(_decide(server, times, say, seed))
    deviations = {
        each: surplus[each] / max(1e-9, np.sqrt(variance[each])) for each in sorted(surplus)
    }
    worst = float(max(map(abs, deviations.values())))
    command = [sys.executable, "-m", "jostle", "replay", "jostle-data", "--verify"]
    verified = subprocess.run(command, cwd=folder / "shop", capture_output=True, text=True)
    said = verified.stdout.strip()
    say(said)
    errors = []
    if worst > MOST:
        errors.append(f"deviations {deviations}")
    if verified.returncode or f" {taken} decisions" not in said:
        errors.append(f"replay: {said} {verified.stderr[-500:]}")
    if len(models) < MODELS:
        errors.append("nothing was learned meanwhile")
    figures = {
        "decisions": taken,
        "models that decided": len(models),
        "largest deviation": worst,
        "decisions reproduced": taken if not verified.returncode else 0,
    }
    return Outcome("probabilities", CLAIM, not errors, figures, errors)


async def _decide(server, times, say, seed):
    """How many; the sums of (chosen - p) and p (1 - p) by action; the positions of models."""
    rng, key = np.random.default_rng(seed), server.key
    connection = await Connection.open(server.address)
    surplus, variance, models = defaultdict(float), defaultdict(float), set()
    taste = rng.normal(size=(3, ACTIONS))
    taken = 0
    # It takes a while until the learner has compiled what it needs, and decisions go on meanwhile.
    while taken < times or (len(models) < MODELS and taken < 20 * times):
        users = rng.integers(3, size=BATCH)
        bodies = [_decision(user, rng) for user in users]
        answers = await _ask(connection, BATCHES, {"decisions": bodies}, key)
        rewards = []
        for user, answer in zip(users, answers["decisions"], strict=True):
            made = answer["decision"]
            models.add(made["model"]["position"])
            for each in made["ranking"]:
                p = each["probability"]
                surplus[each["id"]] += (each["id"] == made["action"]) - p
                variance[each["id"]] += p * (1 - p)
            value = float(taste[user, int(made["action"][1:])] + rng.normal())
            rewards.append({"event_id": made["event_id"], "value": value, "final": True})
        await _ask(connection, REWARDS, {"rewards": rewards}, key)
        taken += BATCH
        if taken // BATCH % 100 == 0:
            say(f"{taken} of {times} decisions by {len(models)} models")
    connection.close()
    return taken, surplus, variance, models


def _decision(user, rng):
    """A decision on some of the actions."""
    shown = rng.permutation(ACTIONS)[: rng.integers(2, ACTIONS + 1)]
    return {
        "context": {"kind": f"u{user}", "age": round(float(rng.normal()), 3)},
        "actions": [{"id": f"a{each}", "features": {"price": int(each)}} for each in shown],
    }


async def _ask(connection, path, body, key):
    reply = await connection.ask("POST", path, json.dumps(body).encode(), key)
    assert reply.status == 200, reply
    return json.loads(reply.body)
