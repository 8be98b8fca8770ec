"""All benchmarks, one after another."""

from collections.abc import Callable, Iterator

from jostle.benchmarks import authors, baselines, deciding, laboratory, learning, memory_use
from jostle.benchmarks.measure import Row, on_one_core

Benchmark = Callable[[], Row | list[Row]]

SUITE: dict[str, Benchmark] = {
    "pooled-update": lambda: [
        on_one_core(learning.pooled_against_sgemm),
        learning.pooled_against_sgemm(),
    ],
    "late-round": lambda: [
        on_one_core(learning.late_against_early),
        learning.late_against_early(),
    ],
    "bounded-memory": memory_use.bounded_stays_bounded,
    "decision": deciding.choose_against_numpy,
    "exploration": learning.npr_against_greedy,
    "import": deciding.import_against_jax,
    "lin-ucb": baselines.linucb_against_numpy,
    "covariance": lambda: [
        *(on_one_core(baselines.dual_against_primal, n) for n in (256, 1024, 4096)),
        baselines.dual_against_primal(1024),
    ],
    "trial": laboratory.trial_overhead,
    "workers": laboratory.second_worker,
}
if authors.available():
    SUITE["authors-1000"] = lambda: authors.ours_against_authors(1_000)
    SUITE["authors-5000"] = lambda: authors.ours_against_authors(5_000)
    SUITE["authors-regret"] = authors.regret_against_authors


def run_suite(names: list[str]) -> Iterator[Row]:
    """The rows of the named benchmarks, as they are measured."""
    for name in names:
        rows = SUITE[name]()
        yield from [rows] if isinstance(rows, Row) else rows
