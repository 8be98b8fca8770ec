"""``Service``: decisions, rewards and models of several apps, without HTTP."""

from pathlib import Path

from jostle.service.messages import (
    ActivationState,
    Answer,
    Config,
    DecisionRequest,
    Evaluation,
    EvaluationRequest,
    EventReward,
    Health,
    ModelInfo,
    RewardRequest,
    RewardState,
    Statistics,
)
from jostle.service.problems import Problem
from jostle.service.service_settings import ServiceSettings


class Service:
    """Decides, logs, closes, and lets a learner process learn.

    All methods are called from one event loop; those that are not coroutines take microseconds to
    milliseconds, except where they say so. They raise ``Problem``. What a coroutine has returned
    is on the disk.
    """

    @classmethod
    def open(cls, data: Path, settings: ServiceSettings | None = None) -> "Service":
        """The service whose files are in the folder ``data``, which is made if it is new."""
        raise NotImplementedError

    def close(self) -> None:
        """Finish what is queued, stop the learner after a last snapshot, and close the log."""
        raise NotImplementedError

    def apps(self) -> list[str]:
        """The names of all apps."""
        raise NotImplementedError

    async def create_app(self, app: str, config: Config) -> None:
        """Make an app; ``Conflict`` if it exists."""
        raise NotImplementedError

    async def decide(self, app: str, request: DecisionRequest) -> Answer:
        """Choose one of the actions."""
        raise NotImplementedError

    async def decide_many(
        self, app: str, requests: list[DecisionRequest]
    ) -> list[Answer | Problem]:
        """Several decisions in one transaction, answered in their order."""
        raise NotImplementedError

    async def reward(self, app: str, event_id: str, request: RewardRequest) -> RewardState:
        """Count a reward."""
        raise NotImplementedError

    async def reward_many(
        self, app: str, requests: list[EventReward]
    ) -> list[RewardState | Problem]:
        """Several rewards in one transaction, answered in their order."""
        raise NotImplementedError

    async def activate(self, app: str, event_id: str) -> ActivationState:
        """Let a deferred decision count."""
        raise NotImplementedError

    def decision(self, app: str, event_id: str) -> dict[str, object]:
        """Everything about a decision: request, answer, rewards, activation, closing."""
        raise NotImplementedError

    def decisions(
        self, app: str, before: int | None = None, limit: int = 50
    ) -> list[dict[str, object]]:
        """The latest decisions, newest first; ``before`` is the position of the last one seen."""
        raise NotImplementedError

    def config(self, app: str) -> tuple[Config, str]:
        """The configuration, and its ETag."""
        raise NotImplementedError

    async def put_config(self, app: str, config: Config, if_match: str | None) -> str:
        """Replace the configuration, if its ETag is ``if_match`` (or None); the new ETag."""
        raise NotImplementedError

    def models(self, app: str) -> list[ModelInfo]:
        """The versions of the model, newest first."""
        raise NotImplementedError

    def export_model(self, app: str, version: int) -> Path:
        """The file of a version."""
        raise NotImplementedError

    async def import_model(self, app: str, content: bytes) -> ModelInfo:
        """Take a model from a file that ``export_model`` gave, and decide and learn with it."""
        raise NotImplementedError

    async def pin(self, app: str, version: int | None) -> None:
        """Decide with this version, whatever is learned; None: with the latest again."""
        raise NotImplementedError

    async def roll_back(self, app: str, version: int) -> None:
        """Forget what was learned after this version, and continue from it."""
        raise NotImplementedError

    async def evaluate(self, app: str, request: EvaluationRequest) -> str:
        """Start a job that evaluates policies on the log; its id."""
        raise NotImplementedError

    def evaluation(self, app: str, job: str) -> Evaluation:
        """A job, and its result once it is done."""
        raise NotImplementedError

    def evaluations(self, app: str) -> list[Evaluation]:
        """All jobs, newest first."""
        raise NotImplementedError

    async def export_log(self, app: str, target: Path | None = None) -> Path:
        """Write the closed decisions to a Parquet file in the schema of ``jostle.logs``."""
        raise NotImplementedError

    async def erase(self, app: str, user: str) -> int:
        """Replace the records of a user by tombstones; the number of decisions erased."""
        raise NotImplementedError

    def statistics(self, app: str, since: float | None = None, buckets: int = 60) -> Statistics:
        """What happened, from ``since`` (by default an hour ago) until now."""
        raise NotImplementedError

    def health(self) -> Health:
        """Whether everything works."""
        raise NotImplementedError
