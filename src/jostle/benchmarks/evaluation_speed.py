"""The cost of off-policy evaluation, against Open Bandit Pipeline (obp)."""

import json
import os
import subprocess
import time
from pathlib import Path

import numpy as np

from jostle.benchmarks.comparison import Row
from jostle.benchmarks.obp_reference import LAMBDA, TAU, made_up
from jostle.evaluation import Log, evaluate

PYTHON = "JOSTLE_OBP_PYTHON"
"""The environment variable that names a Python with obp 0.4.1; see ``obp_reference``."""
ARMS = 10
SHARED = {
    "replay": "replay",
    "ips": "ips",
    "snips": "snips",
    "dm": "dm",
    "dr": "dr",
    "sndr": "sndr",
    "switch-dr": f"switch-dr:threshold={TAU}",
    "dros": f"dros:shrinkage={LAMBDA}",
}
"""Estimators that both have, by obp's names and by ours."""
OURS = (*SHARED.values(), "clipped:clip=5", "mips")


def available() -> bool:
    """Whether a Python with obp is named."""
    return PYTHON in os.environ


def evaluation_against_obp(quick: bool = False) -> Row:
    """Ten estimators on a million rows, checks included, against eight of obp."""
    rows, turns = (100_000, 1) if quick else (1_000_000, 3)
    logged, target, actions, rewards, predictions = made_up(rows, ARMS)
    groups = np.arange(ARMS) // 2
    times, ours = [], {}
    for _ in range(turns):
        start = time.perf_counter()
        log = Log.from_arrays(actions, rewards, logged)
        ours = evaluate(log, target, OURS, interval=None, model=predictions, groups=groups)
        times.append(time.perf_counter() - start)
    script = Path(__file__).with_name("obp_reference.py")
    command = [os.environ[PYTHON], str(script), str(rows), str(ARMS), str(turns)]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    theirs = json.loads(done.stdout.splitlines()[-1])
    largest = max(
        abs(theirs["answers"][name] - ours[mine].value)
        for name, mine in SHARED.items()
        if name != "replay"  # obp's is for deterministic targets
    )
    if largest > 1e-8:
        raise ValueError(f"jostle and obp differ by {largest:g}: expected less than 1e-8")
    return Row(
        f"off-policy evaluation, {rows:,} rows, {ARMS} arms: ten estimators against eight of obp",
        f"{min(times):.2f} s",
        f"{theirs['seconds']:.2f} s",
        min(times) / theirs["seconds"],
        1.0,
        details=f"largest difference from obp: {largest:.1e}",
    )
