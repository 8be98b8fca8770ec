"""Policies and environments built from text: ``make_policy`` and ``make_environment``.

``npr``, ``npr:noise=0.2,steps=10``, ``npr:width=128`` (of its network), ``npr:optimiser=sgd``,
``npr.paper`` (another constructor of the class), ``my.module:Mine`` (a class of your own).
"""

import importlib
import inspect
from collections.abc import Callable
from functools import partial
from typing import Any, TypeVar

import optax

from jostle.core.grammar import parse
from jostle.core.record import field_names
from jostle.core.validation import lookup, unknown
from jostle.datasets.uci_schemas import SCHEMAS
from jostle.environments import (
    Arrivals,
    Classification,
    Clicks,
    Coins,
    Delayed,
    Drift,
    Eat,
    Environment,
    Ladder,
    Offers,
    Purchases,
    Recommendation,
    Synthetic,
    Units,
    Wheel,
)
from jostle.models.networks import MLP, NoNetwork, PaperNetwork
from jostle.policies import Policy
from jostle.policies.catalog import CATALOG, INSTRUMENTS
from jostle.simulation import check_match
from jostle.types import BanditSpec

ENVIRONMENTS: dict[str, Callable[..., Environment]] = {
    "h1": partial(Synthetic, "h1"),
    "h2": partial(Synthetic, "h2"),
    **{name: partial(Classification, name) for name in SCHEMAS},
    "lastfm": partial(Recommendation, "lastfm"),
    "delicious": partial(Recommendation, "delicious"),
    "wheel": Wheel,
    "eat": Eat,
    "coins": Coins,
    "noise": partial(Ladder, noise=1.0),
    "scale": partial(Ladder, scale=1000.0),
    "clicks": Clicks,
    "offers": Offers,
    "purchases": Purchases,
    "arrivals": Arrivals,
    "drift": Drift,
    "units": Units,
    "delayed": Delayed,
}
"""The environments by the names that commands and experiments use."""

PARTS: dict[str, dict[str, Any]] = {
    "network": {"mlp": MLP(), "paper": PaperNetwork(), "none": NoNetwork()},
    "optimiser": {each.__name__: each for each in (optax.adam, optax.rmsprop, optax.sgd)},
}
"""Settings that are objects, by the words that stand for them in text."""

OLD_NAMES = {"told": "full_information"}
"""Settings that published experiments write by another name."""

Made = TypeVar("Made", Policy, Environment)


def make_environment(text: str) -> Environment:
    """The environment that ``text`` names.

    Examples: ``"h1"``, ``"h1:pool=none,noise=0.3"``, ``"mushroom:rounds=500"``,
    ``"my.module:MyEnvironment"``, ``"units:of=(h1:shown=50),reward_scale=0.01"``,
    ``"delayed:of=clicks,delay=100"``.
    """
    name, settings = parse(text)
    maker: Callable[..., Environment]
    if ":" in name:
        maker = _own_class("environment", name, Environment)
    else:
        maker = lookup("environment", name, ENVIRONMENTS)
    settings = {OLD_NAMES.get(key, key): value for key, value in settings.items()}
    parameters = inspect.signature(maker).parameters
    for key in settings:
        if key not in parameters:
            raise ValueError(unknown(f"setting of environment {name!r}:", key, parameters))
    if maker in (Units, Delayed) and isinstance(settings.get("of"), str):
        settings["of"] = make_environment(settings["of"])
    return _made("environment", name, lambda: maker(**settings))


def make_policy(text: str, environment: Environment | BanditSpec) -> Policy:
    """The policy that ``text`` names, built for ``environment``, or for what its spec would be.

    Settings may be those of the policy, of its training or of its network. Examples: ``"npr"``,
    ``"npr:noise=0.2,steps=10,width=128"``, ``"npr.paper:optimiser=sgd"``,
    ``"my.module:MyPolicy:size=3"``.
    """
    name, settings = parse(text)
    kind, maker = _own_policy(name) if ":" in name else _known_policy(name)
    spec = environment if isinstance(environment, BanditSpec) else environment.spec
    policy = _made("policy", name, lambda: _assemble(kind, maker, settings, spec))
    try:
        check_match(policy, spec)
    except ValueError as error:
        raise ValueError(f"policy {name!r} does not suit this environment: {error}") from None
    if policy.needs_arms and spec.arms is None:
        raise ValueError(
            f"policy {name!r} does not suit this environment: it needs arms that come back, but "
            "here they are new in every round"
        )
    return policy


def suitable(environment: Environment) -> list[str]:
    """The policies of the catalog that can be built for ``environment`` without more settings.

    Those that only serve to study the theory are left out.
    """
    names = []
    for name in CATALOG:
        if name in INSTRUMENTS:
            continue
        try:
            make_policy(name, environment)
        except ValueError:
            continue
        names.append(name)
    return names


def _assemble(
    kind: type[Policy], maker: Callable[..., Policy], settings: dict[str, Any], spec: BanditSpec
) -> Policy:
    """Pass the constructor its own arguments, and give the policy it makes the other settings."""
    settings = {
        key: lookup(key, "none" if value is None else value, PARTS[key]) if key in PARTS else value
        for key, value in settings.items()
    }
    facts = set(BanditSpec._fields) & set(field_names(kind))
    own = facts | inspect.signature(maker).parameters.keys()
    direct = {key: value for key, value in settings.items() if key in own}
    rest = {key: value for key, value in settings.items() if key not in own}
    return maker(**kind.with_facts(spec, direct)).with_settings(**rest)


def _made(kind: str, name: str, make: Callable[[], Made]) -> Made:
    """What ``make`` gives, its errors prefixed by the name."""
    try:
        return make()
    except (TypeError, ValueError) as error:
        raise ValueError(f"{kind} {name!r}: {error}") from None


def _known_policy(name: str) -> tuple[type[Policy], Callable[..., Policy]]:
    """A policy of the catalog and how to construct it: by its class, or as in ``npr.paper``."""
    base, _, variant = name.partition(".")
    policy: type[Policy] = lookup("policy", base, CATALOG)
    if not variant:
        return policy, policy
    makers = [
        key
        for key, value in inspect.getmembers_static(policy)
        if isinstance(value, classmethod) and not key.startswith("_") and key not in vars(Policy)
    ]
    if variant not in makers:
        raise ValueError(unknown("policy", name, [base, *(f"{base}.{maker}" for maker in makers)]))
    return policy, getattr(policy, variant)


def _own_policy(name: str) -> tuple[type[Policy], Callable[..., Policy]]:
    """A policy of the user's own."""
    policy = _own_class("policy", name, Policy)
    return policy, policy


def _own_class(kind: str, name: str, base: type[Made]) -> type[Made]:
    """The user's own class at ``package.module:ClassName``."""
    module_name, _, class_name = name.partition(":")
    try:
        module = importlib.import_module(module_name)
    except Exception as error:  # it is the user's code: anything may happen in it
        reason = f"{type(error).__name__}: {error}"
        raise ValueError(f"{kind} {name!r}: cannot import {module_name!r}: {reason}") from error
    if class_name not in vars(module):
        classes = [
            key
            for key, value in vars(module).items()
            if isinstance(value, type) and issubclass(value, base)
        ]
        message = unknown(f"{kind} in {module_name!r}:", class_name, classes)
        raise ValueError(message if classes else f"{module_name!r} has no {kind} {class_name!r}")
    found = vars(module)[class_name]
    if not (isinstance(found, type) and issubclass(found, base)):
        raise ValueError(f"{name!r} is not a jostle {base.__name__}: expected a subclass of it")
    return found
