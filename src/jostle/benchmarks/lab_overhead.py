"""The overhead of ``jostle run`` per trial, and the speed-up by a second worker."""

import tempfile
import time
from pathlib import Path

from jostle.benchmarks.comparison import Row
from jostle.lab.running.dispatch import compare
from jostle.lab.running.engine import Engine
from jostle.lab.running.prepare import prepare
from jostle.lab.running.runner import perform
from jostle.lab.running.worker import Workers
from jostle.lab.spec.experiment import Experiment
from jostle.lab.spec.plan import Plan

WORLD, POLICY = "h1", "npr"


def second_worker(quick: bool = False) -> Row:
    """The same trials by one worker against two, after both have compiled."""
    rounds, trials, turns = (1000, 4, 1) if quick else (1000, 8, 3)
    with Engine("local", 1).workers(1) as one, Engine("local", 2).workers(2) as two:
        for workers in (one, two):
            _seconds(workers, Plan(WORLD, (POLICY,), rounds, tuple(range(4))))
        plan = Plan(WORLD, (POLICY,), rounds, tuple(range(trials)))
        pairs = [(_seconds(one, plan), _seconds(two, plan)) for _ in range(turns)]
    alone, together = (min(pair[i] for pair in pairs) for i in (0, 1))
    return Row(
        f"{trials} trials of {rounds:,} rounds of NPR: one worker against two",
        f"{alone:.1f} s",
        f"{together:.1f} s",
        alone / together,
        1.7,
        at_least=True,
    )


def trial_overhead(quick: bool = False) -> Row:
    """Trials run and stored by the laboratory, against the simulation alone."""
    rounds, trials = (1000, 2) if quick else (1000, 8)
    with Engine("local", 1) as engine, tempfile.TemporaryDirectory() as folder:

        def stored(name: str, seeds: int) -> tuple[float, float]:
            experiment = Experiment(name, (WORLD,), (POLICY,), rounds, tuple(range(seeds)))
            start = time.perf_counter()
            outcome = perform(prepare(experiment), Path(folder) / name, engine=engine)
            simulated = sum(run.seconds for run in outcome.runs())
            return time.perf_counter() - start, simulated

        stored("compiled", 1)
        ours, simulated = stored("measured", trials)
    return Row(
        f"a trial of {rounds:,} rounds of NPR, run and stored, against its simulation alone",
        f"{1000 * ours / trials:.0f} ms",
        f"{1000 * simulated / trials:.0f} ms",
        ours / simulated,
        1.1,
    )


def _seconds(workers: Workers, plan: Plan) -> float:
    start = time.perf_counter()
    for _ in compare(plan.trials(), workers):
        pass
    return time.perf_counter() - start
