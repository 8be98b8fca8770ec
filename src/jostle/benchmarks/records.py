"""Records: encoding, deciding and closing against their references, and what encoding costs."""

import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from jostle.agent import Agent
from jostle.benchmarks.comparison import Row, in_turns, on_one_core
from jostle.core.optional import require
from jostle.datasets.table import Table
from jostle.datasets.uci import load_table
from jostle.decisions.decider import Decider
from jostle.environments import Classification, Recommendation
from jostle.features.encoder import Encoder
from jostle.peers.stream import chunks
from jostle.policies import LinUCB, Uniform
from jostle.simulation import begin, simulate

ACTIONS, FEATURES, DIMENSIONS = 1000, 20, 256
SEEDS = (100, 101, 102)
ROUNDS = 3000
WITHIN = 1.05
"""The most regret with records, in that with features encoded by hand."""

Round = tuple[Any, list[Any], np.ndarray]
"""A context, its actions, and the reward of each."""


def encoding_against_scikit_learn(quick: bool = False) -> list[Row]:
    """Encoding actions of 20 features, against scikit-learn's FeatureHasher (dense rows)."""
    kinds = ("strings", "numbers", "mixed")
    return [on_one_core(_encoding, number, int(quick)) for number in range(len(kinds))]


def _encoding(kind: int, quick: int) -> Row:
    hasher = require("sklearn.feature_extraction", extra="data").FeatureHasher(DIMENSIONS)
    actions = _actions(kind)
    encoder = Encoder(DIMENSIONS, interactions="none", warmup=1)
    encoder.observe({}, actions)
    ours, theirs = in_turns(
        lambda: encoder.encode({}, actions),
        lambda: hasher.transform(actions).toarray().astype(np.float32),
        turns=10 if quick else 50,
    )
    few = _best(lambda: [encoder.encode({}, actions[i : i + 20]) for i in range(0, ACTIONS, 20)])
    words = ("strings", "numbers", "strings and numbers")[kind]
    return Row(
        f"Encoder, {FEATURES} features per action ({words}): actions per second against "
        "FeatureHasher",
        f"{ACTIONS / ours:,.0f}/s",
        f"{ACTIONS / theirs:,.0f}/s",
        theirs / ours,
        1.0,
        at_least=True,
        details=f"{words}: 20 at a time, from the cache, {ACTIONS / few:,.0f}/s" + _vowpal(actions),
    )


def _actions(kind: int) -> list[dict[str, Any]]:
    """Actions of strings, of numbers, or of both in turns."""
    rng = np.random.default_rng(0)
    texts = rng.integers(50, size=(ACTIONS, FEATURES))
    numbers = rng.normal(size=(ACTIONS, FEATURES))
    return [
        {
            f"f{j}": float(numbers[i, j])
            if kind == 1 or (kind == 2 and j % 2)
            else f"v{texts[i, j]}"
            for j in range(FEATURES)
        }
        for i in range(ACTIONS)
    ]


def _vowpal(actions: list[dict[str, Any]]) -> str:
    """Vowpal Wabbit's parser on the same actions as text, in words; "" if it is not installed."""
    try:
        vowpal = require("vowpalwabbit", extra="peers")
    except ImportError:
        return ""
    lines = [
        "| " + " ".join(f"{n}={v}" if isinstance(v, str) else f"{n}:{v}" for n, v in action.items())
        for action in actions
    ]
    workspace = vowpal.Workspace("--quiet -b 18")

    def parse() -> None:
        for line in lines:
            workspace.finish_example(workspace.parse(line)[0])

    seconds = _best(parse)
    workspace.finish()
    return f"; Vowpal Wabbit parses {ACTIONS / seconds:,.0f}/s of them as text"


def deciding_on_records(quick: bool = False) -> list[Row]:
    """Decider.decide and closing, against Agent.decide and Agent.learn on ready rows (CPU time).

    CPU time of all threads, because waiting for a busy core would hide the differences.
    """
    rounds = 300 if quick else 2000
    rng = np.random.default_rng(0)
    contexts = [
        {"device": f"d{rng.integers(3)}", "hour": int(rng.integers(24)), "age": float(rng.normal())}
        for _ in range(rounds)
    ]
    actions = [f"arm {i}" for i in range(10)]
    decider = Decider(LinUCB(DIMENSIONS))
    agent = Agent(LinUCB(DIMENSIONS))
    times = np.empty((4, rounds))
    for i, context in enumerate(contexts):
        rows = decider.encoder.encode(context, actions)
        marks = [time.process_time()]
        decision = decider.decide(context, actions)
        marks.append(time.process_time())
        choice = agent.decide(rows)
        marks.append(time.process_time())
        decider.reward(decision.id, 1.0)
        marks.append(time.process_time())
        agent.learn(choice, 1.0)
        marks.append(time.process_time())
        times[:, i] = np.diff(marks)
    decide, choose, close, learn = np.median(times, axis=1) * 1e3
    return [
        Row(
            "Decider.decide, 10 named arms, 3 names: median against Agent.decide on ready rows",
            f"{decide:.3f} ms",
            f"{choose:.3f} ms",
            decide / choose,
        ),
        Row(
            "Decider.reward that closes a decision: median against Agent.learn",
            f"{close:.3f} ms",
            f"{learn:.3f} ms",
            close / learn,
            1.5,
        ),
    ]


def records_against_hand_encoding(quick: bool = False) -> list[Row]:
    """Regret of LinUCB on records, against features encoded by hand (needs the data sets)."""
    rounds, seeds = (500, SEEDS[:1]) if quick else (ROUNDS, SEEDS)
    rows = []
    for name in ("mushroom", "adult", "covertype", "lastfm"):
        ours, by_hand = zip(*(_regrets(name, rounds, seed) for seed in seeds), strict=True)
        rows.append(
            Row(
                f"regret of LinUCB on {name}, {rounds:,} rounds: records against hand-encoded",
                f"{np.mean(ours):,.0f}",
                f"{np.mean(by_hand):,.0f}",
                float(np.mean(ours) / np.mean(by_hand)),
                WITHIN,
                details=f"{name}, seeds {seeds}: records {ours}, by hand {by_hand}",
            )
        )
    return rows


def _regrets(name: str, rounds: int, seed: int) -> tuple[float, float]:
    """The regret on the records of a data set, and on its features as encoded by hand."""
    played: Iterator[Round]
    if name == "lastfm":
        environment: Any = Recommendation(name)
        played = _recommendations(Recommendation(name, scaling="raw"), rounds, seed)
    else:
        environment = Classification(name, rounds=rounds)
        played = _classifications(environment, load_table(name), seed)
    by_hand = simulate(LinUCB(environment.features), environment, rounds=rounds, seed=seed)
    return play_records(Decider(LinUCB(DIMENSIONS), seed=seed), played), float(by_hand.regret[-1])


def play_records(decider: Decider, rounds: Iterator[Round]) -> float:
    """The regret of a decider whose rewards come at once."""
    regret = 0.0
    for context, actions, rewards in rounds:
        decision = decider.decide(context, actions)
        decider.reward(decision.id, float(rewards[decision.index]))
        regret += float(rewards.max() - rewards[decision.index])
    return regret


def _classifications(environment: Classification, table: Table, seed: int) -> Iterator[Round]:
    """The rounds of ``simulate`` with this seed: one row of the table, one action per class."""
    start = begin(Uniform(environment.features), environment, rounds=1, seed=seed)
    actions = [str(each) for each in table.classes]
    for row in np.asarray(start.environment_state.order).tolist():
        right = np.arange(len(actions)) == table.labels[row]
        yield record_of(table, row), actions, right.astype(float)


def record_of(table: Table, row: int) -> dict[str, Any]:
    """A row of a table as a mapping of names to numbers, strings and booleans."""
    numbers, codes = iter(table.numeric[row].tolist()), iter(table.codes[row].tolist())
    record: dict[str, Any] = {}
    for column in table.columns:
        if column.categories is None:
            number = next(numbers)
            record[column.name] = None if number != number else number
        else:
            code = next(codes)
            if column.indicator:
                record[column.name] = None if code < 0 else bool(code)
            else:
                record[column.name] = None if code < 0 else str(column.categories[code])
    return record


def _recommendations(environment: Recommendation, rounds: int, seed: int) -> Iterator[Round]:
    """The rounds of ``simulate`` with this seed: a user's vector, and items with theirs."""
    users = environment.user_dimensions or 0
    for chunk in chunks(environment, rounds=rounds, seed=seed):
        for contexts, arms, rewards in zip(
            chunk.round.contexts, chunk.round.arms, chunk.rewards, strict=True
        ):
            items = [
                {"id": int(arm), "tags": vector}
                for arm, vector in zip(arms, contexts[:, users:], strict=True)
            ]
            yield {"user": contexts[0, :users]}, items, rewards


def _best(call: Callable[[], Any]) -> float:
    def timed() -> float:
        start = time.perf_counter()
        call()
        return time.perf_counter() - start

    return min(timed() for _ in range(10))
