"""What a configuration means: the policy, the encoder, and whether what was learned still fits."""

from typing import Any

from jostle.core.grammar import parse
from jostle.core.validation import unknown
from jostle.factory import make_policy
from jostle.features.encoder import Encoder
from jostle.features.schema import Boolean, Category, Number, Schema
from jostle.policies.base import UNKNOWN_ARMS, Policy
from jostle.policies.catalog import CATALOG, INSTRUMENTS
from jostle.service.messages import Config, SchemaConfig
from jostle.service.problems import Invalid
from jostle.types import BanditSpec

KINDS: dict[str, Any] = {"number": Number, "boolean": Boolean, "category": Category}


def learning_policy(config: Config) -> Policy:
    """The policy that learns: without what only deciding needs."""
    try:
        name = parse(config.policy).name.partition(".")[0]
    except ValueError as error:
        raise Invalid(str(error), "policy") from None
    offered = [each for each in CATALOG if each not in INSTRUMENTS]
    if name not in offered:  # above all no "module:Class", which would be imported
        raise Invalid(unknown("policy", name, offered), "policy")
    try:
        policy = make_policy(
            config.policy, BanditSpec(features=config.dimensions, arms=UNKNOWN_ARMS)
        )
        if config.half_life is not None:
            policy = policy.with_settings(half_life=config.half_life)
    except ValueError as error:
        raise Invalid(str(error), "half_life" if "half_life" in str(error) else "policy") from None
    if not policy.on_host:
        raise Invalid(
            f"{name} decides in compiled code only, which a server cannot wait for; choose "
            "another policy, such as 'npr' or 'neural-linear'",
            "policy",
        )
    return policy


def deciding_policy(config: Config) -> Policy:
    """The policy that decides: that which learns, with its floor and optimism."""
    policy = learning_policy(config)
    for name in ("floor", "optimism"):
        value = getattr(config, name)
        if value is not None:
            try:
                policy = policy.with_settings(**{name: value})
            except ValueError as error:
                raise Invalid(str(error), name) from None
    return policy


def make_encoder(config: Config) -> Encoder:
    """The encoder, before it has learned anything of numbers."""
    schema = None if config.schema is None else make_schema(config.schema)
    return Encoder(config.dimensions, interactions=config.interactions, schema=schema)


def keeps_model(before: Config, after: Config) -> bool:
    """Whether what was learned under one configuration can be used under another."""
    return all(
        getattr(before, name) == getattr(after, name)
        for name in ("policy", "half_life", "dimensions", "interactions", "seed")
    )


def check_config(config: Config) -> None:
    """Raise ``Invalid`` unless the configuration makes sense."""
    deciding_policy(config)
    make_encoder(config)
    if config.bounds is not None:
        low, high = config.bounds
        if not low < high:
            raise Invalid(
                f"bounds must be (low, high) with low < high, not {config.bounds}", "bounds"
            )
        default = config.default_reward
        if default is not None and not low <= default <= high:
            raise Invalid(
                f"default_reward must be within bounds {config.bounds}, not {default}",
                "default_reward",
            )


def make_schema(config: SchemaConfig) -> Schema:
    """The schema that a configuration describes."""
    fields = {
        root: None if kinds is None else _fields(kinds, f"schema.{root}")
        for root, kinds in (("context", config.context), ("action", config.action))
    }
    try:
        return Schema(**fields, misfits=config.misfits)
    except (TypeError, ValueError) as error:
        raise Invalid(str(error), "schema") from None


def _fields(kinds: Any, path: str) -> dict[str, Any]:
    if not isinstance(kinds, dict):
        raise Invalid(f"{path} must map names to kinds, not be {kinds!r:.40}", path)
    return {name: _kind(kind, f"{path}.{name}") for name, kind in kinds.items()}


def _kind(described: Any, path: str) -> Any:
    if not isinstance(described, dict) or not isinstance(described.get("type"), str):
        raise Invalid(f'{path} must be a kind such as {{"type": "number"}}', path)
    settings = dict(described)
    name = settings.pop("type")
    if name == "record":
        return _fields(settings.pop("fields", {}), path)
    if name not in KINDS:
        raise Invalid(unknown(f"type of {path}:", name, [*KINDS, "record"]), path)
    values = settings.pop("values", []) if name == "category" else []
    if not isinstance(values, list):
        raise Invalid(f"{path}.values must be a list, not {values!r:.40}", path)
    try:
        return KINDS[name](*values, **settings)
    except (TypeError, ValueError) as error:
        raise Invalid(f"{path}: {error}", path) from None
