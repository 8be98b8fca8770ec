"""Regret over HTTP, with delayed, repeated and late rewards, beside a ``Decider`` in process."""

import asyncio
import heapq
import json
import time
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import uvloop

from jostle.agent import Agent
from jostle.core.contexts import Blocks
from jostle.decisions.decider import Decider
from jostle.factory import make_environment
from jostle.service.auth import KEY_FILE, Keys
from jostle.service.configuration import deciding_policy, make_encoder
from jostle.service.messages import Config
from jostle.service.service import Service
from jostle.service.service_settings import ServiceSettings
from torture.evidence import DATA
from torture.findings import Outcome
from torture.wire import Connection, fetch

from served_process import ServedProcess

CLAIM = "at most 5 % more regret than in process on clicks, mushroom and drift"
PROBLEMS = ("clicks", "mushroom", "drift")
MOST = 1.05
DUPLICATES, LATE = 0.2, 0.1
WAIT = 50
"""Rounds for which a decision is open. Rewards come within half of that; late ones after 1.5."""


class Plan(NamedTuple):
    """Everything about a stream but the choices: the same over HTTP and in process."""

    contexts: np.ndarray
    rewards: np.ndarray
    """(rounds, arms): what each arm would bring."""
    regrets: np.ndarray
    delays: np.ndarray
    """In rounds."""
    repeated: np.ndarray

    @classmethod
    def draw(cls, problem, rounds, seed):
        """The first rounds of a stream."""
        environment = make_environment(problem)
        first, noise = jax.random.split(jax.random.key(seed))
        state = environment.init(first)
        arms = jnp.arange(environment.arms or environment.blocks)

        def one(t):
            observe, reward = jax.random.split(jax.random.fold_in(noise, t))
            shown = environment.observe(state, observe, t)
            outcome = jax.vmap(lambda arm: environment.reward(state, reward, t, shown, arm))(arms)
            assert isinstance(shown.contexts, Blocks)
            return shown.contexts.x[0], outcome.reward, outcome.regret

        x, rewards, regrets = map(np.asarray, jax.lax.map(one, jnp.arange(rounds)))
        rng = np.random.default_rng(seed)
        delays = rng.uniform(0, WAIT / 2, rounds)
        delays[rng.random(rounds) < LATE] = 1.5 * WAIT
        return cls(x, rewards, regrets, delays, rng.random(rounds) < DUPLICATES)

    def context(self, t):
        """What is shown in a round, as a record."""
        return {f"x{place}": value for place, value in enumerate(self.contexts[t].tolist())}

    def actions(self):
        """The ids of the arms."""
        return [f"a{each}" for each in range(self.rewards.shape[1])]

    def sends(self, t, arm):
        """(round, value) of the rewards of a choice."""
        due = [t + self.delays[t]] * (2 if self.repeated[t] else 1)
        return [(each, float(self.rewards[t, arm])) for each in due]


def run(folder, rounds, say, *, problems=PROBLEMS, seeds=4, rate=5.0, policy="npr", bar=MOST):
    """Play so many rounds of each problem and seed; what was found.

    Arguments:
        folder: where to work.
        rounds: of each stream.
        say: called with what is going on.
        problems: by name.
        seeds: streams of each problem.
        rate: rounds per second of each stream over HTTP.
        policy: of all.
        bar: the largest ratio, less two standard errors; None if there are too few rounds to tell.
    """
    config = Config(policy=policy, wait=WAIT / rate)
    plans = {(p, s): Plan.draw(p, rounds, s) for p in problems for s in range(seeds)}
    say(f"{len(plans)} streams over HTTP, {rounds / rate:.0f} s")
    served, counts = _over_http(folder, plans, config, rate)
    figures, errors = {"rounds": rounds, "seeds": seeds}, []
    say("the same in process")
    own = {key: _in_process(plan, config, rate) for key, plan in plans.items()}
    for problem in problems:
        pairs = np.array([(served[key], own[key]) for key in plans if key[0] == problem])
        mean = pairs.mean(axis=0)
        ratio = float(mean[0] / mean[1])
        error = float(
            np.std(pairs[:, 0] - ratio * pairs[:, 1]) / mean[1] / np.sqrt(max(1, seeds - 1))
        )
        figures[problem] = f"{mean[0]:.1f} / {mean[1]:.1f} = {ratio:.3f} +- {error:.3f}"
        say(f"{problem}: {figures[problem]}")
        if bar is not None and ratio - 2 * error > bar:
            errors.append(f"{problem}: {ratio:.3f} +- {error:.3f}")
    figures.update(counts)
    for name, least in (("late", LATE / 2), ("duplicates", DUPLICATES / 2)):
        if counts[name] < least * rounds * len(plans):
            errors.append(f"only {counts[name]} rewards were {name}")
    planned = sum(int((plan.delays > WAIT).sum()) for plan in plans.values())
    if counts["late"] > 1.5 * planned + 10:  # duplicates of late rewards are no further late ones
        errors.append(
            f"{counts['late']} rewards were late instead of {planned}: this machine is too slow "
            "for the streams, so the comparison says nothing; use a lower rate"
        )
    return Outcome("regret", CLAIM, not errors, figures, errors)


def _in_process(plan, config, rate):
    """The regret of a ``Decider``, whose clock is moved by hand."""
    now = [0.0]
    decider = Decider(
        Agent(deciding_policy(config), config.seed),
        make_encoder(config),
        wait=config.wait,
        default_reward=config.default_reward,
        aggregation=config.aggregation,
        clock=lambda: now[0],
    )
    waiting, total, actions = [], 0.0, plan.actions()
    for t in range(len(plan.contexts)):
        while waiting and waiting[0][0] <= t:
            due, id, value = heapq.heappop(waiting)
            now[0] = due / rate
            decider.reward(id, value, "r")
        now[0] = t / rate
        made = decider.decide(plan.context(t), actions)
        total += plan.regrets[t, made.index]
        for due, value in plan.sends(t, made.index):
            heapq.heappush(waiting, (due, made.id, value))
    return total


def _over_http(folder, plans, config, rate):
    """The regrets over HTTP, and how many rewards were late or repeated."""
    names = {key: f"{key[0]}-{key[1]}" for key in plans}
    folder.mkdir(exist_ok=True)

    async def make():
        service = Service.open(folder / DATA, ServiceSettings(learner=False))
        for name in names.values():
            await service.create_app(name, config)
        service.close()

    asyncio.run(make())
    key = Keys(folder / DATA / KEY_FILE).create({"*": ["admin"]}, "torture")[1]
    server = ServedProcess(folder, JOSTLE_SERVE_CORE_PUBLISH="0.1")

    async def play():
        await _until_ready(server.address)
        streams = [_stream(server.address, key, names[k], plan, rate) for k, plan in plans.items()]
        regrets = await asyncio.gather(*streams)
        counts = {"late": 0, "duplicates": 0}
        for name in names.values():
            path = f"/v1/apps/{name}/statistics?buckets=1"
            found = json.loads((await fetch(server.address, "GET", path, key=key)).body)
            for each in counts:
                counts[each] += found["totals"][each]
        return dict(zip(plans, regrets, strict=True)), counts

    try:
        result = uvloop.run(play())
    except BaseException:
        server.kill()
        raise
    server.stop()
    return result


async def _until_ready(address):
    while True:
        health = json.loads((await fetch(address, "GET", "/readyz")).body)
        if health["learner"] == "running" and not health["lag_records"]:
            return
        await asyncio.sleep(0.2)


async def _stream(address, key, app, plan, rate):
    """Play one stream in its own time; its regret."""
    connection, base = await Connection.open(address), f"/v1/apps/{app}"
    actions = [{"id": each} for each in plan.actions()]
    places = {each: place for place, each in enumerate(plan.actions())}
    waiting, total, start = [], 0.0, time.perf_counter()
    rounds = len(plan.contexts)
    for t in range(rounds + 2 * WAIT):
        await asyncio.sleep(max(0.0, start + t / rate - time.perf_counter()))
        due = []
        while waiting and waiting[0][0] <= t:
            _, event, value = heapq.heappop(waiting)
            due.append({"event_id": event, "value": value, "reward_id": "r"})
        if due:
            await _ask(connection, f"{base}/batches/rewards", {"rewards": due}, key)
        if t < rounds:
            body = {"context": plan.context(t), "actions": actions}
            made = await _ask(connection, f"{base}/decisions", body, key)
            arm = places[made["action"]]
            total += plan.regrets[t, arm]
            for at, value in plan.sends(t, arm):
                heapq.heappush(waiting, (at, made["event_id"], value))
    connection.close()
    return total


async def _ask(connection, path, body, key):
    reply = await connection.ask("POST", path, json.dumps(body).encode(), key)
    assert reply.status < 300, reply
    return json.loads(reply.body)
