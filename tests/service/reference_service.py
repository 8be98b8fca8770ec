"""The service's contract in its simplest form: dictionaries, no disk, no learning.

Tests of the HTTP interface use it in place of the service where durability and learning do not
matter, and compare the service with it where they do.
"""

import hashlib
from pathlib import Path

import msgspec

from jostle.service.messages import (
    Answer,
    Bucket,
    DecisionAnswer,
    Evaluation,
    Health,
    Latency,
    ModelInfo,
    ModelRef,
    Ranked,
    Statistics,
)
from jostle.service.problems import Busy, Conflict, Invalid, NotFound, Problem, Used

NOW = 1_800_000_000.0


class ReferenceEvent:
    """A decision, or rewards that came before it."""

    def __init__(self):
        self.request = self.answer = self.closed = None
        self.rewards, self.ids = [], set()
        self.counted, self.final = [], False
        self.active = True

    @property
    def state(self):
        if self.request is None:
            return "expected"
        return "closed" if self.closed else "open" if self.active else "deferred"

    def close_if_settled(self):
        if self.state == "open" and self.final:
            self.closed = "final"


class ReferenceApp:
    def __init__(self, config):
        self.config, self.changes = config, 0
        self.events = {}
        self.jobs = {}
        self.pinned = None

    @property
    def tag(self):
        content = msgspec.json.encode(self.config) + str(self.changes).encode()
        return hashlib.sha256(content).hexdigest()[:16]


class ReferenceService:
    """As ``jostle.service.service.Service``."""

    def __init__(self, folder=None):
        self.folder = None if folder is None else Path(folder)
        self.found = {}
        self.full = False
        self.closed = False

    def close(self):
        self.closed = True

    def apps(self):
        return list(self.found)

    def app(self, name):
        if name not in self.found:
            raise NotFound(f"there is no app {name!r}")
        return self.found[name]

    def _check_room(self):
        if self.full:
            raise Busy("the disk is full", retry_after=3)

    async def create_app(self, app, config):
        if app in self.found:
            raise Conflict(f"app {app!r} exists")
        if not app.isascii() or not app.replace("-", "").replace("_", "").isalnum():
            raise Invalid("an app's name has letters, digits, - and _", "app")
        self._check_config(config)
        self.found[app] = ReferenceApp(config)

    def _check_config(self, config):
        if config.policy.partition(":")[0] not in (
            "npr",
            "npr.online",
            "lin-ts",
            "lin-ucb",
            "uniform",
        ):
            raise Invalid(f"unknown policy {config.policy!r}", "policy")

    async def decide(self, app, request):
        self._check_room()
        return self._decide(self.app(app), request)

    def _decide(self, app, request):
        left = self._candidates(app, request)
        event = app.events.get(request.event_id)
        if event is not None and event.request is not None:
            if event.request != request:
                raise Used(f"event {request.event_id!r} was used for another request", "event_id")
            return Answer(event.answer, False)
        name = request.event_id or f"event-{len(app.events)}"
        event = app.events.setdefault(name, ReferenceEvent())
        event.request, event.active = request, not request.defer
        answer = DecisionAnswer(
            name, left[0], 1 / len(left),
            [Ranked(id, 1 / len(left), 0.0) for id in left],
            ModelRef(0, 0), app.config.mode, NOW + app.config.wait,
        )  # fmt: skip
        event.answer = msgspec.json.encode(answer)
        event.close_if_settled()
        return Answer(event.answer, True)

    def _candidates(self, app, request):
        ids = [action.id for action in request.actions]
        for place, id in enumerate(ids):
            if id in ids[:place]:
                raise Invalid("actions need ids of their own", f"actions[{place}].id")
        for place, id in enumerate(request.exclude):
            if id not in ids:
                raise Invalid("exclude must hold ids of actions", f"exclude[{place}]")
        left = [id for id in ids if id not in request.exclude]
        if not left:
            raise Invalid("all actions are excluded", "exclude")
        if request.baseline is not None and request.baseline not in left:
            raise Invalid("baseline is not one of the actions", "baseline")
        if request.baseline is None and app.config.mode == "apprentice":
            raise Invalid("an apprentice needs a baseline", "baseline")
        return left

    async def decide_many(self, app, requests):
        self._check_room()
        return [self._tried(self._decide, self.app(app), request) for request in requests]

    def _tried(self, function, *arguments):
        try:
            return function(*arguments)
        except Problem as problem:
            return problem

    async def reward(self, app, event_id, request):
        self._check_room()
        return self._reward(self.app(app), event_id, request)

    def _reward(self, app, event_id, request):
        low, high = app.config.bounds or (-1e30, 1e30)
        if not low <= request.value <= high:
            raise Invalid(f"value must be between {low} and {high}", "value")
        event = app.events.setdefault(event_id, ReferenceEvent())
        if request.reward_id is not None and request.reward_id in event.ids:
            return "duplicate"
        event.ids.add(request.reward_id)
        event.rewards.append(request.value)
        if event.closed or event.final:
            return "late"
        state = "pending" if event.request is None else "joined"
        event.counted.append(request.value)
        event.final = request.final
        event.close_if_settled()
        return state

    async def reward_many(self, app, requests):
        self._check_room()
        return [
            self._tried(self._reward, self.app(app), request.event_id, request)
            for request in requests
        ]

    async def activate(self, app, event_id):
        event = self.app(app).events.get(event_id)
        if event is None or event.request is None:
            raise NotFound(f"there is no decision {event_id!r}")
        if event.closed:
            return "late"
        if event.active:
            return "active"
        event.active = True
        event.close_if_settled()
        return "activated"

    def decision(self, app, event_id):
        event = self.app(app).events.get(event_id)
        if event is None:
            raise NotFound(f"there is no decision {event_id!r}")
        reward = event.counted[-1] if event.counted else None
        return {
            "event_id": event_id,
            "state": event.state,
            "request": event.request,
            "answer": None if event.answer is None else msgspec.Raw(event.answer),
            "rewards": [{"value": value} for value in event.rewards],
            "closed": {"reason": event.closed, "reward": reward} if event.closed else None,
        }

    def decisions(self, app, before=None, limit=50):
        known = [id for id, event in self.app(app).events.items() if event.request is not None]
        return [self.decision(app, id) for id in known[::-1][:limit]]

    def config(self, app):
        found = self.app(app)
        return found.config, found.tag

    async def put_config(self, app, config, if_match):
        found = self.app(app)
        if if_match is not None and if_match != found.tag:
            raise Conflict("the configuration has changed meanwhile")
        self._check_config(config)
        found.config, found.changes = config, found.changes + 1
        return found.tag

    def models(self, app):
        pinned = self.app(app).pinned
        return [ModelInfo(1, 9, NOW, 3, "npr", "0" * 64, 5, "learned", True, pinned == 1)]

    def _check_version(self, app, version):
        if version not in (None, 1):
            raise NotFound(f"app {app!r} has no model of version {version}")

    def export_model(self, app, version):
        self.app(app)
        self._check_version(app, version)
        path = self.folder / f"{app}-{version}.npz"
        path.write_bytes(b"model")
        return path

    async def import_model(self, app, content):
        self.app(app)
        if content != b"model":
            raise Invalid("not a model that was exported")
        return self.models(app)[0]

    async def pin(self, app, version):
        self._check_version(app, version)
        self.app(app).pinned = version

    async def roll_back(self, app, version):
        self.app(app)
        self._check_version(app, version)

    async def evaluate(self, app, request):
        found = self.app(app)
        job = f"job{len(found.jobs)}"
        found.jobs[job] = Evaluation(job, "queued", NOW, request)
        return job

    def evaluation(self, app, job):
        if job not in self.app(app).jobs:
            raise NotFound(f"there is no job {job!r}")
        return self.app(app).jobs[job]

    def evaluations(self, app):
        return list(self.app(app).jobs.values())[::-1]

    async def export_log(self, app, target=None):
        self.app(app)
        target.write_bytes(b"PAR1")
        return target

    async def erase(self, app, user):
        found = self.app(app)
        owned = [
            id
            for id, event in found.events.items()
            if event.request is not None and event.request.user == user
        ]
        for id in owned:
            del found.events[id]
        return len(owned)

    def statistics(self, app, since=None, buckets=60):
        events = [event for event in self.app(app).events.values() if event.request is not None]
        totals = Bucket(NOW, 60.0, decisions=len(events))
        empty = [Bucket(NOW, 60.0) for _ in range(buckets)]
        return Statistics(
            since or NOW, NOW + 60, totals, empty, [], [], Latency(0.001, 0.002, 0.003),
            len(events), 0, 0, 0.0, ModelRef(0, 0),
        )  # fmt: skip

    def health(self):
        problems = ["the disk is full"] if self.full else []
        return Health(
            not self.full, "running", 0, 0, 0.0, 0, 4096, not self.full, 10**9, 7,
            len(self.found), problems,
        )  # fmt: skip
