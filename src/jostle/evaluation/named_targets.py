"""Targets by text, as commands name them: policies, agent files, arms, "logged" and "uniform"."""

from pathlib import Path
from typing import Any

from jostle.agent import Agent
from jostle.core.record import static
from jostle.environments.base import Environment
from jostle.evaluation.targets import LOGGED, UNIFORM
from jostle.factory import make_policy
from jostle.logs import LogLike
from jostle.types import BanditSpec

AGENT = ".npz"


class LoggedBandit(Environment):
    """What policies are built from, where there is only a log: its dimensions."""

    dimensions: BanditSpec = static()

    @property
    def spec(self) -> BanditSpec:
        """The dimensions of the log."""
        return self.dimensions


def target_of(text: str, log: LogLike) -> Any:
    """The target that ``text`` names.

    It may be "logged" or "uniform"; the number or label of an arm; an agent's file (``.npz``); or
    a policy with its settings, such as ``npr:noise=0.2``, which learns as it goes.
    """
    labels = next(iter(log.chunks())).labels or ()
    if text in (LOGGED, UNIFORM) or text in labels:
        return text
    if text.isdecimal():
        return int(text)
    if text.endswith(AGENT):
        if not Path(text).exists():
            raise FileNotFoundError(f"{text} does not exist")
        return Agent.load(text)
    return make_policy(text, LoggedBandit(log.spec))


def label_of(text: str) -> str:
    """What a target is called in tables: an agent's file by its name, all else as it is."""
    return Path(text).name if text.endswith(AGENT) else text
