"""``replay``: the state of an app computed again from its log, and compared with what was logged.

It starts at the beginning of the log, or at a snapshot if the log has lost its beginning: to
retention, or to an erasure, after which replay starts at the first snapshot that is newer.
"""

from pathlib import Path
from typing import Any, NamedTuple

import jax
import msgspec

from jostle import serialization
from jostle.service.app_records import read_facts
from jostle.service.configuration import deciding_policy, make_encoder
from jostle.service.fold import Data, Fold
from jostle.service.folders import AppFolder
from jostle.service.learner import decided_bodies
from jostle.service.log.records import Decided, Erased, Kind, ModelChange, Record, decode
from jostle.service.log.sqlite import SqliteLog
from jostle.service.making import Asked, Model, Randomness, make_decisions
from jostle.service.messages import Config, DecisionRequest, ModelRef
from jostle.service.problems import Problem
from jostle.service.snapshots import Snapshots
from jostle.service.threads import one_blas_thread
from jostle.service.views import View, view_of

CHUNK = 1000
_request = msgspec.msgpack.Decoder(DecisionRequest).decode


class Replayed(NamedTuple):
    """What replaying an app's log gave."""

    app: str
    start: int
    """The position that it started from; 0 for the beginning of the log."""
    position: int
    """The last position."""
    observations: int
    sha256: str
    decisions: int = 0
    """Decisions that were made again."""
    versions: int = 0
    """Versions whose hashes were compared."""
    errors: tuple[str, ...] = ()
    """What did not come out as logged."""


class _Plan(NamedTuple):
    """What to do at which positions, from a first pass over the log."""

    versions: dict[int, list[ModelChange]]
    """Versions that were kept, by position."""
    wanted: dict[int, set[int]]
    """Versions that are gone back to later, by position."""
    decisions: dict[int, list[int]]
    """Decisions, by the position of the model that made them."""
    erased: int
    """The last position that was erased."""


def replay(data: Path, app: str, *, verify: bool = False, from_snapshot: bool = False) -> Replayed:
    """Replay an app's log.

    Arguments:
        data: the folder of the service, which may be running.
        app: the name of the app.
        verify: also compare the hashes of all versions, make every decision again, and check that
            each was closed at most once.
        from_snapshot: start at the newest snapshot.
    """
    log = SqliteLog(data)
    threads = one_blas_thread()
    try:
        numbers = log.apps()
        if app not in numbers:
            raise ValueError(f"there is no app {app!r} in {log.path}; it has {', '.join(numbers)}")
        return _Replay(data, app, numbers[app], log, verify).run(from_snapshot)
    finally:
        threads.restore_original_limits()
        log.close()


class _Replay:
    """One pass over an app's log."""

    def __init__(self, data: Path, app: str, number: int, log: SqliteLog, verify: bool):
        self._app, self._number, self._log, self._verify = app, number, log, verify
        self._errors: list[str] = []
        self._snapshots = Snapshots(AppFolder(data, app).models, self._errors.append)
        self._plan = self._first_pass()
        self._recalled: dict[int, Data] = {}
        self._configs: dict[int, tuple[Config, dict[str, Any]]] = {}
        self._randomness = Randomness()
        self._decisions = self._versions = 0

    def run(self, from_snapshot: bool) -> Replayed:
        """The result."""
        fold = self._start(from_snapshot)
        start = fold.position
        stops = {*self._plan.versions, *self._plan.wanted, *self._plan.decisions}
        while records := self._log.scan(
            fold.position, app=self._number, least_kind=Kind.CLOSED, limit=CHUNK
        ):
            bodies = decided_bodies(self._log, records)
            batch: list[Record] = []
            for record in records:
                batch.append(record)
                if record.position in stops:
                    fold.apply(batch, bodies, self._recall)
                    batch = []
                    self._stop(fold)
            fold.apply(batch, bodies, self._recall)
        return Replayed(
            self._app,
            start,
            fold.position,
            fold.agent.observations,
            fold.sha256(),
            self._decisions,
            self._versions,
            tuple(self._errors),
        )

    def _start(self, from_snapshot: bool) -> Fold:
        dropped = read_facts(self._log, self._number).dropped
        whole = not dropped and not self._plan.erased
        if whole and not from_snapshot:
            return Fold()
        found = None
        for header, leaves in self._snapshots.whole():
            if header["position"] < max(dropped - 1, self._plan.erased):
                break
            found = header, leaves
            if from_snapshot:
                break
        if found is None and whole:
            return Fold()
        if found is None:
            raise ValueError(
                f"the log of {self._app!r} begins at position {dropped}, with erasures up to "
                f"{self._plan.erased}, and there is no snapshot after that to start from"
            )
        return Fold.from_data(*found)

    def _first_pass(self) -> _Plan:
        plan = _Plan({}, {}, {}, 0)
        closed: set[int] = set()
        for record in self._log.records(app=self._number):
            if record.kind not in (Kind.DECIDED, Kind.CLOSED, Kind.MODEL, Kind.ERASED):
                continue
            body = decode(record)
            if isinstance(body, ModelChange):
                if body.change == "learned":
                    plan.versions.setdefault(body.position, []).append(body)
                elif body.change == "rolled_back":
                    plan.wanted.setdefault(body.position, set()).add(body.version)
            elif isinstance(body, Erased):
                plan = plan._replace(erased=max(plan.erased, body.last))
            elif body is not None and self._verify:
                if record.kind == Kind.DECIDED:
                    plan.decisions.setdefault(body.position, []).append(record.position)
                elif body.decided in closed:
                    self._errors.append(f"decision {body.decided} was closed twice")
                else:
                    closed.add(body.decided)
        return plan

    def _stop(self, fold: Fold) -> None:
        """Do what there is to do at the fold's position."""
        position = fold.position
        for version in self._plan.wanted.get(position, ()):
            header, state = fold.as_data()
            self._recalled[version] = header, jax.tree.leaves(state)
        if not self._verify:
            return
        if position in self._plan.versions:
            found = fold.sha256()
            for change in self._plan.versions[position]:
                self._versions += 1
                if change.sha256 != found:
                    self._errors.append(
                        f"version {change.version} was logged with the state {change.sha256[:16]}, "
                        f"and replay gives {found[:16]}"
                    )
        if decisions := self._plan.decisions.get(position):
            self._decide_again(view_of(fold), decisions)

    def _decide_again(self, view: View, positions: list[int]) -> None:
        """Make the decisions of a view again, those of one configuration together."""
        for start in range(0, len(positions), CHUNK):
            groups: dict[tuple[int, int], list[tuple[Record, Decided]]] = {}
            for record in self._log.read(positions[start : start + CHUNK]):
                logged: Decided | None = decode(record)
                if logged is not None:
                    groups.setdefault((logged.config, logged.version), []).append((record, logged))
            for (config, version), group in groups.items():
                self._compare(view, config, version, group)

    def _compare(
        self, view: View, position: int, version: int, group: list[tuple[Record, Decided]]
    ) -> None:
        """Make decisions under one configuration again, and compare each with the logged one."""
        config, policy = self._configured(position)
        encoder = make_encoder(config).with_moments(view.moments)
        model = Model(encoder, view.deciding(policy), ModelRef(version, view.position), 0)
        asked = [
            Asked(_request(logged.request), record.event or "", logged.expires)
            for record, logged in group
        ]
        found = make_decisions(
            model, asked, lambda event: self._randomness.of(config.seed, event), config.mode
        )
        for (record, logged), made in zip(group, found, strict=True):
            self._decisions += 1
            if isinstance(made, Problem):
                self._errors.append(
                    f"decision {record.event!r} at position {record.position} is refused: {made}"
                )
            elif (made[0].answer, made[0].vector) != (logged.answer, logged.vector):
                self._errors.append(
                    f"decision {record.event!r} at position {record.position} is not reproduced: "
                    f"logged {logged.answer.decode()}, made {made[0].answer.decode()}"
                )

    def _configured(self, position: int) -> tuple[Config, dict[str, Any]]:
        """A configuration by its position, and the description of its policy."""
        if position not in self._configs:
            body: Any = decode(self._log.read([position])[0])
            config = msgspec.json.decode(body.config, type=Config)
            self._configs[position] = config, serialization.describe(deciding_policy(config))
        return self._configs[position]

    def _recall(self, version: int) -> Data:
        if version in self._recalled:
            return self._recalled[version]
        return self._snapshots.load(version)
