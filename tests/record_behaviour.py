"""Record the behaviour of new cases, and of those whose behaviour number was raised.

    python tests/record_behaviour.py
    python tests/record_behaviour.py neural-ucb falcon

rewrites tests/behaviour.json, the second one for these cases only, which is faster. A case whose
behaviour changed while its numbers did not is refused.
"""

import json
import os
import sys
from pathlib import Path

os.environ.setdefault("XLA_FLAGS", "--xla_backend_optimization_level=0")  # as in the tests

from behaviour_cases import FILE, NAMES, numbers, play, same

COMMAND = "python tests/record_behaviour.py"


def advice(name: str) -> str:
    """What to do about a case that changed."""
    return (
        f"{name!r} behaves otherwise than recorded, but its behaviour numbers are the same "
        f"({numbers(name)}), so results of the old code would be reused. If the change is "
        "intended, raise `behaviour` in the class that changed (the policy's or the "
        "environment's), or BEHAVIOUR in simulation.py or lab/running/tuning.py if that changed, "
        f"say so in the changelog, and run: {COMMAND}. If it is not intended, it is a bug."
    )


def record(path: Path = FILE, names: list[str] = NAMES) -> list[str]:
    """Update ``path`` for the cases ``names``; those that are refused, for want of a number."""
    old = json.loads(path.read_text()) if path.exists() else {}
    new = {name: old[name] for name in NAMES if name in old}
    refused = []
    for name in names:
        now, run = numbers(name), play(name)
        raised = name in old and _raised(old[name]["numbers"], now)
        if name not in old or raised:
            new[name] = {"numbers": now, "run": run}
        elif old[name]["numbers"] != now or not same(old[name]["run"], run):
            refused.append(name)
    if not refused:
        ordered = {name: new[name] for name in NAMES if name in new}
        lines = [f"{json.dumps(name)}: {json.dumps(case)}" for name, case in ordered.items()]
        path.write_text("{\n" + ",\n".join(lines) + "\n}\n")
    return refused


def _raised(old: dict[str, int], new: dict[str, int]) -> bool:
    """Whether a number is greater than before and none is smaller."""
    return old != new and old.keys() == new.keys() and all(new[key] >= old[key] for key in old)


if __name__ == "__main__":
    unknown = sorted({*sys.argv[1:]} - {*NAMES})
    if unknown:
        sys.exit(f"unknown cases {unknown}; expected some of {NAMES}")
    wrong = record(names=sys.argv[1:] or NAMES)
    for each in wrong:
        print(advice(each), file=sys.stderr)
    sys.exit(bool(wrong))
