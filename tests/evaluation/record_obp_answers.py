"""Write obp_answers.npz: what Open Bandit Pipeline 0.4.1 says, to compare with.

Run it with a Python that has obp, as src/jostle/benchmarks/obp_reference.py explains:

    obp/bin/python tests/evaluation/record_obp_answers.py

The inputs are in the file too, so that the test needs no obp: obp's synthetic data, and the sample
of the Open Bandit Dataset that obp's wheel contains (ZOZO, Inc., CC BY 4.0). Reward models are
logistic; their coefficients are kept in place of their predictions.
"""

import json
import sys
from pathlib import Path

import numpy as np

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent.parent / "src" / "jostle" / "benchmarks"))

import obp_reference  # noqa: E402

obp_reference.stand_in_for_torch()

from obp.dataset import (  # noqa: E402
    OpenBanditDataset,
    SyntheticBanditDataset,
    linear_behavior_policy,
    logistic_reward_function,
)
from sklearn.linear_model import LogisticRegression  # noqa: E402


class Sample(OpenBanditDataset):
    """The sample, with indicators of the users' categories as context."""

    def pre_process(self):
        columns = [name for name in self.data.columns if name.startswith("user_feature")]
        self.context = np.concatenate(
            [
                self.data[name].to_numpy()[:, None] == np.unique(self.data[name])[None, :]
                for name in columns
            ],
            axis=1,
        ).astype(float)
        self.action_context = None


def logistic(context, action, reward, arms, position):
    """Coefficients of a reward model on context, arm and position."""
    inputs = np.c_[context, np.eye(arms)[action], np.eye(position.max() + 1)[position]]
    model = LogisticRegression(C=1.0, max_iter=2000).fit(inputs, reward)
    return np.r_[model.intercept_, model.coef_[0]]


def predictions(coefficients, context, arms, position):
    """(n, arms) what the reward model says of each arm in the position of its row."""
    places = position.max() + 1
    intercept, rest = coefficients[0], coefficients[1:]
    users, items, slots = np.split(rest, [context.shape[1], context.shape[1] + arms])
    assert len(slots) == places
    scores = intercept + (context @ users + slots[position])[:, None] + items[None, :]
    return 1 / (1 + np.exp(-scores))


def targets(context, arms, seed):
    """A softmax policy of the contexts, and a deterministic one for replay."""
    weights = np.random.default_rng(seed).normal(size=(context.shape[1], arms))
    scores = context @ weights
    soft = np.exp(scores - scores.max(axis=1, keepdims=True))
    return weights, soft / soft.sum(axis=1, keepdims=True), np.eye(arms)[scores.argmax(axis=1)]


def case(name, feedback, seed):
    """The inputs and obp's answers for one log."""
    arms = int(feedback["n_actions"])
    position = feedback["position"]
    position = np.zeros(len(feedback["action"]), int) if position is None else position
    context = np.asarray(feedback["context"], float)
    coefficients = logistic(context, feedback["action"], feedback["reward"], arms, position)
    q = predictions(coefficients, context, arms, position)
    weights, soft, hard = targets(context, arms, seed)
    places = position.max() + 1
    log = {key: np.asarray(feedback[key]) for key in ("action", "reward", "pscore")}
    answers = {}
    for kind, matrix in (("soft", soft), ("hard", hard)):
        found = obp_reference.answers(
            log, np.repeat(matrix[:, :, None], places, 2), np.repeat(q[:, :, None], places, 2),
            position,
        )  # fmt: skip
        if kind == "soft":
            found.pop("replay")  # obp's is for deterministic targets
        answers[kind] = found
    binary = set(np.unique(context)) <= {0.0, 1.0}
    return {
        f"{name}_action": log["action"].astype(np.uint8),
        f"{name}_reward": log["reward"].astype(np.uint8),
        f"{name}_pscore": log["pscore"],
        f"{name}_position": position.astype(np.uint8),
        f"{name}_context": context.astype(np.uint8) if binary else context,
        f"{name}_coefficients": coefficients,
        f"{name}_weights": weights,
        f"{name}_answers": np.array(json.dumps(answers)),
    }


def main():
    synthetic = SyntheticBanditDataset(
        n_actions=8,
        dim_context=4,
        reward_function=logistic_reward_function,
        behavior_policy_function=linear_behavior_policy,
        random_state=1,
    ).obtain_batch_bandit_feedback(n_rounds=1000)
    sample = Sample("bts", "men").obtain_batch_bandit_feedback()
    np.savez_compressed(
        HERE / "obp_answers.npz",
        **case("synthetic", synthetic, 0),
        **case("open_bandit", sample, 4),
    )


if __name__ == "__main__":
    main()
