"""Which tests guard which source file: what a mutant of that file is tried against."""

from dataclasses import dataclass
from pathlib import Path

SOURCE = Path("src/jostle")
CONFORMANCE = "tests/policies/test_conformance.py"
RECORDED = "tests/test_behaviour.py"
"""Compares with recorded numbers, so it notices nearly any change; tried last and counted apart."""


@dataclass(frozen=True)
class Tests:
    """Test files, the most telling first; of the conformance suite only the named ``cases``."""

    files: tuple[str, ...]
    cases: str | None = None

    @property
    def arguments(self) -> list[str]:
        """These tests, for pytest's command line."""
        if self.cases is None:
            return list(self.files)
        return [*self.files, CONFORMANCE, "-k", f"not test_conformance or {self.cases}"]


def _in(folder: str, names: str) -> tuple[str, ...]:
    return tuple(f"tests/{folder}/test_{name}.py" for name in names.split())


def _policy(names: str, cases: str) -> Tests:
    return Tests(_in("policies", names), cases)


def _model(names: str, policies: str = "") -> Tests:
    return Tests((*_in("models", names), *_in("policies", policies)))


_NEURAL = "npr or epsilon or greedy or neural or falcon"
_MEAN = "one_mean npr own_scale folded"

POLICIES = {
    "_folded.py": _policy("folded npr npr_online", "npr"),
    "_gradient.py": _policy("gradient_policies one_mean", "neural-ucb or neural-ts"),
    "_inverse_gaps.py": _policy("falcon selection", "falcon"),
    "_neural.py": _policy("one_mean npr npr_paper falcon neural_linear", _NEURAL),
    "_online.py": _policy("npr_online", "npr-online"),
    "_probabilities.py": Tests(
        (*_in("policies", "selection npr linear ucb1"), "tests/test_agent.py"), "uniform or lin"
    ),
    "_ridge.py": _policy("linear own_scale", "lin"),
    "_stacked.py": _policy("npr one_mean own_scale folded", _NEURAL),
    "_stacked_gradient.py": _policy("one_mean gradient_policies", "neural-ucb or neural-ts"),
    "base.py": Tests(
        (*_in("policies", "selection npr"), "tests/test_factory.py", "tests/test_agent.py"),
        "lin-ucb or npr",
    ),
    "catalog.py": Tests(("tests/test_factory.py",), "uniform"),
    "epsilon_greedy.py": _policy("one_mean selection", "epsilon or greedy"),
    "falcon.py": _policy("one_mean falcon selection", "falcon"),
    "falcon_paper.py": _policy("falcon selection", "falcon"),
    "hlin_ucb.py": _policy("hlin_ucb", "hlin-ucb"),
    "lin_fpl.py": _policy("linear own_scale", "lin-fpl"),
    "lin_ts.py": _policy("linear own_scale", "lin-ts"),
    "lin_ucb.py": _policy("linear own_scale", "lin-ucb"),
    "neural_linear.py": _policy("neural_linear", "neural-linear"),
    "neural_ts.py": _policy("gradient_policies one_mean selection", "neural-ts"),
    "neural_ucb.py": _policy("gradient_policies one_mean selection", "neural-ucb"),
    "npr.py": _policy("npr npr_online folded one_mean own_scale selection", "npr"),
    "npr_paper.py": _policy("npr_paper", "npr-paper or npr-descent or npr-bounded"),
    "ntk_perturbed.py": _policy("ntk_perturbed selection", "ntk-perturbed"),
    "selection.py": _policy("selection npr_paper falcon ucb1", "npr or greedy"),
    "ucb1.py": _policy("ucb1", "ucb1"),
    "uniform.py": _policy("selection", "uniform"),
}

MODELS = {
    "centred_ridge.py": _model("scales stack", "own_scale one_mean npr"),
    "covariance.py": _model("covariance", "gradient_policies linear"),
    "early.py": _model("scales features", "npr own_scale one_mean npr_online"),
    "features.py": _model("features", "npr folded"),
    "fitting.py": _model("fitting", "npr_paper npr"),
    "forecaster.py": _model("stack scales responses", "npr one_mean own_scale folded npr_online"),
    "forgetting.py": _model("responses", "npr own_scale"),
    "gradients.py": _model("covariance networks", "gradient_policies"),
    "gram.py": _model("gram", "gradient_policies"),
    "history.py": _model("fitting", "npr_paper npr_online neural_linear"),
    "networks.py": _model("networks fitting", "gradient_policies npr_paper neural_linear"),
    "outlying.py": _model("outlying", "npr folded"),
    "residuals.py": _model("scales", "own_scale npr"),
    "responses.py": _model("responses", "npr"),
    "ridge.py": _model("covariance", "linear own_scale neural_linear"),
    "scales.py": _model("scales", "npr own_scale one_mean"),
    "stack.py": _model("stack", "npr one_mean"),
    "training.py": _model("fitting", "npr one_mean npr_paper"),
}

_AGENT = Tests(("tests/test_agent.py", "tests/test_deciding.py", *_in("policies", "selection")))

AGENT = {
    "agent.py": _AGENT,
    "agent_input.py": _AGENT,
    "arm_slots.py": _AGENT,
    "deciding.py": Tests(("tests/test_deciding.py", "tests/test_agent.py")),
}

_DECIDER = Tests(_in("decisions", "decider decision_log histories warm_start"))
DECISIONS = dict.fromkeys(
    [
        "apprenticeship.py",
        "closing.py",
        "decider.py",
        "decision_log.py",
        "importance.py",
        "ledger.py",
        "log_learning.py",
        "policies.py",
        "requests.py",
        "rewards.py",
    ],
    _DECIDER,
)

_ESTIMATES = Tests(
    _in(
        "evaluation",
        "estimators obp confidence_intervals diagnostics targets reward_models "
        "network_model choosing_policies simulated_logs",
    )
)
EVALUATION = dict.fromkeys(
    [
        "bounds.py",
        "diagnostics.py",
        "estimators.py",
        "folds.py",
        "intervals.py",
        "named_targets.py",
        "network_model.py",
        "offline.py",
        "policy_rows.py",
        "results.py",
        "reward_models.py",
        "ridge_model.py",
        "selection.py",
        "sequences.py",
        "slope.py",
        "targets.py",
        "terms.py",
    ],
    _ESTIMATES,
)

_LOG = Tests(_in("service", "service_log crashes backup full_disk"))
LOG = dict.fromkeys(["base.py", "records.py", "sqlite.py"], _LOG)

ROOMS = {
    "policies": ("policies", POLICIES),
    "models": ("models", MODELS),
    "agent": ("", AGENT),
    "decisions": ("decisions", DECISIONS),
    "evaluation": ("evaluation", EVALUATION),
    "service-log": ("service/log", LOG),
}


def files(room: str) -> dict[str, Tests]:
    """The source files of a room, by their paths in the repository, and the tests of each."""
    folder, tests = ROOMS[room]
    return {(SOURCE / folder / name).as_posix(): tests[name] for name in sorted(tests)}
