"""How often intervals hold the truth, and whether IPS is unbiased, over many simulated logs.

    python -m jostle.benchmarks.evaluation_coverage --output docs/evaluation_coverage.json \\
        --page docs/evaluation.md

What was measured on each log is kept in a file beside the output (``.rows.jsonl``), so that the
study continues where it was interrupted; rows of policies that behave otherwise by now are ignored.
It takes some twenty minutes beside other work. ``coverage_tables`` writes the page from the
figures.

The truth is known exactly: users are of one of eight kinds. Targets are frozen: uniform, LinUCB and
NPR, each trained on a run of its own. Logs are written by uniform choices, by epsilon-greedy
choices around fixed estimates, and by LinTS and NPR while they learn, with a floor of 0.05.
"""

import argparse
import hashlib
import json
import math
import time
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from jostle import serialization
from jostle.benchmarks import coverage_tables
from jostle.core.record import leaf
from jostle.environments.field.base import Stream, disjoint_round, shared_context
from jostle.evaluation import Frozen, Log, bounds, intervals, sequences
from jostle.evaluation.estimators import make_estimators
from jostle.evaluation.ridge_model import CrossFittedRidge
from jostle.evaluation.targets import Probabilities
from jostle.evaluation.terms import Terms, collect
from jostle.factory import make_policy
from jostle.policies import Policy
from jostle.policies.selection import pick_weighted
from jostle.simulation import simulate
from jostle.types import BanditSpec, Choice, Feedback, Round

KINDS, ARMS, ROUNDS, LEVEL, FLOOR = 8, 3, 1000, 0.95, 0.05
RESAMPLES = 400
"""Of the bootstrap, which is only taken of SNIPS: fewer than usual, to save time."""
FEATURES = np.array(
    [[1.0, *(2.0 * int(bit) - 1 for bit in f"{kind:03b}")] for kind in range(KINDS)]
)
"""A constant and three features of each kind of user."""
RATES = 0.1 + 0.5 * np.random.default_rng(7).random((KINDS, ARMS))
"""The expected reward of each arm for each kind of user."""
LOGGERS, TARGETS = tuple(coverage_tables.LOGS), tuple(coverage_tables.TARGETS)
TRAINING_SEED = 1_000_004


class KnownRates(Stream):
    """Users of eight kinds, and arms whose rates are known for each."""

    @property
    def spec(self) -> BanditSpec:
        """A block of a constant and three features for each arm."""
        length = FEATURES.shape[1]
        return BanditSpec(features=ARMS * length, blocks=ARMS, arms=ARMS)

    def init(self, key: jax.Array) -> tuple[()]:
        """The same problem for every seed."""
        return ()

    def observe(self, state: Any, key: jax.Array, t: jax.Array) -> Round:
        """A user, and all arms."""
        kind = jax.random.randint(key, (), 0, KINDS)
        return disjoint_round(jnp.asarray(FEATURES, jnp.float32)[kind], jnp.arange(ARMS))

    def expected(self, state: Any, t: jax.Array, round: Round) -> jax.Array:
        """The rates for the kind of this user."""
        x = shared_context(round, FEATURES.shape[1])
        kind = (jnp.sum((x[1:] > 0) * jnp.array([4, 2, 1]))).astype(jnp.int32)
        return jnp.asarray(RATES, jnp.float32)[kind]


class FixedEpsilon(Policy):
    """Epsilon-greedy around fixed estimates of the arms; it never learns."""

    epsilon: Any = leaf(default=0.2)

    def init(self, key: jax.Array) -> tuple[()]:
        """Nothing to remember."""
        return ()

    def choose(self, state: Any, key: Any, round: Round) -> Choice:
        """As with probabilities."""
        return self.choose_with_probabilities(state, key, round)

    def choose_with_probabilities(self, state: Any, key: Any, round: Round) -> Choice:
        """The arm that two of the features point to, or any."""
        x = shared_context(round, FEATURES.shape[1])
        best = (x[1] > 0).astype(jnp.int32) + (x[2] > 0)
        chances = (1 - self.epsilon) * (jnp.arange(ARMS) == best) + self.epsilon / ARMS
        return Choice(pick_weighted(key, chances), chances, chances)

    def learn(self, state: Any, key: jax.Array, feedback: Feedback) -> tuple[()]:
        """Nothing to learn."""
        return ()

    @property
    def knows_probabilities(self) -> bool:
        """They are its definition."""
        return True


def logger(name: str) -> Policy:
    """The policy that writes the logs of this name."""
    environment = KnownRates()
    if name == "epsilon-greedy":
        return FixedEpsilon(environment.features)
    policy = make_policy(name, environment)
    return policy if name == "uniform" else policy.replace(floor=FLOOR)


def target_tables() -> dict[str, np.ndarray]:
    """(kinds, arms) the probabilities of each target, trained on a run of its own."""
    kinds = Log.from_arrays(
        np.zeros(KINDS, int), np.zeros(KINDS), np.full(KINDS, 1 / ARMS), FEATURES, shown=ARMS
    )
    tables = {"uniform": np.full((KINDS, ARMS), 1 / ARMS)}
    environment = KnownRates()
    for name in TARGETS[1:]:
        policy = make_policy(name, environment)
        state = simulate(policy, environment, rounds=500, seed=TRAINING_SEED).state
        tables[name] = Frozen(policy, state).matrix(kinds)
    return tables


def kinds_of(log: Log) -> np.ndarray:
    """The kind of the user of each row."""
    assert log.contexts is not None
    return np.asarray((log.contexts[:, 1:] > 0) @ np.array([4, 2, 1]))


def key_of(name: str, policy: Policy, tables: dict[str, np.ndarray]) -> str:
    """What rows are kept by: a logging policy and the targets, the same in every process."""
    targets = {target: table.tolist() for target, table in tables.items()}
    about = [name, policy.behaviour, serialization.describe(policy), targets]
    return hashlib.sha256(json.dumps(about).encode()).hexdigest()[:16]


def study(name: str, logs: int, tables: dict[str, np.ndarray], rows: "Rows") -> dict[str, Any]:
    """Coverage, widths and bias over logs of one logging policy, by target."""
    policy, environment = logger(name), KnownRates()
    key = key_of(name, policy, tables)
    truths = {
        target: float(np.mean(np.sum(table * RATES, axis=1))) for target, table in tables.items()
    }
    for seed in range(logs):
        if rows.find(key, seed) is not None:
            continue
        if seed % 50 == 0:
            print(f"{name}: log {seed} of {logs}", flush=True)
        log = simulate(policy, environment, rounds=ROUNDS, seed=seed, log=True).log
        assert log is not None
        model = CrossFittedRidge(log, folds=3)
        kinds = kinds_of(log)
        rows.add(
            key,
            seed,
            {
                target: _measured(
                    collect(log, Probabilities(table[kinds]), model), truths[target], seed
                )
                for target, table in tables.items()
            },
        )
    measured = [rows.find(key, seed) or {} for seed in range(logs)]
    return {
        target: _summary(
            {column: [row[target][column] for row in measured] for column in measured[0][target]},
            truths[target],
        )
        for target in tables
    }


class Rows:
    """What was measured on each log so far, in a JSON lines file."""

    def __init__(self, path: Path):
        self._path = path
        self._known: dict[tuple[str, int], dict[str, dict[str, float]]] = {}
        if path.exists():
            whole, _, torn = path.read_text().rpartition("\n")
            if torn:  # the process ended while it wrote a row
                path.write_text(whole + "\n" if whole else "")
            for line in whole.splitlines():
                key, seed, measured = json.loads(line)
                self._known[key, seed] = measured

    def find(self, key: str, seed: int) -> dict[str, dict[str, float]] | None:
        """The row of a logging policy, by its key, and a seed."""
        return self._known.get((key, seed))

    def add(self, key: str, seed: int, measured: dict[str, dict[str, float]]) -> None:
        """Keep a row."""
        self._known[key, seed] = measured
        with self._path.open("a") as file:
            file.write(json.dumps([key, seed, measured]) + "\n")


def _measured(terms: Terms, truth: float, seed: int) -> dict[str, float]:
    """Whether each interval holds the truth, and its width."""
    found: dict[str, float] = {}
    for name, estimator in make_estimators(("ips", "snips", "dr")).items():
        columns = estimator.columns(terms)
        found[f"{name} value"] = columns.value
        ends = {"normal": intervals.normal(columns.influences(), LEVEL)}
        if name == "snips":
            ends["bootstrap"] = intervals.bootstrap(columns, None, LEVEL, seed, RESAMPLES)
        for interval, (low, high) in ends.items():
            found[f"{name} {interval} held"] = float(low <= truth <= high)
            found[f"{name} {interval} width"] = high - low
    for interval in bounds.GUARANTEED:
        settings = bounds.Settings(interval, LEVEL, (0.0, 1.0), None, seed)
        low, high = bounds.value_bounds(columns, terms, settings)
        found[f"{interval} held"] = float(low <= truth <= high)
        found[f"{interval} width"] = high - low
    found["sequence at all times held"] = float(_held_at_all_times(terms, truth))
    found["running at all times held"] = float(_running_held(terms, truth))
    return found


def _held_at_all_times(terms: Terms, truth: float) -> bool:
    """Whether no bet against the truth ever won enough: the sequence held it after every row."""
    threshold = math.log(2 / (1 - LEVEL))
    weighted = sequences.Weighted(terms.weights, terms.bounds)
    below = sequences.log_wealth(sequences.increments(weighted, terms.rewards), truth)
    above = sequences.log_wealth(sequences.increments(weighted, 1 - terms.rewards), 1 - truth)
    return bool(max(below.max(), above.max()) < threshold)


def _running_held(terms: Terms, truth: float) -> bool:
    """Whether the sequence for running means held the truth after every tenth row."""
    settings = bounds.Settings("running", LEVEL, (0.0, 1.0), None, 0)
    at = np.arange(10, len(terms) + 1, 10)
    _, low, high = bounds.over_time(terms, settings, at)
    return bool(np.all((low <= truth) & (truth <= high)))


def _summary(columns: dict[str, list[float]], truth: float) -> dict[str, float]:
    """Means of all columns; of estimates, bias and its standard error too."""
    summary: dict[str, float] = {"truth": truth}
    for key, values in columns.items():
        array = np.asarray(values)
        if key.endswith("value"):
            first = array[:200]
            summary[f"{key[:-6]} bias"] = float(first.mean()) - truth
            error = float(first.std(ddof=1)) / math.sqrt(len(first)) if len(first) > 1 else 0.0
            summary[f"{key[:-6]} error of bias"] = error
        else:
            summary[key] = float(array.mean())
    return summary


def main() -> None:
    """Run the study and write its figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--logs", type=int, default=500)
    parser.add_argument("--loggers", nargs="*", default=list(LOGGERS))
    parser.add_argument("--output", type=Path, required=True)
    parser.add_argument("--page", type=Path, help="where the figures are shown")
    arguments = parser.parse_args()
    tables = target_tables()
    content: dict[str, Any] = {"logs": arguments.logs, "rows": ROUNDS, "level": LEVEL}
    rows = Rows(arguments.output.with_suffix(".rows.jsonl"))
    if arguments.output.exists():
        content = {**json.loads(arguments.output.read_text()), **content}
    for name in arguments.loggers:
        start = time.perf_counter()
        content[name] = study(name, arguments.logs, tables, rows)
        arguments.output.write_text(json.dumps(_rounded(content), indent=1) + "\n")
        print(f"{name}: {time.perf_counter() - start:.0f} s", flush=True)
    if arguments.page is not None:
        coverage_tables.write(arguments.output, arguments.page)


def _rounded(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _rounded(each) for key, each in value.items()}
    return round(value, 5) if isinstance(value, float) else value


if __name__ == "__main__":
    main()
