"""The folder of a comparison: ``results.json``, ``curves.npz``, the figures and ``report.html``."""

import json
import os
import platform
import re
import sys
import time
from dataclasses import dataclass, field
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np

from jostle.lab.plan import Comparison, Plan, Run, Times, Trial, thinned
from jostle.lab.table import rows
from jostle.writing import atomic

FORMAT = "jostle-comparison"
VERSION = 1
RESULTS, CURVES, REPORT = "results.json", "curves.npz", "report.html"


@dataclass
class Facts:
    """How a comparison came about: whatever one needs to repeat it or to doubt it."""

    command: str
    environment: dict[str, str]
    policies: dict[str, dict[str, str]]
    """The settings of each policy, as ``naming.describe`` writes them."""
    jobs: int = 1
    started: str = field(default_factory=lambda: time.strftime("%Y-%m-%d %H:%M:%S %z"))
    seconds: float = 0.0
    machine: dict[str, Any] = field(
        default_factory=lambda: {"platform": platform.platform(), "cores": os.cpu_count()}
    )
    versions: dict[str, str] = field(
        default_factory=lambda: {
            "python": sys.version.split()[0],
            **{name: version(name) for name in ("jostle", "jax", "jaxlib", "numpy", "optax")},
        }
    )


def make_folder(output: Path | None, environment: str) -> Path:
    """A new or empty folder: ``output``, or one under ``runs/`` named after what is compared.

    Raises a ``ValueError`` rather than overwrite anything.
    """
    if output is None:
        stem = re.sub(r"[^a-zA-Z0-9.]+", "-", environment).strip("-.")[:40] or "run"
        return _make_unused(Path("runs") / f"{stem}-{time.strftime('%Y%m%d-%H%M%S')}")
    if output.exists() and not output.is_dir():
        raise ValueError(f"output {str(output)!r} is a file; a folder is wanted")
    if output.is_dir() and any(output.iterdir()):
        what = "holds the results of another run" if is_ours(output) else "is not empty"
        raise ValueError(f"output {str(output)!r} {what}, and nothing is overwritten: name another")
    try:
        output.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ValueError(f"output {str(output)!r} cannot be made: {error.strerror}") from None
    return output


def is_ours(folder: Path) -> bool:
    """Whether a folder holds results of this kind."""
    try:
        return bool(json.loads((folder / RESULTS).read_text("utf-8"))["format"] == FORMAT)
    except (OSError, ValueError, KeyError, TypeError):
        return False


def save(comparison: Comparison, facts: Facts, folder: Path) -> None:
    """Write the numbers."""
    plan = comparison.plan
    content = {
        "format": FORMAT,
        "version": VERSION,
        "plan": vars(plan),
        "facts": vars(facts),
        "summary": [row._asdict() for row in rows(comparison)],
        "runs": [
            {
                "policy": run.trial.policy,
                "seed": run.trial.seed,
                "regret": run.regret,
                "reward": run.reward,
                "round_ms": run.round_ms,
            }
            for run in comparison.runs
        ],
        "times": {policy: times._asdict() for policy, times in comparison.times.items()},
        "missing": [[trial.policy, trial.seed] for trial in comparison.missing()],
    }
    rounds = thinned(plan.rounds)
    regret = np.array([run.curve for run in comparison.runs]).reshape(-1, len(rounds))
    with atomic(folder / CURVES) as file:
        np.savez_compressed(
            file,
            rounds=rounds,
            regret=regret,
            policy=np.array([run.trial.policy for run in comparison.runs], str),
            seed=np.array([run.trial.seed for run in comparison.runs], int),
        )
    with atomic(folder / RESULTS) as file:  # last: a folder is ours when its curves are there
        file.write(json.dumps(content, indent=1, ensure_ascii=False).encode())


def load(folder: Path) -> tuple[Comparison, Facts]:
    """What ``save`` wrote."""
    if not is_ours(folder):
        raise ValueError(f"{str(folder)!r} holds no results of a comparison")
    content = json.loads((folder / RESULTS).read_text("utf-8"))
    if content["version"] != VERSION:
        raise ValueError(f"{str(folder)!r} is of version {content['version']}; we read {VERSION}")
    spec = content["plan"]
    plan = Plan(spec["environment"], tuple(spec["policies"]), spec["rounds"], tuple(spec["seeds"]))
    with np.load(folder / CURVES, allow_pickle=False) as file:
        regret = file["regret"]
    comparison = Comparison(plan)
    for entry, curve in zip(content["runs"], regret, strict=True):
        trial = Trial(plan.environment, entry["policy"], plan.rounds, entry["seed"])
        comparison.add(Run(trial, curve, entry["reward"], entry["round_ms"]))
    for policy, times in content["times"].items():
        comparison.times[policy] = Times(**times)
    return comparison, Facts(**content["facts"])


def _make_unused(folder: Path) -> Path:
    number = 1
    candidate = folder
    while True:
        try:
            candidate.mkdir(parents=True)
            return candidate
        except FileExistsError:
            number += 1
            candidate = folder.with_name(f"{folder.name}-{number}")
        except OSError as error:
            raise ValueError(f"{str(folder)!r} cannot be made: {error.strerror}") from None
