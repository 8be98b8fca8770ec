"""``make mutants``: try a random sample of mutants of each room; go on where it was stopped.

PYTHONPATH=tests python -m mutants --rooms policies,models --sample 60 --seed 0
PYTHONPATH=tests python -m mutants --report        the table and the survivors so far
PYTHONPATH=tests python -m mutants --again         the survivors once more, after new tests
"""

import argparse
import os
import sys
from collections import Counter
from pathlib import Path

from . import record, rooms, trial
from .mutations import Mutant, sample
from .record import Trial

ROOT = Path(__file__).parents[2]
LIMIT = 600
"""Processor seconds for the tests of one file, which take at most some 130 without a fault."""
OUT = Path(os.environ.get("JOSTLE_MUTANTS", ROOT / "runs" / "mutants"))


def main() -> None:
    """Read the arguments; try, or report."""
    parser = argparse.ArgumentParser(prog="mutants", description=__doc__.splitlines()[0])
    parser.add_argument("--rooms", default=",".join(rooms.ROOMS), help="separated by commas")
    parser.add_argument("--sample", type=int, default=60, help="mutants per room")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--again", action="store_true", help="try survivors once more")
    parser.add_argument("--unchecked", action="store_true", help="trust the unharmed tests")
    parser.add_argument("--report", action="store_true", help="only show what is known")
    given = parser.parse_args()
    chosen = given.rooms.split(",")
    if unknown := set(chosen) - set(rooms.ROOMS):
        sys.exit(f"unknown rooms {sorted(unknown)}; there are {', '.join(rooms.ROOMS)}")
    samples = {
        room: sample(ROOT, list(rooms.files(room)), given.sample, given.seed) for room in chosen
    }
    if not given.report:
        _prepare()
        for room, mutants in samples.items():
            if not given.unchecked:
                _check(room)
            _try(room, mutants, given.again)
    _report(samples)


def _prepare() -> None:
    """The copy, and what tests/conftest.py sets for the processes that it starts, once for all."""
    os.environ.setdefault("JAX_COMPILATION_CACHE_DIR", str(OUT / "compiled"))
    sys.path.insert(0, str(ROOT / "tests"))
    import conftest  # noqa: F401

    for name in ("conftest", "browsing", "requirements"):  # the copy has its own
        sys.modules.pop(name, None)
    trial.warm_up()
    trial.copy_repository(ROOT, OUT / "tree")


def _try(room: str, mutants: list[Mutant], again: bool) -> None:
    tree, path, tests = OUT / "tree", OUT / f"{room}.jsonl", rooms.files(room)
    known = {t.key for t in record.load(path) if not (again and t.outcome == record.SURVIVED)}
    for number, mutant in enumerate(mutants, 1):
        original = (ROOT / mutant.file).read_text()
        text = record.digest(original)
        if (mutant.file, mutant.operator, mutant.occurrence, text) in known:
            continue
        arguments = tests[mutant.file].arguments
        with trial.mutated(tree / mutant.file, mutant.code(original)):
            ended, seconds, by = trial.run_tests(tree, arguments, LIMIT)
            outcome = {"failed": record.KILLED, "timeout": record.TIMEOUT}.get(ended)
            if outcome is None:
                ended, more, by = trial.run_tests(tree, [rooms.RECORDED], LIMIT)
                seconds += more
                outcome = record.SURVIVED if ended == "passed" else record.RECORDED
        diff = mutant.diff(original)
        result = Trial(
            *(mutant.file, mutant.operator, mutant.occurrence, mutant.line, text),
            *(outcome, round(seconds, 1), by, diff),
        )
        record.append(path, result)
        place = f"{mutant.file}:{mutant.line}"
        print(f"{room} {number}/{len(mutants)}  {outcome}, {seconds:.0f} s  {place}", flush=True)


def _check(room: str) -> None:
    """The tests of a room must pass without a fault, or every mutant would be killed."""
    tests = rooms.files(room).values()
    asked = dict.fromkeys(name for each in tests for name in each.files)
    if any(each.cases for each in tests):
        asked[rooms.CONFORMANCE] = None
    ended, seconds, by = trial.run_tests(OUT / "tree", [*asked], 10 * LIMIT)
    if ended != "passed":
        sys.exit(f"{room}: tests fail without any mutant: {by}")
    print(f"{room}: its tests pass without a fault, in {seconds:.0f} s", flush=True)


def _report(samples: dict[str, list[Mutant]]) -> None:
    """A table by room, then what survived."""
    print(f"{'room':<12} {'tried':>6} {'killed':>7} {'share':>6}  95 % interval   by", end="")
    print("  definition, record, time")
    survivors: list[Trial] = []
    for room, mutants in samples.items():
        wanted = {
            (m.file, m.operator, m.occurrence, record.digest((ROOT / m.file).read_text()))
            for m in mutants
        }
        trials = [t for t in record.load(OUT / f"{room}.jsonl") if t.key in wanted]
        if not trials:
            continue
        counts = Counter(t.outcome for t in trials)
        killed = len(trials) - counts[record.SURVIVED]
        low, high = record.wilson(killed, len(trials))
        ways = ", ".join(
            str(counts[way]) for way in (record.KILLED, record.RECORDED, record.TIMEOUT)
        )
        print(
            f"{room:<12} {len(trials):>6} {killed:>7} {killed / len(trials):>6.1%}"
            f"  {low:.0%} to {high:.0%}      {ways}"
        )
        survivors += [t for t in trials if t.outcome in (record.SURVIVED, record.RECORDED)]
    for t in survivors:
        print(f"\n{t.outcome}: {t.file}:{t.line} ({t.operator})")
        print("\n".join(t.diff))


if __name__ == "__main__":
    main()
