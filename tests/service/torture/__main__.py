"""``make torture``: all harnesses in full, with a table at the end.

PYTHONPATH=tests/service python -m torture [--quick] [--only kills,load] [--out FOLDER]
"""

import argparse
import json
import os
import platform
import sys
import tempfile
import time
import traceback
from pathlib import Path

from torture import kills, load, overload, power_loss, probabilities, regret, soak
from torture.findings import Outcome

FULL = {
    "kills": lambda folder, say: kills.run(folder, 500, say),
    "power": lambda folder, say: power_loss.run(folder, 200, say),
    "load": lambda folder, say: load.run(folder, 15.0, say),
    "overload": lambda folder, say: overload.run(folder, 15.0, say),
    "probabilities": lambda folder, say: probabilities.run(folder, 100_000, say),
    "regret": lambda folder, say: regret.run(folder, 2000, say),
    "soak": lambda folder, say: soak.run(folder, 3600.0, say),
}
QUICK = {
    "kills": lambda folder, say: kills.run(folder, 3, say),
    "power": lambda folder, say: power_loss.run(folder, 20, say),
    "load": lambda folder, say: load.run(folder, 3.0, say, (50, 200, 500)),
    "overload": lambda folder, say: overload.run(folder, 3.0, say),
    "probabilities": lambda folder, say: probabilities.run(folder, 3000, say, "lin-ts"),
    "regret": lambda folder, say: regret.run(
        folder, 150, say, problems=("clicks",), seeds=range(1), policy="lin-ts", bar=None
    ),
    "soak": lambda folder, say: soak.run(folder, 120.0, say),
}


def main(arguments=None):
    """Run what is asked for; 1 if anything does not hold."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--quick", action="store_true", help="a first look, in some minutes")
    parser.add_argument("--only", help=f"names with commas: {', '.join(FULL)}")
    parser.add_argument("--out", type=Path, default=Path("runs/torture"), help="for the results")
    parser.add_argument("--temporary", type=Path, help="where servers keep data: a real disk")
    options = parser.parse_args(arguments)
    names = options.only.split(",") if options.only else list(FULL)
    if unknown := set(names) - set(FULL):
        parser.error(f"unknown harness {', '.join(sorted(unknown))}; there are {', '.join(FULL)}")
    options.out.mkdir(parents=True, exist_ok=True)
    outcomes = []
    for name in names:
        outcomes.append(run(name, QUICK if options.quick else FULL, options.temporary))
        write(options.out, outcomes, options.quick)
    print((options.out / "torture.md").read_text())
    return 0 if all(outcome.passed for outcome in outcomes) else 1


def run(name, sizes, temporary=None):
    """Run one harness in a folder of its own; an error of its own is an outcome, too."""
    start = time.monotonic()

    def say(sentence):
        print(f"{name:>13} {time.monotonic() - start:7.1f} s  {sentence}", flush=True)

    say("starts")
    with tempfile.TemporaryDirectory(
        prefix="jostle-torture-", dir=temporary, ignore_cleanup_errors=True
    ) as folder:
        try:
            outcome = sizes[name](Path(folder), say)
        except Exception as error:
            traceback.print_exc()
            outcome = Outcome(name, "", False, {}, [f"{type(error).__name__}: {error}"])
    outcome.seconds = time.monotonic() - start
    say("holds" if outcome.passed else f"does not hold: {outcome.errors[:3]}")
    return outcome


def write(folder, outcomes, quick):
    """Write the results so far, as JSON and Markdown."""
    machine = {
        "processor": _processor(),
        "cores": os.cpu_count(),
        "load average at the end": [round(each, 1) for each in os.getloadavg()],
        "system": platform.platform(),
        "python": platform.python_version(),
        "quick": quick,
    }
    content = {"machine": machine, "outcomes": [each.as_data() for each in outcomes]}
    (folder / "torture.json").write_text(json.dumps(content, indent=1, default=str) + "\n")
    facts = "; ".join(f"{name}: {value}" for name, value in machine.items())
    lines = [
        f"# Torture of `jostle serve`{' (quick)' if quick else ''}",
        "",
        facts,
        "",
        "| harness | claim | | figures | time |",
        "|---|---|---|---|---|",
        *(each.row() for each in outcomes),
        *(f"\n{each.name}: {error}" for each in outcomes for error in each.errors[:5]),
    ]
    (folder / "torture.md").write_text("\n".join(lines) + "\n")


def _processor():
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.processor()
    return next((line.split(": ")[1] for line in lines if line.startswith("model name")), "")


if __name__ == "__main__":
    sys.exit(main())
