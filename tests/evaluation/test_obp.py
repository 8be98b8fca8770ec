"""The same numbers as Open Bandit Pipeline 0.4.1, on its synthetic data and on its sample."""

import json
from pathlib import Path

import numpy as np
import pytest

from jostle.evaluation import Log, evaluate

ANSWERS = np.load(Path(__file__).parent / "obp_answers.npz")
NAMES = {"switch-dr": "switch-dr:threshold=2", "dros": "dros:shrinkage=20"}
"""Our names, with the hyper-parameters that record_obp_answers.py used."""


def softmax(scores):
    weights = np.exp(scores - scores.max(axis=1, keepdims=True))
    return weights / weights.sum(axis=1, keepdims=True)


def inputs(name):
    """The log, the targets and the reward model's predictions that obp was given."""
    context = ANSWERS[f"{name}_context"].astype(float)
    action, position = ANSWERS[f"{name}_action"], ANSWERS[f"{name}_position"]
    scores = context @ ANSWERS[f"{name}_weights"]
    arms = scores.shape[1]
    coefficients = ANSWERS[f"{name}_coefficients"]
    users, items, slots = np.split(coefficients[1:], [context.shape[1], context.shape[1] + arms])
    logits = coefficients[0] + (context @ users + slots[position])[:, None] + items[None, :]
    log = Log.from_arrays(
        action, ANSWERS[f"{name}_reward"], ANSWERS[f"{name}_pscore"], context, shown=arms
    )
    targets = {"soft": softmax(scores), "hard": np.eye(arms)[scores.argmax(axis=1)]}
    return log, targets, 1 / (1 + np.exp(-logits))


@pytest.mark.parametrize("kind", ["soft", "hard"])
@pytest.mark.parametrize("name", ["synthetic", "open_bandit"])
def test_every_estimator_that_both_have_agrees(name, kind):
    log, targets, predictions = inputs(name)
    theirs = json.loads(str(ANSWERS[f"{name}_answers"]))[kind]
    assert len(theirs) == (8 if kind == "hard" else 7)
    wanted = [NAMES.get(each, each) for each in theirs]
    ours = evaluate(log, targets[kind], wanted, interval=None, model=predictions)
    for each, value in theirs.items():
        assert ours[NAMES.get(each, each)].value == pytest.approx(value, abs=1e-8), each
