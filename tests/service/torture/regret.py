"""Regret over HTTP, with delayed, repeated and late rewards, beside a ``Decider`` in process.

Nothing depends on how fast the machine is: the server's clock is moved from round to round
(``clocked_server.py``), and a round begins when the model that decides has learned everything that
was closed some rounds before. Both sides draw the same random numbers in the same round, so that
they differ by little but what the service does otherwise: it decides with older models.
"""

import asyncio
import heapq
import json
from pathlib import Path
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
from jostle.service.making import Randomness
from jostle.service.messages import Config
from jostle.service.service import Service
from jostle.service.service_settings import ServiceSettings
from torture import clocked_server
from torture.clocked_server import CLOCK, FileClock
from torture.evidence import DATA
from torture.findings import Outcome
from torture.wire import Connection

from served_process import ServedProcess

CLAIM = "at most 5 % more regret than in process on clicks, mushroom and drift"
PROBLEMS = ("clicks", "mushroom", "drift")
MOST = 1.05
DUPLICATES, LATE = 0.2, 0.1
WAIT = 50
"""Rounds for which a decision is open. Rewards come within half of that; late ones after 1.5."""
BEHIND = 2
"""Rounds that the model which decides may be behind."""
START = 1e9
"""What the clock shows in the first round; then a second more in each."""
LAUNCHER = (str(Path(clocked_server.__file__)),)


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

    def expected(self, what):
        """How many rewards are "late" or "duplicates"; a late one that is repeated is both."""
        late = self.delays > WAIT
        return int((late if what == "late" else self.repeated).sum())

    def sends(self, t, arm):
        """(round, value) of the rewards of a choice."""
        due = [t + self.delays[t]] * (2 if self.repeated[t] else 1)
        return [(each, float(self.rewards[t, arm])) for each in due]


def run(folder, rounds, say, *, problems=PROBLEMS, seeds=range(8), policy="npr.online", bar=MOST):
    """Play so many rounds of each problem and seed; what was found.

    Arguments:
        folder: where to work.
        rounds: of each stream.
        say: called with what is going on.
        problems: by name.
        seeds: of the streams of each problem, which are played at the same time.
        policy: of all.
        bar: the largest ratio, less two standard errors; None if there are too few rounds to tell.
    """
    config = Config(policy=policy, wait=float(WAIT))
    plans = {(p, s): Plan.draw(p, rounds, s) for p in problems for s in seeds}
    say(f"{len(plans)} streams in process")
    own = {key: _in_process(plan, config, _name(key)) for key, plan in plans.items()}
    say("the same over HTTP")
    served, counts = _over_http(folder, plans, config, say)
    figures, errors = {"rounds": rounds, "seeds": len(seeds)}, []
    for problem in problems:
        pairs = [(served[key], own[key]) for key in plans if key[0] == problem]
        mean, ratio, error = compared(np.array(pairs))
        figures[problem] = f"{mean[0]:.1f} / {mean[1]:.1f} = {ratio:.3f} +- {error:.3f}"
        figures[f"{problem}, by seed"] = pairs
        say(f"{problem}: {figures[problem]}")
        if bar is not None and ratio - 2 * error > bar:
            errors.append(f"{problem}: {ratio:.3f} +- {error:.3f}")
    figures.update(counts)
    for name in counts:
        planned = sum(plan.expected(name) for plan in plans.values())
        if counts[name] != planned:
            errors.append(f"{counts[name]} rewards were {name}, and {planned} should be")
    return Outcome("regret", CLAIM, not errors, figures, errors)


def compared(pairs):
    """The means of both columns, the ratio of the means, and its standard error."""
    mean = pairs.mean(axis=0)
    ratio = float(mean[0] / mean[1])
    rest = pairs[:, 0] - ratio * pairs[:, 1]
    error = float(np.std(rest) / mean[1] / np.sqrt(max(1, len(pairs) - 1)))
    return mean, ratio, error


def _name(key):
    """The name of a stream's app."""
    return f"{key[0]}-{key[1]}"


def _event(name, t):
    """The id of a decision, by which the service draws its random numbers."""
    return f"{name}-{t}"


def _in_process(plan, config, name):
    """The regret of a ``Decider``, whose clock is moved by hand."""
    now, randomness = [START], Randomness()
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
        now[0] = START + t
        while waiting and waiting[0][0] <= t:
            _, event, value = heapq.heappop(waiting)
            decider.reward(event, value, "r")
        event = _event(name, t)
        decider.agent._generator = randomness.of(config.seed, event)  # that of the service
        made = decider.decide(plan.context(t), actions, id=event)
        total += plan.regrets[t, made.index]
        for due, value in plan.sends(t, made.index):
            heapq.heappush(waiting, (due, event, value))
    return float(total)


def _over_http(folder, plans, config, say):
    """The regrets over HTTP, and how many rewards were late or repeated."""
    folder.mkdir(exist_ok=True)

    async def make():
        service = Service.open(folder / DATA, ServiceSettings(learner=False))
        for key in plans:
            await service.create_app(_name(key), config)
        service.close()

    asyncio.run(make())
    key = Keys(folder / DATA / KEY_FILE).create({"*": ["admin"]}, "torture")[1]
    clock = FileClock(folder / "clock", START)
    server = ServedProcess(
        folder,
        launcher=LAUNCHER,
        JOSTLE_SERVE_CORE_PUBLISH="0.05",
        JOSTLE_SERVE_CORE_CLOSE_INTERVAL="0.01",
        **{CLOCK: str(folder / "clock")},
    )

    async def play():
        streams = {each: _Stream(_name(each), plan) for each, plan in plans.items()}
        rounds = len(next(iter(plans.values())).contexts)
        for stream in streams.values():
            await stream.connect(server.address, key)
        for t in range(rounds + 2 * WAIT):
            clock.set(START + t)
            await asyncio.gather(*(stream.round(t) for stream in streams.values()))
            if t % 200 == 0:
                say(f"round {t}")
        totals = [(await stream.statistics())["totals"] for stream in streams.values()]
        for stream in streams.values():
            stream.close()
        await asyncio.sleep(0)
        counts = {name: sum(each[name] for each in totals) for name in ("late", "duplicates")}
        return {each: stream.regret for each, stream in streams.items()}, counts

    try:
        result = uvloop.run(play())
    except BaseException:
        server.kill()
        raise
    server.stop()
    return result


class _Stream:
    """One stream, played over HTTP round by round."""

    def __init__(self, name, plan):
        self._name, self._plan, self._base = name, plan, f"/v1/apps/{name}"
        self._actions = plan.actions()
        self._waiting, self._learned = [], 0
        self.regret = 0.0

    async def connect(self, address, key):
        """Open a connection."""
        self._address, self._key = address, key
        self._connection = await Connection.open(address)

    def close(self):
        """Disconnect."""
        self._connection.close()

    async def statistics(self):
        """Of the app."""
        path = f"{self._base}/statistics?buckets=1"
        return await self._ask("GET", path, b"")

    async def round(self, t):
        """Send the rewards that are due, and decide."""
        due = []
        while self._waiting and self._waiting[0][0] <= t:
            _, event, value = heapq.heappop(self._waiting)
            due.append({"event_id": event, "value": value, "reward_id": "r"})
        if due:
            await self._post(f"{self._base}/batches/rewards", {"rewards": due})
        if t >= len(self._plan.contexts):
            return
        closed = t - BEHIND - WAIT + 1  # those of the rounds up to t - BEHIND - WAIT
        while self._learned < closed:
            self._learned = (await self.statistics())["learned"]
            if self._learned < closed:
                await asyncio.sleep(0.01)
        event = _event(self._name, t)
        body = {
            "event_id": event,
            "context": self._plan.context(t),
            "actions": [{"id": each} for each in self._actions],
        }
        made = await self._post(f"{self._base}/decisions", body)
        arm = self._actions.index(made["action"])
        self.regret += float(self._plan.regrets[t, arm])
        for at, value in self._plan.sends(t, arm):
            heapq.heappush(self._waiting, (at, event, value))

    async def _post(self, path, body):
        return await self._ask("POST", path, json.dumps(body).encode())

    async def _ask(self, method, path, body):
        try:
            reply = await self._connection.ask(method, path, body, self._key)
        except ConnectionError:  # it was idle for too long, while others waited for their models
            self._connection.close()
            self._connection = await Connection.open(self._address)
            reply = await self._connection.ask(method, path, body, self._key)
        assert reply.status < 300, reply
        return json.loads(reply.body)
