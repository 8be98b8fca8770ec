"""The benchmarks of ``jostle bench``, by name."""

from collections.abc import Callable

from jostle.benchmarks import (
    agent_latency,
    choosing,
    covariance_forms,
    evaluation_speed,
    import_time,
    lab_overhead,
    learning,
    lin_ucb,
    memory_use,
    online_learning,
    pytorch_reference,
    records,
    service_speed,
    unit_changes,
    warm_starts,
)
from jostle.benchmarks.comparison import Row

Benchmark = Callable[[bool], Row | list[Row]]
"""A function of ``quick``: fewer repetitions, for a first look. Its docstring describes it."""

SUITE: dict[str, Benchmark] = {
    "agent": agent_latency.agent_latency,
    "agent-policies": agent_latency.policy_latency,
    "decision": choosing.choose_against_numpy,
    "exploration": learning.npr_against_greedy,
    "units": unit_changes.regret_in_other_units,
    "solved": learning.solved_against_descended,
    "online": online_learning.online_against_no_network,
    "pooled-update": learning.pooled_update,
    "late-round": learning.late_round,
    "bounded-memory": memory_use.bounded_memory,
    "lin-ucb": lin_ucb.lin_ucb_against_numpy,
    "covariance": covariance_forms.covariance_forms,
    "import": import_time.import_against_jax,
    "trial": lab_overhead.trial_overhead,
    "workers": lab_overhead.second_worker,
    "encoding": records.encoding_against_scikit_learn,
    "deciding": records.deciding_on_records,
    "records": records.records_against_hand_encoding,
    "warm-start": warm_starts.warm_start_speed,
    "warm-start-regret": warm_starts.warm_start_regret,
    "warm-start-weights": warm_starts.warm_start_weights,
}
if pytorch_reference.available():
    SUITE["pytorch-learning"] = pytorch_reference.learning_against_pytorch
    SUITE["pytorch-regret"] = pytorch_reference.regret_against_pytorch
if evaluation_speed.available():
    SUITE["evaluation"] = evaluation_speed.evaluation_against_obp
if service_speed.available():
    SUITE["service"] = service_speed.durable_decisions


def run(name: str, quick: bool = False) -> list[Row]:
    """Run the benchmark of this name."""
    rows = SUITE[name](quick)
    return [rows] if isinstance(rows, Row) else rows


def description(name: str) -> str:
    """Return what the benchmark of this name measures, in one line."""
    return (SUITE[name].__doc__ or "").strip().splitlines()[0]
