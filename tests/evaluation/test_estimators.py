"""Estimators against their definitions, written as loops, and against exact expectations."""

import numpy as np
import pytest

from jostle.evaluation import ESTIMATORS, Log, evaluate
from jostle.evaluation.slope import slope

ROWS, ARMS = 60, 4
CLIP, THRESHOLD, SHRINKAGE = 1.3, 1.6, 3.0
NAMES = [
    "ips", "snips", "replay", "dm", "dr", "sndr", "mips",
    f"clipped:clip={CLIP}", f"switch-dr:threshold={THRESHOLD}", f"dros:shrinkage={SHRINKAGE}",
]  # fmt: skip
GROUPS = np.array([0, 0, 1, 1])


def example(seed=0):
    generator = np.random.default_rng(seed)
    logged = generator.dirichlet(np.full(ARMS, 2.0), ROWS)
    target = generator.dirichlet(np.ones(ARMS), ROWS)
    actions = np.array([generator.choice(ARMS, p=row) for row in logged])
    rewards = generator.normal(size=ROWS)
    predictions = generator.normal(size=(ROWS, ARMS))
    return Log.from_arrays(actions, rewards, logged), target, predictions


def by_definition(name, log, target, q):
    """Loops over rows, as the papers write the estimators."""
    n, total, weight = len(log), 0.0, 0.0
    for t in range(n):
        a, r = log.actions[t], log.rewards[t]
        p = log.all_probabilities[t]
        w = target[t, a] / p[a]
        model = sum(target[t, i] * q[t, i] for i in range(ARMS))
        group = [i for i in range(ARMS) if GROUPS[i] == GROUPS[a]]
        marginal = sum(target[t, i] for i in group) / sum(p[i] for i in group)
        match name.partition(":")[0]:
            case "ips" | "snips":
                total, weight = total + w * r, weight + w
            case "replay":
                total, weight = total + target[t, a] * r, weight + target[t, a]
            case "dm":
                total += model
            case "dr":
                total += model + w * (r - q[t, a])
            case "mips":
                total += marginal * r
            case "clipped":
                total += min(w, CLIP) * r
            case "switch-dr":
                total += model + (w * (r - q[t, a]) if w <= THRESHOLD else 0)
            case "dros":
                total += model + SHRINKAGE * w / (w * w + SHRINKAGE) * (r - q[t, a])
            case "sndr":
                total, weight = total + w * (r - q[t, a]), weight + w
    if name == "sndr":
        return np.mean(np.sum(target * q, axis=1)) + total / weight
    return total / (weight if name in ("snips", "replay") else n)


@pytest.mark.parametrize("name", NAMES)
def test_each_estimator_is_its_definition(name):
    log, target, q = example()
    found = evaluate(log, target, name, interval=None, model=q, groups=GROUPS)[name]
    assert found.value == pytest.approx(by_definition(name, log, target, q), rel=1e-12)


def test_all_ten_are_tested():
    assert {name.partition(":")[0] for name in NAMES} == set(ESTIMATORS)


@pytest.mark.parametrize("name", ["ips", "dr", "mips"])
def test_unbiased_estimators_are_exactly_so(name):
    """The expectation over the logged action, one row at a time, is the target's value."""
    generator = np.random.default_rng(1)
    p, target = generator.dirichlet(np.ones(ARMS)), generator.dirichlet(np.ones(ARMS))
    q, means = generator.normal(size=ARMS), generator.normal(size=ARMS)
    if name == "mips":  # arms of a group must bring the same, for its assumption to hold
        means = means[GROUPS]
    value = 0.0
    for a in range(ARMS):
        log = Log.from_arrays([a], [means[a]], p[None, :])
        found = evaluate(log, target[None, :], name, interval=None, model=q[None, :], groups=GROUPS)
        value += p[a] * found[name].value
    assert value == pytest.approx(target @ means, rel=1e-12)


@pytest.mark.parametrize("name", ["clipped", "switch-dr", "dros"])
def test_limits_of_the_hyper_parameters(name):
    log, target, q = example()
    plain = {"clipped": "ips", "switch-dr": "dr", "dros": "dr"}[name]
    setting = {"clipped": "clip", "switch-dr": "threshold", "dros": "shrinkage"}[name]
    loose = f"{name}:{setting}=1e12"
    strict = f"{name}:{setting}=0"
    found = evaluate(log, target, (loose, strict, plain, "dm"), interval=None, model=q)
    assert found[loose].value == pytest.approx(found[plain].value, rel=1e-6)
    assert found[strict].value == pytest.approx(0 if name == "clipped" else found["dm"].value)


class Candidate:
    def __init__(self, value, error, rows=100):
        spread = np.tile([-1.0, 1.0], rows // 2)
        self.value, self._rows = value, value + spread * error * np.sqrt(rows) / 1.96

    def influences(self):
        return self._rows


@pytest.mark.parametrize(
    ("values", "errors", "chosen"),
    [
        ([1.0, 1.0, 1.0], [1.0, 0.5, 0.1], 2),  # no sign of bias: the narrowest
        ([1.0, 1.0, 9.0], [1.0, 0.5, 0.1], 1),  # the last contradicts the first
        ([1.0, 5.0, 9.0], [0.1, 0.1, 0.1], 0),
        # |v2 - v0| = 1.5 <= e2 + (sqrt 6 - 1) e0 = 0.1 + 1.449
        ([0.0, 0.0, 1.5], [1.0, 0.9, 0.1], 1),  # ... but not |v2 - v1| = 1.5 > 0.1 + 1.304
        ([0.0, 0.0, 1.3], [1.0, 0.9, 0.1], 2),
    ],
)
def test_slope_takes_the_last_that_agrees_with_all_before_it(values, errors, chosen):
    made = [Candidate(*pair) for pair in zip(values, errors, strict=True)]
    assert slope([lambda each=each: each for each in made]) is made[chosen]


def test_slope_clips_heavy_weights_and_leaves_light_ones_alone():
    generator = np.random.default_rng(0)
    n = 4000
    actions = (generator.random(n) < 0.002).astype(int)
    rewards = generator.random(n)
    p = np.where(actions == 1, 0.002, 0.998)
    heavy = Log.from_arrays(actions, rewards, p)
    target = np.tile([0.9, 0.1], (n, 1))
    found = evaluate(heavy, target, ("ips", "clipped"))
    assert found["clipped"].standard_error < 0.7 * found["ips"].standard_error
    assert "SLOPE chose the clip" in " ".join(found["clipped"].warnings)
    light = Log.from_arrays(
        generator.integers(2, size=10 * n), np.ones(10 * n), np.full(10 * n, 0.5)
    )
    found = evaluate(light, "uniform", ("ips", "clipped", "switch-dr", "dros"))
    assert {estimate.value for estimate in found.values()} == {1.0}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"estimators": "ipss"}, "unknown estimator 'ipss'; did you mean 'ips'"),
        ({"estimators": "ips:clip=3"}, "estimator 'ips' has no settings"),
        ({"estimators": "clipped:clipp=3"}, "unknown setting of estimator 'clipped'"),
        ({"estimators": ()}, "estimators must hold at least one name"),
        ({"estimators": "mips"}, "groups is missing"),
        ({"estimators": "mips", "groups": [0, 1]}, r"one group for each of 4 arms.*\(2,\)"),
        ({"interval": "norm"}, "unknown interval 'norm'; did you mean 'normal'"),
        ({"level": 1.0}, "level must be between 0 and 1"),
        ({"level": 1 - 2.0**-53}, "level must be between 0 and 1"),
        ({"interval": "sequence", "reward_range": (0, np.inf)}, "reward_range must be"),
        ({"interval": "sequence", "reward_range": 3}, "reward_range must be"),
        ({"estimators": "mips", "groups": [0, 0, 1, np.nan]}, "groups must not be missing"),
        ({"seed": -1}, "seed must be at least 0"),
        ({"estimators": "dr", "model": "rigde"}, "unknown model 'rigde'; did you mean 'ridge'"),
        ({"interval": "sequence", "reward_range": (0, 0.1)}, "but the log has rewards from"),
        ({"largest_weight": 1.0}, "largest_weight is 1, but the log has a weight of"),
    ],
)
def test_bad_arguments_are_named(arguments, message):
    log, target, _ = example()
    with pytest.raises(ValueError, match=message):
        evaluate(log, target, **arguments)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"estimators": None}, "estimators must be names"),
        ({"estimators": ("ips", 3)}, "estimators must be names, such as 'ips', not 3"),
        ({"seed": 2.5}, "seed must be a whole number"),
        ({"reward_range": "01"}, "reward_range must be numeric"),
    ],
)
def test_arguments_of_another_kind_are_named(arguments, message):
    log, target, _ = example()
    with pytest.raises(TypeError, match=message):
        evaluate(log, target, **arguments)


def test_only_a_log_is_a_log():
    with pytest.raises(TypeError, match=r"log must be a jostle log.*not dict"):
        evaluate({}, "uniform")


def test_the_logged_policy_needs_no_probabilities_of_other_arms():
    log, _, _ = example()
    bare = Log.from_arrays(log.actions, log.rewards, log.probabilities, shown=ARMS)
    found = evaluate(bare, "logged", ("ips", "snips", "dr", "sndr", "mips"), groups=GROUPS)
    for estimate in found.values():
        assert estimate.value == pytest.approx(log.rewards.mean())
    with pytest.raises(ValueError, match="'mips' needs the logged probabilities of all arms"):
        evaluate(bare, "uniform", "mips", groups=GROUPS)
