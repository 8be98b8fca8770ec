"""The versions of an app's model: beginning, listing, importing and choosing them."""

import io
import json
from pathlib import Path
from typing import Any

import msgspec

from jostle import serialization
from jostle.service.app_records import read_facts
from jostle.service.apps import App
from jostle.service.configuration import learning_policy
from jostle.service.fold import Fold
from jostle.service.log.records import ConfigSet, Kind, Record, encode
from jostle.service.log.sqlite import SqliteLog
from jostle.service.messages import Config, ModelInfo
from jostle.service.problems import Invalid, NotFound, Problem
from jostle.service.snapshots import check_model
from jostle.service.views import View, load_view, save_view

IMPORTED = "imported"


def load_apps(data: Path, log: SqliteLog, complain: Any) -> dict[str, App]:
    """All apps of a log, ready to decide."""
    apps = {}
    for name, number in log.apps().items():
        app = apps[name] = App(data, name, number, complain)
        facts = read_facts(log, number)
        app.configure(facts.config, facts.config_position, facts.epoch)
        app.barrier = facts.barrier
        take_view(app)
        if facts.pinned is not None:
            app.replace(version_view(app, facts.pinned), facts.barrier, facts.pinned)
        elif not app.ready and facts.restored:
            app.replace(version_view(app, facts.restored), facts.barrier)
        elif not app.ready and not take_newest_version(app):
            begin_model(app)
    return apps


def begin_model(app: App) -> None:
    """Make the model of an app that has learned nothing; takes seconds."""
    fold = Fold()
    body = ConfigSet(app.name, msgspec.json.encode(app.config), 0)
    record = Record(app.epoch, app.number, Kind.CONFIG, 1, 0.0, None, encode(body))
    fold.apply([record], {}, _nothing)
    save_view(fold, app.folder.view)
    take_view(app)


def begin_again(data: Path, app: App, config: Config, position: int) -> None:
    """Give an app another configuration and a new model; it decides as before meanwhile."""
    fresh = App(data, app.name, app.number)
    fresh.configure(config, position, position)
    begin_model(fresh)
    view = load_view(app.folder.view)
    app.configure(config, position, position)
    app.offer(view)


def take_view(app: App) -> None:
    """Decide with what the learner has published, if that is whole and not outdated."""
    try:
        app.offer(load_view(app.folder.view))
    except (OSError, ValueError) as error:
        if app.folder.view.exists():
            app.complain(f"the view of {app.name} is skipped: {error}")


def take_newest_version(app: App) -> bool:
    """Decide with the newest version that is kept, until there is a view; False if none fits.

    After a restore there is no view, and a damaged one is no better.
    """
    for snapshot in app.snapshots.list():
        try:
            view = version_view(app, snapshot.version)
        except Problem:
            continue
        if app.offer(view):
            return True
    return False


def models(app: App) -> list[ModelInfo]:
    """The versions that are kept, newest first."""
    listed = []
    active = app.pinned if app.pinned is not None else app.model.ref.version
    for snapshot in app.snapshots.list():
        try:
            header = serialization.read_header(snapshot.path, "model")
        except (OSError, ValueError):  # it is damaged, or removed just now
            continue
        stat = snapshot.path.stat()
        listed.append(
            ModelInfo(
                snapshot.version,
                header["position"],
                stat.st_mtime,
                header["agent"]["observations"],
                header["config"]["policy"],
                header["sha256"],
                stat.st_size,
                header.get("source", "learned"),
                snapshot.version == active,
                snapshot.version == app.pinned,
            )
        )
    return listed


def version_view(app: App, version: int) -> View:
    """The view of a version that the present configuration can use."""
    try:
        view = load_view(app.snapshots.view_path(version))
    except (OSError, ValueError):
        raise NotFound(f"there is no version {version} of the model") from None
    if view.epoch != app.epoch:
        raise Invalid(
            f"version {version} was learned under a configuration with another policy, dimensions "
            "or seed: change these back first, and import it",
            "version",
        )
    return view._replace(version=version)


def view_to_pin(app: App, version: int | None) -> View:
    """The view of a version, or (None) the latest one."""
    if version is not None:
        return version_view(app, version)
    latest = load_view(app.folder.view)
    return latest if latest.position >= app.barrier else version_view(app, app.model.ref.version)


def read_import(app: App, content: bytes) -> Fold:
    """The model in a file, checked; takes seconds."""
    try:
        header, leaves = serialization.read_file(io.BytesIO(content), "the file", "model")
        check_model(header, leaves, "the file")
        wanted = serialization.describe(learning_policy(app.config))
        if header["agent"]["policy"] != json.loads(json.dumps(wanted)):
            raise ValueError("its policy or dimensions are not those of the app's configuration")
        return Fold.imported(app.config, app.epoch, header, leaves)
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise Invalid(f"the file is not a model for this app: {error}", "content") from None


def take_import(app: App, fold: Fold, version: int, position: int) -> None:
    """Keep an imported version, and decide with it."""
    fold.position = fold.barrier = position
    fold.version = fold.newest = version
    app.snapshots.save(fold, version, IMPORTED)
    app.replace(load_view(app.snapshots.view_path(version)), position)


def prune(app: App, keep: int) -> None:
    """Remove old versions, but not those that are imported, pinned or decided with."""
    needed = {app.pinned or 0, app.model.ref.version}
    needed |= {each.version for each in models(app) if each.source == IMPORTED}
    app.snapshots.prune(keep, needed)


def _nothing(version: int) -> Any:
    raise AssertionError(f"a new model goes back to version {version}")
