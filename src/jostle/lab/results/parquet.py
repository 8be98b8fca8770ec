"""Finished trials as Parquet: one row each, its curves in lists, its settings as JSON."""

import json
from pathlib import Path

import numpy as np

from jostle.core.atomic import atomic
from jostle.lab.results.model import Candidate, Run
from jostle.lab.spec.plan import Trial


def write(path: Path, runs: list[Run]) -> None:
    """One row a run; the file is there whole or not at all."""
    import polars

    rows = [
        {
            **run.trial._asdict(),
            "regret": run.regret,
            "reward": float(run.rewards[-1]),
            "seconds": run.seconds,
            "round_ms": run.round_ms,
            "state_bytes": run.state_bytes,
            "settings": json.dumps(run.settings),
            "candidates": json.dumps(run.candidates),
            "regrets": run.regrets.tolist(),
            "rewards": run.rewards.tolist(),
        }
        for run in runs
    ]
    frame = polars.DataFrame(rows, schema_overrides={"round_ms": polars.Float64})
    with atomic(path) as file:
        frame.write_parquet(file, compression="zstd")


def read(path: Path) -> list[Run]:
    """What ``write`` wrote."""
    import polars

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
        )
        for row in polars.read_parquet(path.read_bytes()).to_dicts()
    ]
