"""Finished trials as Parquet files: one row per trial, curves as lists, settings as JSON."""

import json
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from jostle.core.atomic import atomic
from jostle.lab.results.model import Candidate, Run
from jostle.lab.spec.plan import Trial

if TYPE_CHECKING:
    import polars


def write(path: Path, runs: list[Run]) -> None:
    """Write one row per run. The file appears complete or not at all."""
    import polars

    rows = [
        {
            **run.trial._asdict(),
            "regret": run.regret,
            "reward": float(run.rewards[-1]),
            "seconds": run.seconds,
            "round_ms": run.round_ms,
            "state_bytes": run.state_bytes,
            "diverged": run.diverged,
            "behaviour": json.dumps(run.behaviour),
            "commit": run.commit,
            "settings": json.dumps(run.settings),
            "candidates": json.dumps(run.candidates),
            "regrets": run.regrets.tolist(),
            "rewards": run.rewards.tolist(),
        }
        for run in runs
    ]
    write_frame(path, polars.DataFrame(rows, schema_overrides={"round_ms": polars.Float64}))


def read(path: Path) -> list[Run]:
    """The runs that ``write`` wrote."""
    return [
        Run(
            Trial(row["environment"], row["policy"], row["rounds"], row["seed"]),
            np.array(row["regrets"]),
            np.array(row["rewards"]),
            json.loads(row["settings"]),
            tuple(Candidate(*each) for each in json.loads(row["candidates"])),
            row["seconds"],
            row["round_ms"],
            row["state_bytes"],
            row.get("diverged", False),  # not recorded before 0.2
            json.loads(row["behaviour"]),
            row["commit"],
        )
        for row in read_frame(path).to_dicts()
    ]


def write_frame(path: Path, frame: "polars.DataFrame") -> None:
    """Write a table. The file appears complete or not at all."""
    with atomic(path) as file:
        frame.write_parquet(file, compression="zstd")


def read_frame(path: Path) -> "polars.DataFrame":
    """Read a table."""
    import polars

    return polars.read_parquet(path.read_bytes())
