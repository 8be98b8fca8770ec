"""Open Bandit Pipeline (obp) as a reference, run by a Python of its own that has it installed.

This file needs only NumPy and obp, whose versions clash with ours: run it with the interpreter of
another environment. obp imports torch for estimators that nothing here uses; where torch is not
installed, an empty object stands in for it.

    python -m venv obp && obp/bin/pip install --no-deps obp==0.4.1
    obp/bin/pip install 'numpy<2' 'pandas<3' scikit-learn scipy tqdm pyyaml matplotlib seaborn
    obp/bin/pip install mypy_extensions
"""

import importlib.util
import json
import sys
import time
from typing import Any
from unittest.mock import MagicMock

import numpy as np

TAU, LAMBDA = 2.0, 20.0
"""Hyper-parameters of SWITCH-DR and DR with shrinkage."""


def estimators() -> dict[str, Any]:
    """The estimators of obp that jostle has too, by jostle's names."""
    stand_in_for_torch()
    ope = importlib.import_module("obp.ope")

    return {
        "replay": ope.ReplayMethod(),
        "ips": ope.InverseProbabilityWeighting(),
        "snips": ope.SelfNormalizedInverseProbabilityWeighting(),
        "dm": ope.DirectMethod(),
        "dr": ope.DoublyRobust(),
        "sndr": ope.SelfNormalizedDoublyRobust(),
        "switch-dr": ope.SwitchDoublyRobust(tau=TAU),
        "dros": ope.DoublyRobustWithShrinkage(lambda_=LAMBDA),
    }


def answers(log: Any, target: Any, predictions: Any, position: Any) -> dict[str, float]:
    """The value of a target by each estimator; arrays are those of obp, with positions."""
    return {
        name: float(
            estimator.estimate_policy_value(
                reward=log["reward"],
                action=log["action"],
                pscore=log["pscore"],
                action_dist=target,
                estimated_rewards_by_reg_model=predictions,
                position=position,
            )
        )
        for name, estimator in estimators().items()
    }


def made_up(rows: int, arms: int, seed: int = 0) -> tuple[Any, ...]:
    """A log, a target and predictions of rewards, for measuring speed."""
    generator = np.random.default_rng(seed)
    logged = generator.random((rows, arms)) + 0.1
    logged /= logged.sum(axis=1, keepdims=True)
    target = generator.random((rows, arms))
    target /= target.sum(axis=1, keepdims=True)
    action = (generator.random((rows, 1)) > logged.cumsum(axis=1)).sum(axis=1).clip(0, arms - 1)
    reward = (generator.random(rows) < 0.1).astype(float)
    return logged, target, action, reward, generator.random((rows, arms)) * 0.2


def stand_in_for_torch() -> None:
    """Put an empty object in place of torch, if it is not installed."""
    if "torch" not in sys.modules and importlib.util.find_spec("torch") is None:
        torch = MagicMock()
        torch.Tensor = torch.nn.Module = torch.utils.data.Dataset = type("Tensor", (), {})
        sys.modules.update({"torch": torch, "torch.nn": torch.nn, "torch.optim": torch.optim})


def main(rows: int, arms: int, turns: int) -> None:
    """Print the best time of all estimators, and their answers, as JSON."""
    logged, target, action, reward, predictions = made_up(rows, arms)
    log = {"reward": reward, "action": action, "pscore": logged[np.arange(rows), action]}
    times: list[float] = []
    found: dict[str, float] = {}
    position = np.zeros(rows, int)
    estimators()  # importing obp is not measured
    for _ in range(turns):
        start = time.perf_counter()
        found = answers(log, target[:, :, None], predictions[:, :, None], position)
        times.append(time.perf_counter() - start)
    print(json.dumps({"seconds": min(times), "answers": found}))


if __name__ == "__main__":
    main(*(int(argument) for argument in sys.argv[1:]))
