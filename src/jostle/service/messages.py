"""What clients send and get: the structures of the service's interface.

Times are seconds since 1970 (UTC). What a client sends is refused if it has fields that are not
here.
"""

from typing import Annotated, Any, Literal

import msgspec

Id = Annotated[str, msgspec.Meta(min_length=1, max_length=256)]
"""An id of a decision, reward, action or user."""
AppName = Annotated[str, msgspec.Meta(pattern=r"^[a-z0-9][a-z0-9_-]{0,63}$")]
Positive = Annotated[float, msgspec.Meta(gt=0)]
Count = Annotated[int, msgspec.Meta(ge=0)]

Mode = Literal["online", "apprentice", "log_only"]
RewardState = Literal["joined", "pending", "late", "duplicate"]
"""What became of a reward: counted with its decision; kept until its decision comes; its decision
is closed, so it is logged but not learned; a reward of the same ``reward_id`` was counted."""
ActivationState = Literal["activated", "active", "late"]
"""The decision was deferred and now counts; it was active before; it is closed."""
CloseReason = Literal["waited", "final", "rewarded", "default", "evicted", "inactive"]
"""Why a decision was closed: its time was over and it had rewards; a reward was final; its first
reward closed it (``learn_at_once``); its time was over without a reward; there were too many open
decisions; it was deferred and never activated."""

MOST_ACTIONS = 1000
MOST_BATCH = 256


class Incoming(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a client sends."""


class ActionItem(Incoming, frozen=True, kw_only=True):
    """An action to choose from."""

    id: Id
    features: dict[str, Any] | None = None


class DecisionRequest(Incoming, frozen=True, kw_only=True):
    """What to decide."""

    context: dict[str, Any] | list[float] = {}
    actions: Annotated[list[ActionItem], msgspec.Meta(min_length=1, max_length=MOST_ACTIONS)]
    event_id: Id | None = None
    """The same id and request give the same answer, byte for byte. By default a new id."""
    exclude: list[Id] = []
    """Ids of actions that must not be chosen."""
    baseline: Id | None = None
    """The action that the caller would take; required in mode "apprentice"."""
    baseline_probability: Annotated[float, msgspec.Meta(gt=0, le=1)] | None = None
    """The probability with which the caller chose it."""
    defer: bool = False
    """Whether the decision counts only once it is activated."""
    user: Id | None = None
    """Whose data this is, so that it can be erased."""
    explain: bool = False
    """Whether to say what each feature contributes to the chosen action's score."""


class RewardRequest(Incoming, frozen=True, kw_only=True):
    """A reward of one decision."""

    value: float
    reward_id: Id | None = None
    """A reward with the same id is counted once. By default every reward is another one."""
    final: bool = False
    """Whether the decision is closed by this reward, at once."""


class EventReward(RewardRequest, frozen=True, kw_only=True):
    """A reward in a batch."""

    event_id: Id


class Retention(Incoming, frozen=True, kw_only=True):
    """How long the log is kept."""

    days: Positive | None = None
    """Records older than this are removed from the log, as far as a snapshot covers them."""
    archive: bool = True
    """Whether they are written to a Parquet file before."""


class Quotas(Incoming, frozen=True, kw_only=True):
    """Requests beyond these are refused with 429."""

    decisions_per_second: Positive | None = None
    rewards_per_second: Positive | None = None


class SchemaConfig(Incoming, frozen=True, kw_only=True):
    """What records should look like; names to kinds, nested as the records are.

    A kind is ``{"type": "number", "least": 0, "most": 120, "many": false, "required": false}``,
    ``{"type": "boolean"}``, ``{"type": "category", "values": ["a", "b"]}`` or
    ``{"type": "record", "fields": {...}}``.
    """

    context: dict[str, Any] | None = None
    action: dict[str, Any] | None = None
    misfits: Literal["refuse", "count"] = "refuse"


class Config(Incoming, frozen=True, kw_only=True):
    """The configuration of an app. Every change of it is a record of the log."""

    policy: str = "npr.online"
    """A name of the catalogue, with settings: "npr", "lin-ts:exploration=0.1". That of the default
    learns in constant memory, and fast enough to keep up."""
    floor: Annotated[float, msgspec.Meta(ge=0, le=1)] | None = 0.02
    """The probability shared evenly by all actions; None for the policy's own."""
    optimism: Annotated[float, msgspec.Meta(ge=0)] | None = None
    """Of NPR; None for its default."""
    half_life: Annotated[float, msgspec.Meta(ge=1)] | None = None
    """Observations after which one counts half; None to forget nothing."""
    mode: Mode = "online"
    wait: Positive = 3600.0
    """Seconds that a decision waits for rewards."""
    default_reward: float | None = 0.0
    """The reward of a decision that had none; None: nothing is learned from it."""
    aggregation: Literal["first", "last", "sum", "mean", "max", "min"] = "last"
    learn_at_once: bool = False
    """Whether the first reward closes a decision."""
    bounds: tuple[float, float] | None = None
    """Rewards outside of these are refused."""
    schema: SchemaConfig | None = None
    dimensions: Annotated[int, msgspec.Meta(ge=8, le=8192)] = 256
    """The length of encoded rows; see ``jostle.features.Encoder``."""
    interactions: Literal["crossed", "product", "none"] = "crossed"
    pending: Annotated[int, msgspec.Meta(ge=1)] = 10_000_000
    """How many decisions may be open; beyond that the oldest are closed early."""
    seed: Count = 0
    retention: Retention = Retention()
    quotas: Quotas = Quotas()


class EvaluationRequest(Incoming, frozen=True, kw_only=True):
    """What to estimate from the log, by ``jostle.evaluation``."""

    policies: Annotated[list[str], msgspec.Meta(min_length=1, max_length=16)]
    """Names of the catalogue with settings, "logged", "uniform", or "current" (the newest snapshot
    of the app's own model)."""
    baseline: str = "logged"
    estimators: tuple[str, ...] = ("ips", "snips")
    interval: Literal["normal", "bootstrap", "bernstein", "sequence", "running"] | None = "sequence"
    level: Annotated[float, msgspec.Meta(gt=0, lt=1)] = 0.95
    since: float | None = None
    """Only decisions from this time on."""
    until: float | None = None
    most_rows: Annotated[int, msgspec.Meta(ge=1, le=10_000_000)] = 200_000
    """Only the latest so many."""


class ModelRef(msgspec.Struct, frozen=True):
    """Which model decided."""

    version: int
    """The latest numbered version that it contains; 0 before the first."""
    position: int
    """The position of the log up to which it had learned."""


class Ranked(msgspec.Struct, frozen=True):
    """An action in a ranking."""

    id: str
    probability: float | None
    """With which the policy would have chosen it."""
    score: float | None


class Contribution(msgspec.Struct, frozen=True):
    """What one feature contributes to a score: the score less that without the feature."""

    feature: str
    contribution: float


class DecisionAnswer(msgspec.Struct, frozen=True, omit_defaults=True):
    """The answer to a ``DecisionRequest``."""

    event_id: str
    action: str
    probability: float | None
    """With which the action was chosen; None for a baseline whose caller did not say."""
    ranking: list[Ranked]
    """All actions that were not excluded: the chosen one first, then by score."""
    model: ModelRef
    mode: Mode
    expires_at: float
    explanation: list[Contribution] | None = None


class Answer(msgspec.Struct, frozen=True):
    """An answer as it is sent, and whether it was made now or before."""

    body: bytes
    """A ``DecisionAnswer`` as JSON."""
    created: bool


class ModelInfo(msgspec.Struct, frozen=True):
    """A version of an app's model."""

    version: int
    position: int
    created: float
    observations: int
    policy: str
    sha256: str
    """Of the state; ``jostle replay`` prints the same."""
    size: int
    """Bytes of the file."""
    source: Literal["learned", "imported"]
    active: bool
    """Whether decisions are made with it, or with what has been learned since."""
    pinned: bool


LATENCY_EDGES = (
    *(0.0005, 0.001, 0.002, 0.003, 0.005, 0.007, 0.01, 0.015, 0.02, 0.03, 0.05),
    *(0.07, 0.1, 0.15, 0.2, 0.3, 0.5, 0.7, 1.0, 2.0, 5.0),
)
"""Seconds between which latencies are counted."""
DELAY_EDGES = (1.0, 3.0, 10.0, 30.0, 60.0, 300.0, 900.0, 3600.0, 10800.0, 43200.0, 86400.0)
"""Seconds between which the times from a decision to its rewards are counted."""


class Moments(msgspec.Struct):
    """Sums over closed decisions with weights w and rewards r, for a mean and its interval."""

    count: int = 0
    weight: float = 0.0
    """The sum of w."""
    weight2: float = 0.0
    """Of w^2."""
    reward: float = 0.0
    """Of w r."""
    weight2_reward: float = 0.0
    """Of w^2 r."""
    weight2_reward2: float = 0.0
    """Of w^2 r^2."""

    def add(self, weight: float, reward: float) -> None:
        """Count one decision."""
        squared = weight * weight
        self.count += 1
        self.weight += weight
        self.weight2 += squared
        self.reward += weight * reward
        self.weight2_reward += squared * reward
        self.weight2_reward2 += squared * reward * reward


class Bucket(msgspec.Struct):
    """Counts and sums over an interval of time."""

    start: float
    seconds: float
    decisions: int = 0
    deferred: int = 0
    closed: int = 0
    """Closed with a reward, the default reward included."""
    rewards: int = 0
    """Rewards that were counted: "joined" or "pending"."""
    late: int = 0
    duplicates: int = 0
    defaulted: int = 0
    """Closed with the default reward."""
    dropped: int = 0
    """Closed without any reward: nothing was learned from them."""
    reward_sum: float = 0.0
    """Of the closed ones."""
    reward_squares: float = 0.0
    exploration: float = 0.0
    """Sum over decisions of 1 - the largest probability."""
    latency: float = 0.0
    """Sum over decisions of the seconds until they were durable."""
    actions: dict[str, int] = {}
    """How often each action was chosen; the rarest are counted as ``OTHER_ACTIONS``."""
    uniform: Moments = msgspec.field(default_factory=Moments)
    """What choosing at random would have earned: w = 1 / (actions that were not excluded * p), with
    p the probability of the chosen one. Decisions without a known p are left out."""
    baseline: Moments = msgspec.field(default_factory=Moments)
    """What the caller would have earned, of decisions that named a baseline: w = 1 / p if it was
    chosen, else 0; always 1 in mode "apprentice"."""
    policy: Moments = msgspec.field(default_factory=Moments)
    """In mode "apprentice", what the policy would have earned: w = its probability of the
    baseline's action, over the baseline's own."""
    latencies: list[int] = []
    """How many decisions took how long until they were durable: counts below each of
    ``LATENCY_EDGES``, and beyond the last; empty if there were none."""
    delays: list[int] = []
    """How many rewards came how long after their decision, likewise by ``DELAY_EDGES``."""


OTHER_ACTIONS = "(others)"


class ActionStatistics(msgspec.Struct):
    """One action since the app was created."""

    id: str
    decisions: int
    closed: int
    reward_sum: float
    reward_squares: float


class Latency(msgspec.Struct):
    """Seconds from the call of ``decide`` until its answer was durable, lately."""

    p50: float
    p95: float
    p99: float


class Apprentice(msgspec.Struct):
    """How the policy compares with the baseline; see ``jostle.decisions.apprenticeship``."""

    decisions: int
    agreement: float | None
    baseline_value: float | None
    policy_value: float | None
    effective_size: float


class Statistics(msgspec.Struct):
    """What happened in an app."""

    since: float
    until: float
    totals: Bucket
    """Since the app was created."""
    buckets: list[Bucket]
    """From ``since`` to ``until``, all of equal length, without gaps."""
    actions: list[ActionStatistics]
    """The most frequent ones, most frequent first."""
    features: list[Contribution]
    """Which features matter: mean absolute contributions in explained decisions, lately."""
    latency: Latency
    open: int
    """Decisions that wait for rewards now."""
    learned: int
    """Observations that the present model has learned from."""
    lag_records: int
    lag_seconds: float
    model: ModelRef
    apprentice: Apprentice | None = None
    mode: Mode = "online"
    policy: str = ""
    """As configured."""
    pinned: int | None = None
    """The version that decides, whatever is learned."""


LearnerState = Literal["running", "starting", "restarting", "off"]


class Health(msgspec.Struct):
    """Whether the service works."""

    ready: bool
    """It can decide and log, and a learner is running."""
    learner: LearnerState
    learner_restarts: int
    lag_records: int
    """Closed decisions that the learner has not learned yet, of all apps."""
    lag_seconds: float
    queue: int
    queue_limit: int
    writable: bool
    """Whether the last commit succeeded."""
    disk_free: int
    """Bytes."""
    log_position: int
    apps: int
    problems: list[str]
    """In plain words; empty if all is well."""


class Evaluation(msgspec.Struct):
    """A job that evaluates policies on the log."""

    job: str
    state: Literal["queued", "running", "done", "failed"]
    created: float
    request: EvaluationRequest
    rows: int | None = None
    estimates: list[dict[str, Any]] | None = None
    """One line per policy and estimator: value, low, high, and the same of the difference from the
    baseline; see ``jostle.evaluation.Comparison.lines``."""
    error: str | None = None
