"""``Service``: decisions, rewards and models of several apps, without HTTP."""

import asyncio
import re
import shutil
import threading
import time
from collections import deque
from pathlib import Path
from typing import Any

import msgspec

from jostle.service import app_records, archives, counting, erasure, inspection, versions
from jostle.service.apps import App
from jostle.service.books import Books, Happened
from jostle.service.commands import Activate, Command, Decide
from jostle.service.configuration import check_config, keeps_model
from jostle.service.exports import Selection, export
from jostle.service.inputs import checked_event_id, new_event_id, reward_command
from jostle.service.jobs import Jobs
from jostle.service.learner_process import LearnerProcess
from jostle.service.locking import FolderLock
from jostle.service.log.base import State
from jostle.service.log.records import Decided, decode
from jostle.service.log.sqlite import SqliteLog
from jostle.service.maintenance import Maintenance
from jostle.service.making import (
    Asked,
    Model,
    Randomness,
    explain,
    make_decisions,
    request_content,
    request_digest,
    same_request,
)
from jostle.service.messages import (
    ActivationState,
    Answer,
    Config,
    DecisionAnswer,
    DecisionRequest,
    Evaluation,
    EvaluationRequest,
    EventReward,
    Health,
    LearnerState,
    ModelInfo,
    RewardRequest,
    RewardState,
    Statistics,
)
from jostle.service.problems import Conflict, Invalid, NotFound, Problem, tried
from jostle.service.service_settings import ServiceSettings
from jostle.service.threads import QuickTurns, one_blas_thread
from jostle.service.together import Together
from jostle.service.writer import Writer

APP_NAME = re.compile(r"[a-z0-9][a-z0-9_-]{0,63}")
HOUR = 3600.0
EXPLAIN = 1.0
"""Seconds after which another decision is explained for the statistics, asked for or not."""
LEAST_DISK = 64 * 2**20
"""Bytes of free disk below which ``health`` complains."""


class Service:
    """Decides, logs, closes, and lets a learner process learn.

    All methods are called from one event loop; those that are not coroutines take microseconds to
    milliseconds, except where they say so. They raise ``Problem``. What a coroutine has returned
    is on the disk.

    Use ``Service.open``, and ``close`` at the end.
    """

    def __init__(self, data: Path, settings: ServiceSettings, clock: Any = time.time):
        self.data, self.settings, self._clock = data, settings, clock
        self._threads, self._turns = one_blas_thread(), QuickTurns()
        data.mkdir(parents=True, exist_ok=True)
        self._folder_lock = FolderLock(data)
        log = SqliteLog(
            data, write=True, synchronous=settings.synchronous, most_bytes=settings.most_disk
        )
        self._reader = SqliteLog(data)
        self._problems: deque[str] = deque(maxlen=5)
        self._apps: dict[str, App] = versions.load_apps(data, log, self._complain)
        self._by_number = {app.number: app for app in self._apps.values()}
        self._statistics_lock = threading.Lock()
        self._counted = counting.load_statistics(log, self._by_number)
        self._configs = {app.number: app.config for app in self._apps.values()}
        self._randomness = Randomness()
        self._together = Together(
            self._decisions, settings.patience, lambda: self._writer.waiting > 0
        )
        self._jobs = Jobs(data)
        self._changing = asyncio.Lock()
        self._writer = Writer(
            Books(log, self._configs, clock),
            queue_limit=settings.queue,
            group=settings.group,
            close_interval=settings.close_interval,
            listener=self._happened,
            housekeeping=self._keep_statistics,
        )
        self._learner = LearnerProcess(data, settings, self._heard) if settings.learner else None
        self._log = log
        self._maintenance = Maintenance(self.apps, self.retain, self._complain)

    @classmethod
    def open(
        cls, data: Path, settings: ServiceSettings | None = None, clock: Any = time.time
    ) -> "Service":
        """The service whose files are in the folder ``data``, which is made if it is new."""
        return cls(data, settings or ServiceSettings(), clock)

    def close(self) -> None:
        """Finish what is queued, stop the learner after a last snapshot, and close the log."""
        self._maintenance.close()
        self._jobs.close()
        if self._learner is not None:
            self._learner.close()
        self._writer.close()
        self._reader.close()
        self._log.close()
        self._folder_lock.close()
        self._turns.close()
        self._threads.restore_original_limits()

    def apps(self) -> list[str]:
        """The names of all apps."""
        return list(self._apps)

    async def create_app(self, app: str, config: Config) -> None:
        """Make an app; ``Conflict`` if it exists."""
        if not APP_NAME.fullmatch(app):
            raise Invalid(
                f"app must be 1 to 64 small letters, digits, '-' and '_', not {app!r:.80}", "app"
            )
        check_config(config)
        async with self._changing:
            if app in self._apps:
                raise Conflict(f"the app {app!r} exists: use another name, or change its config")
            number, position = await self._writer.call(
                lambda log: app_records.create(log, app, config, self._clock())
            )
            made = App(self.data, app, number, self._complain)
            made.configure(config, position, position)
            await asyncio.to_thread(versions.begin_model, made)
            self._configs[number] = config
            self._apps[app] = self._by_number[number] = made

    async def decide(self, app: str, request: DecisionRequest) -> Answer:
        """Choose one of the actions."""
        decided = await self._together.ask(self._app(app), request)
        outcome = (await self._submit_good([decided]))[0]
        if isinstance(outcome, Problem):
            raise outcome
        answer: Answer = outcome
        return answer

    async def decide_many(
        self, app: str, requests: list[DecisionRequest]
    ) -> list[Answer | Problem]:
        """Several decisions in one transaction, answered in their order."""
        started = [time.perf_counter()] * len(requests)
        return await self._submit_good(self._decisions(self._app(app), requests, started))

    async def reward(self, app: str, event_id: str, request: RewardRequest) -> RewardState:
        """Count a reward."""
        command = reward_command(self._app(app), event_id, request)
        outcome: RewardState = (await self._writer.submit([command]))[0]
        return outcome

    async def reward_many(
        self, app: str, requests: list[EventReward]
    ) -> list[RewardState | Problem]:
        """Several rewards in one transaction, answered in their order."""
        state = self._app(app)
        return await self._submit_good(
            [tried(reward_command, state, each.event_id, each) for each in requests]
        )

    async def activate(self, app: str, event_id: str) -> ActivationState:
        """Let a deferred decision count."""
        command = Activate(self._app(app).number, checked_event_id(event_id))
        outcome = (await self._writer.submit([command]))[0]
        if isinstance(outcome, Problem):
            raise outcome
        state: ActivationState = outcome
        return state

    async def close_due(self) -> None:
        """Close decisions whose time is over, now; it also happens by itself, every moment."""
        await self._writer.submit([])

    def decision(self, app: str, event_id: str) -> dict[str, object]:
        """Everything about a decision: request, answer, rewards, activation, closing."""
        return inspection.decision(self._reader, self._app(app).number, checked_event_id(event_id))

    def decisions(
        self, app: str, before: int | None = None, limit: int = 50
    ) -> list[dict[str, object]]:
        """The latest decisions, newest first; ``before`` is the position of the last one seen."""
        return inspection.decisions(self._reader, self._app(app).number, before, limit)

    def config(self, app: str) -> tuple[Config, str]:
        """The configuration, and its ETag."""
        state = self._app(app)
        return state.config, state.etag

    async def put_config(self, app: str, config: Config, if_match: str | None) -> str:
        """Replace the configuration, if its ETag is ``if_match`` (or None); the new ETag."""
        state = self._app(app)
        check_config(config)
        async with self._changing:
            if if_match is not None and if_match != state.etag:
                raise Conflict(
                    f"the configuration has the ETag {state.etag}, not {if_match}: read it again"
                )
            epoch = state.epoch if keeps_model(state.config, config) else 0
            position = await self._writer.call(
                lambda log: app_records.configure(log, state, config, epoch, self._clock())
            )
            if epoch:
                state.configure(config, position, epoch)
            else:
                await asyncio.to_thread(versions.begin_again, self.data, state, config, position)
            self._configs[state.number] = config
            return state.etag

    def model(self, app: str) -> Model:
        """What decisions are made with at this moment."""
        return self._app(app).model

    def models(self, app: str) -> list[ModelInfo]:
        """The versions of the model, newest first."""
        return versions.models(self._app(app))

    def export_model(self, app: str, version: int) -> Path:
        """The file of a version."""
        path = self._app(app).snapshots.path(version)
        if not path.exists():
            raise NotFound(f"there is no version {version} of the model")
        return path

    async def import_model(self, app: str, content: bytes) -> ModelInfo:
        """Take a model from a file that ``export_model`` gave, and decide and learn with it."""
        state = self._app(app)
        async with self._changing:
            fold = await asyncio.to_thread(versions.read_import, state, content)
            version, position = await self._writer.call(
                lambda log: app_records.log_import(log, state, content, self._clock())
            )
            await asyncio.to_thread(versions.take_import, state, fold, version, position)
        return next(each for each in self.models(app) if each.version == version)

    async def pin(self, app: str, version: int | None) -> None:
        """Decide with this version, whatever is learned; None: with the latest again."""
        state = self._app(app)
        async with self._changing:
            view = versions.view_to_pin(state, version)
            await self._writer.call(
                lambda log: app_records.log_pin(log, state, version, self._clock())
            )
            state.replace(view, state.barrier, version)

    async def roll_back(self, app: str, version: int) -> None:
        """Forget what was learned after this version, and continue from it."""
        state = self._app(app)
        async with self._changing:
            view = versions.version_view(state, version)
            position = await self._writer.call(
                lambda log: app_records.log_roll_back(log, state, version, view, self._clock())
            )
            state.replace(view, position)

    async def evaluate(self, app: str, request: EvaluationRequest) -> str:
        """Start a job that evaluates policies on the log; its id."""
        return self._jobs.start(self._app(app), request)

    def evaluation(self, app: str, job: str) -> Evaluation:
        """A job, and its result once it is done."""
        return self._jobs.get(self._app(app), job)

    def evaluations(self, app: str) -> list[Evaluation]:
        """All jobs, newest first."""
        return self._jobs.list(self._app(app))

    async def export_log(self, app: str, target: Path | None = None) -> Path:
        """Write the closed decisions to a Parquet file in the schema of ``jostle.logs``."""
        state = self._app(app)
        if target is None:
            target = state.folder.exports / f"{app}-{self._log.next_position - 1:012d}.parquet"
        try:
            return await asyncio.to_thread(export, self.data, app, target, Selection())
        except RuntimeError as error:
            raise Invalid(str(error)) from None

    async def erase(self, app: str, user: str) -> int:
        """Replace the records of a user by tombstones; the number of decisions erased."""
        state = self._app(app)
        found = await asyncio.to_thread(erasure.find, self.data, state.number, user)

        def erase(log: SqliteLog) -> None:
            erasure.erase(log, state.number, found, self._clock())
            self._writer.recount()

        if found:
            await self._writer.call(erase)
            # What was erased is also in the WAL, as it was before.
            await self._writer.call(lambda log: log.checkpoint(), transaction=False)
        return len(found)

    async def retain(self, app: str) -> int:
        """Archive and remove what the app's retention does not keep; the records removed."""
        return await archives.retain(self.data, self._app(app), self._writer, self._clock())

    def statistics(self, app: str, since: float | None = None, buckets: int = 60) -> Statistics:
        """What happened, from ``since`` (by default an hour ago) until now."""
        state, until = self._app(app), self._clock()
        start = until - HOUR if since is None else min(since, until)
        with self._statistics_lock:
            found = state.statistics
            return Statistics(
                start,
                until,
                msgspec.structs.replace(found.totals),
                found.buckets(start, until, max(1, buckets)),
                found.actions(),
                found.features(),
                found.latency(),
                self._writer.open_events(state.number),
                state.model.observations,
                state.lag_records,
                state.lag_seconds,
                state.model.ref,
                found.apprentice(),
                state.config.mode,
                state.config.policy,
                state.pinned,
            )

    def health(self) -> Health:
        """Whether everything works."""
        free = shutil.disk_usage(self.data).free
        learner: LearnerState = "off" if self._learner is None else self._learner.state
        problems = list(self._problems)
        if self._writer.problem:
            problems.append(self._writer.problem)
        if learner == "restarting":
            problems.append("the learner has died and is started again")
        if free < LEAST_DISK:
            problems.append(f"only {free / 2**20:.0f} MiB of disk are free")
        apps = self._apps.values()
        return Health(
            not self._writer.problem and learner in ("running", "starting", "off"),
            learner,
            0 if self._learner is None else self._learner.restarts,
            sum(app.lag_records for app in apps),
            max((app.lag_seconds for app in apps), default=0.0),
            self._writer.waiting,
            self.settings.queue,
            not self._writer.problem,
            free,
            self._log.next_position - 1,
            len(self._apps),
            problems,
        )

    def _app(self, name: str) -> App:
        app = self._apps.get(name)
        if app is None:
            raise NotFound(f"there is no app {name!r:.80}; create it first")
        return app

    def _decisions(
        self, app: App, requests: list[DecisionRequest], started: list[float]
    ) -> list[Decide | Answer | Problem]:
        """Decide, in some hundred microseconds each; nothing is logged yet.

        If a request was decided before, but is refused by now, the answer is that of before.
        """
        now, config = time.perf_counter(), app.config
        expires = self._clock() + config.wait
        outcomes: list[Any] = [tried(_asked, each, expires) for each in requests]
        asked = [each for each in outcomes if not isinstance(each, Problem)]
        made = iter(
            make_decisions(
                app.model, asked, lambda event: self._randomness.of(config.seed, event), config.mode
            )
        )
        for place, (request, own) in enumerate(zip(requests, outcomes, strict=True)):
            outcome = own if isinstance(own, Problem) else next(made)
            if isinstance(outcome, Problem):
                outcomes[place] = tried(self._answer_before, app, request) or outcome
                continue
            decided, answer = outcome
            decided.config, decided.epoch = app.config_position, app.epoch
            if answer.explanation is not None or now - app.explained >= EXPLAIN:
                # After this request: nobody waits for what only statistics need.
                app.explained = now
                asyncio.get_running_loop().call_soon(self._explain, app, request, answer)
            digest, fresh = request_digest(decided.request), request.event_id is None
            outcomes[place] = Decide(app.number, own.event, digest, decided, fresh, started[place])
        return outcomes

    def _explain(self, app: App, request: DecisionRequest, answer: DecisionAnswer) -> None:
        """Count which features mattered."""
        found = answer.explanation
        if found is None:
            found = explain(app.model, request, answer.action)
        with self._statistics_lock:
            app.statistics.add_explanation(found)

    def _answer_before(self, app: App, request: DecisionRequest) -> Answer | None:
        """The answer to the same request, from before the configuration was changed."""
        if request.event_id is None:
            return None
        key = app.number, request.event_id
        event = self._reader.find_events([key]).get(key)
        if event is None or not event.position or event.state == State.ERASED:
            return None
        for record in self._reader.read([event.position]):  # none if retention has removed it
            decided: Decided = decode(record)
            if same_request(decided.request, request_content(request)):
                return Answer(decided.answer, created=False)
        return None

    async def _submit_good(self, commands: list[Any]) -> list[Any]:
        """The outcomes of commands, in the places of those that are none already."""
        good = [each for each in commands if not isinstance(each, Problem | Answer)]
        outcomes = iter(await self._writer.submit(good) if good else [])
        return [each if isinstance(each, Problem | Answer) else next(outcomes) for each in commands]

    def _happened(self, commands: list[Command], happened: list[Happened]) -> None:
        """Count what was committed (in the writer's thread)."""
        finished, now = time.perf_counter(), self._clock()
        with self._statistics_lock:
            for app, moment, body in happened:
                statistics = self._by_number[app].statistics
                if body is None:
                    statistics.add_duplicate(moment)
                else:
                    statistics.add(moment, body)
            for command in commands:
                if isinstance(command, Decide):
                    statistics = self._by_number[command.app].statistics
                    statistics.add_latency(now, finished - command.started)

    def _keep_statistics(self, log: SqliteLog) -> None:
        with self._statistics_lock:
            self._counted = counting.save_statistics(log, self._by_number, self._counted)

    def _heard(self, what: dict[str, Any]) -> None:
        """Take what the learner announces (in the thread that listens to it)."""
        app = self._apps.get(what.get("app", ""))
        if what["did"] == "complain":
            self._complain(f"{what['app']}: {what['detail']}")
        if app is None:
            return
        if "lag_records" in what:
            app.lag_records, app.lag_seconds = what["lag_records"], what["lag_seconds"]
        if what["did"] == "view":
            versions.take_view(app)
        elif what["did"] == "snapshot":
            self._writer.call_soon(
                lambda log: app_records.log_snapshot(log, app, what, self._clock())
            )
            versions.prune(app, self.settings.snapshots)

    def _complain(self, sentence: str) -> None:
        self._problems.append(sentence)


def _asked(request: DecisionRequest, expires: float) -> Asked:
    """A request with an id."""
    id = request.event_id
    return Asked(request, new_event_id() if id is None else checked_event_id(id), expires)
