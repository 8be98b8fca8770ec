"""Targets by text, as commands name them: policies, agent files, arms, "logged" and "uniform"."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from jostle.agent import Agent
from jostle.core.grammar import parse
from jostle.core.validation import unknown
from jostle.evaluation.targets import LOGGED, UNIFORM
from jostle.factory import make_policy
from jostle.logs import LogLike
from jostle.policies.catalog import CATALOG

AGENT = ".npz"


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
    name, _ = parse(text)
    if ":" not in name and name.partition(".")[0] not in CATALOG:
        raise ValueError(unknown("policy", text, (LOGGED, UNIFORM, *labels, *CATALOG)))
    return make_policy(text, log.spec)


def labels_of(texts: Iterable[str]) -> dict[str, str]:
    """What targets are called in tables: agents' files by their names where these differ."""
    paths = {text: Path(text).name for text in texts if text.endswith(AGENT)}
    names = list(paths.values())
    labels = {text: name for text, name in paths.items() if names.count(name) == 1}
    return {text: labels.get(text, text) for text in texts}
