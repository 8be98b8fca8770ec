"""Convert folders that jostle 0.1 wrote (format version 1) to the present format.

Version 1 kept settings as text with numbers rounded to six digits, and nothing about the code that
played a trial. Each policy and environment is built again from its name, and a recorded setting is
replaced by the exact one where that rounds to the recorded text; otherwise, as when a default has
changed since, the recorded value stays.
"""

import json
import re
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import polars

from jostle.core.description import settings
from jostle.core.grammar import value
from jostle.environments import Environment
from jostle.factory import make_environment, make_policy
from jostle.lab.results import folder as folders
from jostle.lab.results import parquet
from jostle.lab.results.manifest import VERSION, Settings

BEHAVIOUR = 1
"""The behaviour number of everything in version 1, which had none."""
COMMIT = "unknown (before 0.2)"
RENAMED = {"told": "full_information", "length": "rounds"}
"""Settings of environments that had other names in version 1."""


def experiment_folders(paths: Iterable[Path]) -> list[Path]:
    """The experiments at ``paths``, each of which is the folder of one or a folder of several."""
    found: list[Path] = []
    for path in paths:
        inside = [each.parent for each in sorted(path.glob(f"*/{folders.MANIFEST}"))]
        is_experiment = (path / folders.MANIFEST).exists() or not inside
        found += [path] if is_experiment else inside
    return found


def migrate_folder(folder: Path) -> list[str] | None:
    """Convert a folder and return notes on what could not be made exact; None if it is converted.

    Files are replaced whole and the manifest last, so an interrupted conversion can be repeated.
    """
    if folders.read_content(folder).get("version") == VERSION:
        return None
    with folders.exclusive(folder):
        old = _renamed(folders.read_content(folder))
        if old.get("version") != 1:
            raise folders.FolderError(
                f"{str(folder)!r} has format version {old.get('version')}; expected 1 or {VERSION}"
            )
        new, notes = _converted(old)
        tuned = old["experiment"]["tuning"]["method"] != "none"
        for path in [*(folder / folders.PARTS).glob("*.parquet"), folder / folders.TRIALS]:
            if path.exists():
                _convert_trials(path, tuned)
        times = folder / folders.TIMES
        if times.exists():
            folders.write_json(times, _renamed(json.loads(times.read_text("utf-8"))))
        folders.write_content(folder, new)
    return notes


def _renamed(content: Any) -> Any:
    """JSON data with the present names of settings in the names of environments and policies."""
    if isinstance(content, dict):
        return {_renamed(key): _renamed(value) for key, value in content.items()}
    if isinstance(content, list):
        return [_renamed(each) for each in content]
    return _renamed_text(content) if isinstance(content, str) else content


def _renamed_text(text: str) -> str:
    return re.sub(r"(?<=[:,])(\w+)(?==)", lambda match: RENAMED.get(match[1], match[1]), text)


def _converted(old: Mapping[str, Any]) -> tuple[dict[str, Any], list[str]]:
    """A manifest of version 2 from one of version 1, and notes on what is not exact."""
    notes: list[str] = []
    environments: dict[str, Settings] = {}
    policies: dict[str, dict[str, Settings]] = {}
    for name, recorded in old["environments"].items():
        environment = _environment(name)
        if isinstance(environment, str):
            notes.append(f"{name}: settings as recorded, since it cannot be built: {environment}")
        now = None if isinstance(environment, str) else settings(environment)
        environments[name] = _exact(name, recorded, now, notes)
        for policy, its_recorded in old["policies"].get(name, {}).items():
            its_now = None
            if not isinstance(environment, str):
                try:
                    its_now = settings(make_policy(policy, environment))
                except ValueError as error:
                    notes.append(f"{policy} on {name}: settings as recorded: {error}")
            exact = _exact(f"{policy} on {name}", its_recorded, its_now, notes)
            policies.setdefault(name, {})[policy] = exact
    names = {policy for those in old["policies"].values() for policy in those}
    behaviour = {
        "simulation": BEHAVIOUR,
        "tuning": BEHAVIOUR,
        "environments": dict.fromkeys(old["environments"], BEHAVIOUR),
        "policies": dict.fromkeys(sorted(names), BEHAVIOUR),
    }
    new = {
        "format": old["format"],
        "version": VERSION,
        "experiment": old["experiment"],
        "panels": old["panels"],
        "behaviour": behaviour,
        "environments": environments,
        "policies": policies,
    }
    return new, notes


@cache
def _environment(name: str) -> Environment | str:
    """The environment, or why it cannot be built. Kept, since many folders have the same ones."""
    try:
        return make_environment(name)
    except (ValueError, OSError, ImportError) as error:
        return str(error)


def _exact(
    where: str, recorded: Mapping[str, str], now: Settings | None, notes: list[str]
) -> Settings:
    """Recorded settings as JSON values, exact where the present ones round to them."""
    made: Settings = {}
    for old_name, text in _flat(recorded).items():
        name = RENAMED.get(old_name, old_name)
        if now is not None and name in now and _rounded(now[name]) == text:
            made[name] = now[name]
            continue
        made[name] = value(text)
        if now is not None:
            present = _rounded(now[name]) if name in now else "absent"
            notes.append(f"{where}: {name} stays {text} as recorded (now {present})")
    return made


def _flat(recorded: Mapping[str, str]) -> dict[str, str]:
    """Recorded settings with those of a nested part, as ``MLP(width=64, depth=3)``, beside them."""
    flat: dict[str, str] = {}
    for name, text in recorded.items():
        part = re.fullmatch(r"(\w+)\((\w+=.*)\)", text)
        flat[name] = part[1] if part else text
        if part:
            flat |= dict(setting.split("=", 1) for setting in part[2].split(", "))
    return flat


def _rounded(setting: Any) -> str:
    """A setting as version 1 wrote it."""
    if isinstance(setting, float):
        return f"{setting:g}"
    if isinstance(setting, list):
        return repr(tuple(setting))
    return "none" if setting is None else str(setting)


def _convert_trials(path: Path, tuned: bool) -> None:
    """Add the behaviour numbers and the commit to a table of trials, and use present names."""
    frame = parquet.read_frame(path)
    if "commit" in frame.columns:
        return
    numbers = dict.fromkeys(("simulation", "environment", "policy"), BEHAVIOUR)
    if tuned:
        numbers["tuning"] = BEHAVIOUR
    behaviour = polars.lit(json.dumps(numbers)).alias("behaviour")
    names = [_renamed_text(name) for name in frame["environment"]]
    parquet.write_frame(
        path,
        frame.with_columns(
            polars.Series("environment", names, dtype=polars.String),
            behaviour,
            polars.lit(COMMIT).alias("commit"),
        ),
    )
