"""The operations of the HTTP interface, all of them."""

from typing import Any

from jostle.service.calls import BINARY, PARQUET, TEXT, Answered, Operation, roles
from jostle.service.envelopes import (
    ActivationAnswer,
    AppList,
    DecisionBatch,
    DecisionBatchAnswer,
    DecisionList,
    DecisionsQuery,
    Erased,
    EvaluationList,
    KeyList,
    KeyRequest,
    ModelList,
    NewKey,
    PinRequest,
    RewardAnswer,
    RewardBatch,
    RewardBatchAnswer,
    RollBackRequest,
    StatisticsQuery,
)
from jostle.service.handlers import apps, decisions, jobs, keys, models, server
from jostle.service.messages import (
    Config,
    DecisionAnswer,
    DecisionRequest,
    Evaluation,
    EvaluationRequest,
    Health,
    ModelInfo,
    RewardRequest,
    Statistics,
)

APP = "/v1/apps/{app}"
DECISION = f"{APP}/decisions/{{event_id}}"
_TAG = {"ETag": "Of the configuration."}
_READ, _ADMIN = roles("read"), roles("admin")

DECISIONS = [
    Operation(
        "POST", f"{APP}/decisions", decisions.decide, "decide",
        "Choose one of the actions.",
        {
            201: Answered("Decided, and on the disk.", DecisionAnswer),
            200: Answered("The answer to the same request before, byte for byte.", DecisionAnswer),
        },
        roles("decide"), body=DecisionRequest, quota="decisions", problems=(503,), tag="decisions",
    ),
    Operation(
        "GET", f"{APP}/decisions", decisions.decisions, "list_decisions",
        "The latest decisions, newest first.",
        {200: Answered("The decisions.", DecisionList)},
        _READ, query=DecisionsQuery, tag="decisions",
    ),
    Operation(
        "POST", f"{APP}/batches/decisions", decisions.decide_batch, "decide_batch",
        "Up to 256 decisions in one transaction. Each is answered as it would be alone.",
        {200: Answered("The answers, in the order of the requests.", DecisionBatchAnswer)},
        roles("decide"), body=DecisionBatch, size="batch", quota="decisions", problems=(503,),
        tag="decisions",
    ),
    Operation(
        "GET", DECISION, decisions.decision, "get_decision",
        "Everything about a decision: request, answer, rewards, activation, closing.",
        {200: Answered("The decision.", dict[str, Any])},
        _READ, problems=(422,), tag="decisions",
    ),
    Operation(
        "POST", f"{DECISION}/rewards", decisions.reward, "reward",
        "Reward a decision, which may also come later.",
        {202: Answered("Counted, or not, as the state says; on the disk.", RewardAnswer)},
        roles("reward"), body=RewardRequest, quota="rewards", problems=(503,), tag="decisions",
    ),
    Operation(
        "POST", f"{APP}/batches/rewards", decisions.reward_batch, "reward_batch",
        "Up to 256 rewards in one transaction. Each is answered as it would be alone.",
        {200: Answered("The answers, in the order of the rewards.", RewardBatchAnswer)},
        roles("reward"), body=RewardBatch, size="batch", quota="rewards", problems=(503,),
        tag="decisions",
    ),
    Operation(
        "POST", f"{DECISION}/activate", decisions.activate, "activate",
        "Let a deferred decision count.",
        {200: Answered("What became of it.", ActivationAnswer)},
        roles("decide", "reward"), problems=(422, 503), tag="decisions",
    ),
]  # fmt: skip

APPS = [
    Operation(
        "GET", "/v1/apps", apps.apps, "list_apps",
        "The apps on which your key has a role.",
        {200: Answered("The apps.", AppList)},
        any_key=True, tag="apps",
    ),
    Operation(
        "PUT", APP, apps.create, "create_app",
        "Make an app. Refused with 412 if it exists: change its configuration instead.",
        {201: Answered("Made.", Config, headers=_TAG)},
        _ADMIN, body=Config, optional_body=True, problems=(412, 503), tag="apps",
    ),
    Operation(
        "GET", f"{APP}/config", apps.config, "get_config",
        "The configuration.",
        {200: Answered("The configuration.", Config, headers=_TAG)},
        _READ, tag="apps",
    ),
    Operation(
        "PUT", f"{APP}/config", apps.put_config, "put_config",
        "Replace the configuration.",
        {200: Answered("The new configuration.", Config, headers=_TAG)},
        _ADMIN, body=Config, problems=(412, 428, 503), tag="apps",
        headers={"If-Match": "The ETag of the configuration that is replaced, or *."},
    ),
    Operation(
        "GET", f"{APP}/statistics", apps.statistics, "get_statistics",
        "Counts and sums over time.",
        {200: Answered("The statistics.", Statistics)},
        _READ, query=StatisticsQuery, tag="apps",
    ),
    Operation(
        "DELETE", f"{APP}/users/{{user}}", apps.erase, "erase_user",
        "Erase the data of a user. The records are replaced by tombstones.",
        {200: Answered("Erased.", Erased)},
        _ADMIN, problems=(422, 503), tag="apps",
    ),
]  # fmt: skip

MODELS = [
    Operation(
        "GET", f"{APP}/models", models.models, "list_models",
        "The versions of the model, newest first.",
        {200: Answered("The versions.", ModelList)},
        _READ, tag="models",
    ),
    Operation(
        "POST", f"{APP}/models", models.import_model, "import_model",
        "Decide and learn with a model that was exported, here or by another server.",
        {201: Answered("The new version.", ModelInfo)},
        _ADMIN, body=bytes, size="model", problems=(422, 503), tag="models",
    ),
    Operation(
        "GET", f"{APP}/models/{{version}}/file", models.export, "export_model",
        "The file of a version.",
        {200: Answered("The file.", media=BINARY)},
        _READ, tag="models",
    ),
    Operation(
        "PUT", f"{APP}/pin", models.pin, "pin_model",
        "Decide with one version, whatever is learned; with null, with the latest again.",
        {200: Answered("The versions.", ModelList)},
        _ADMIN, body=PinRequest, problems=(503,), tag="models",
    ),
    Operation(
        "POST", f"{APP}/rollback", models.roll_back, "roll_back",
        "Forget what was learned after a version, and continue from it.",
        {200: Answered("The versions.", ModelList)},
        _ADMIN, body=RollBackRequest, problems=(503,), tag="models",
    ),
]  # fmt: skip

JOBS = [
    Operation(
        "POST", f"{APP}/evaluations", jobs.evaluate, "evaluate",
        "Estimate from the log what policies would have earned.",
        {202: Answered("Started.", Evaluation, headers={"Location": "Of the job."})},
        _READ, body=EvaluationRequest, problems=(503,), tag="jobs",
    ),
    Operation(
        "GET", f"{APP}/evaluations", jobs.evaluations, "list_evaluations",
        "All evaluations, newest first.",
        {200: Answered("The jobs.", EvaluationList)},
        _READ, tag="jobs",
    ),
    Operation(
        "GET", f"{APP}/evaluations/{{job}}", jobs.evaluation, "get_evaluation",
        "An evaluation, and its estimates once it is done.",
        {200: Answered("The job.", Evaluation)},
        _READ, tag="jobs",
    ),
    Operation(
        "GET", f"{APP}/exports", jobs.export, "export_log",
        "The closed decisions as a Parquet file, which `jostle evaluate` reads.",
        {200: Answered("The file.", media=PARQUET)},
        _READ, problems=(422, 503), tag="jobs",
    ),
]  # fmt: skip

KEYS = [
    Operation(
        "GET", "/v1/keys", keys.keys, "list_keys",
        "The keys of the apps that you administer.",
        {200: Answered("The keys, without the keys themselves.", KeyList)},
        any_key=True, problems=(404,), tag="keys",
    ),
    Operation(
        "POST", "/v1/keys", keys.create, "create_key",
        "Make a key for apps that you administer.",
        {201: Answered("The key, shown this once.", NewKey)},
        any_key=True, body=KeyRequest, problems=(403, 404), tag="keys",
    ),
    Operation(
        "DELETE", "/v1/keys/{id}", keys.revoke, "revoke_key",
        "Revoke a key at once.",
        {204: Answered("Revoked.")},
        any_key=True, tag="keys",
    ),
]  # fmt: skip

SERVER = [
    Operation(
        "GET", "/healthz", server.alive, "alive",
        "Whether the server answers.",
        {200: Answered("It does.", media=TEXT)},
    ),
    Operation(
        "GET", "/readyz", server.ready, "ready",
        "Whether the service can decide, log and learn.",
        {
            200: Answered("It can.", Health),
            503: Answered("It cannot; `problems` says why.", Health),
        },
    ),
    Operation(
        "GET", "/metrics", server.figures, "metrics",
        "Metrics for Prometheus. Needs the role read on all apps.",
        {200: Answered("The metrics.", media=TEXT)},
        _READ,
    ),
]  # fmt: skip

OPERATIONS = [*DECISIONS, *APPS, *MODELS, *JOBS, *KEYS, *SERVER]
