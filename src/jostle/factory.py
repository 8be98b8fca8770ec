"""Policies and environments from text.

``npr``, ``npr:noise=0.2,steps=10``, ``npr:width=128`` (of its network), ``npr:optimiser=sgd``,
``npr.paper`` (the class's other constructor of that name), ``my.module:Mine``.
"""

import dataclasses
import importlib
import inspect
from collections.abc import Callable
from functools import partial
from typing import Any

import optax

from jostle.core.grammar import parse
from jostle.core.validation import lookup, unknown
from jostle.datasets.schemas import SCHEMAS
from jostle.environments import Classification, Environment, Recommendation, Synthetic
from jostle.models.networks import MLP, PaperNetwork
from jostle.policies import CATALOG, INSTRUMENTS, Policy
from jostle.simulation import check_match

ENVIRONMENTS: dict[str, Callable[..., Environment]] = {
    "h1": partial(Synthetic, "h1"),
    "h2": partial(Synthetic, "h2"),
    **{name: partial(Classification, name) for name in SCHEMAS},
    "lastfm": partial(Recommendation, "lastfm"),
    "delicious": partial(Recommendation, "delicious"),
}
"""The environments by the names that commands and experiments use."""

FACTS = ("features", "pool", "blocks", "arms", "users", "items")
"""What a policy may ask of its environment, by having an argument of that name."""

NETWORK = ["width", "depth", "linear"]
"""Settings of a policy's network that may stand among its own."""

PARTS: dict[str, dict[str, Any]] = {
    "network": {"mlp": MLP(), "paper": PaperNetwork()},
    "optimiser": {each.__name__: each for each in (optax.adam, optax.rmsprop, optax.sgd)},
}
"""Parts of a policy that words stand for."""

PLAIN = (bool, int, float, str, type(None))


def make_environment(text: str) -> Environment:
    """The environment that ``text`` names."""
    name, settings = parse(text)
    maker = (
        _own("environment", name, Environment)
        if ":" in name
        else lookup("environment", name, ENVIRONMENTS)
    )
    return _make("environment", name, maker, settings)


def make_policy(text: str, environment: Environment) -> Policy:
    """The policy that ``text`` names, made for ``environment``."""
    name, settings = parse(text)
    maker = _own("policy", name, Policy) if ":" in name else _known(name)
    facts = {fact: getattr(environment, fact, None) for fact in FACTS}
    asked = _parameters(maker)
    try:
        _choose_parts(settings, asked)
    except (TypeError, ValueError) as error:
        raise ValueError(f"policy {name!r}: {error}") from None
    for fact, value in facts.items():
        if fact in asked and fact not in settings:
            if value is not None:
                settings[fact] = value
            elif asked[fact].default is inspect.Parameter.empty:
                raise ValueError(f"policy {name!r} needs {fact}, which this environment has not")
    policy: Policy = _make("policy", name, maker, settings)
    try:
        check_match(policy, environment)
    except ValueError as error:
        raise ValueError(f"policy {name!r} does not suit this environment: {error}") from None
    if policy.needs_arms and environment.arms is None:
        raise ValueError(
            f"policy {name!r} does not suit this environment: it needs arms that come back, and "
            "here they are new each round"
        )
    return policy


def suitable(environment: Environment) -> list[str]:
    """The policies of the catalog that can be made for ``environment`` without more settings.

    Those that are only there to study the theory are left out.
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


def _known(name: str) -> Callable[..., Policy]:
    """A policy of the catalog, or another constructor of one, as ``npr.paper``."""
    base, _, variant = name.partition(".")
    policy = lookup("policy", base, CATALOG)
    if not variant:
        return policy
    makers = [
        key
        for key, value in inspect.getmembers_static(policy)
        if isinstance(value, classmethod) and not key.startswith("_")
    ]
    if variant not in makers:
        raise ValueError(unknown("policy", name, [base, *(f"{base}.{maker}" for maker in makers)]))
    maker: Callable[..., Policy] = getattr(policy, variant)
    return maker


def _parameters(maker: Callable[..., Any]) -> dict[str, inspect.Parameter]:
    """What ``maker`` takes; a constructor that passes settings on takes those of its class too."""
    own = dict(inspect.signature(maker).parameters)
    rest = [name for name, each in own.items() if each.kind is inspect.Parameter.VAR_KEYWORD]
    for name in rest:
        del own[name]
    passed_on = inspect.signature(maker.__self__).parameters if rest else {}  # type: ignore[attr-defined]
    return {**passed_on, **own}


def _choose_parts(settings: dict[str, Any], asked: dict[str, inspect.Parameter]) -> None:
    """Put parts in the place of words, and give the network the sizes that are meant for it."""
    for part, known in PARTS.items():
        if part in asked and part in settings:
            settings[part] = lookup(part, settings[part], known)
    sizes = {key: settings[key] for key in NETWORK if key in settings and key not in asked}
    if sizes and "network" in asked:
        network = settings.get("network", asked["network"].default)
        for key in sizes:
            if not hasattr(network, key):
                raise ValueError(f"{type(network).__name__} has no {key}")
            del settings[key]
        settings["network"] = dataclasses.replace(network, **sizes)


def _make(kind: str, name: str, maker: Callable[..., Any], settings: dict[str, Any]) -> Any:
    parameters = _parameters(maker)
    for key in settings:
        if key not in parameters:
            choices = _writable(parameters)
            choices += NETWORK if "network" in parameters else []
            raise ValueError(unknown(f"setting of {kind} {name!r}:", key, choices))
        made = key in FACTS or not isinstance(settings[key], PLAIN)  # by us, not from text
        if not made and key not in _writable(parameters):
            raise ValueError(f"{key} of {kind} {name!r} is not a number or word: set it in Python")
    try:
        return maker(**settings)
    except (TypeError, ValueError) as error:
        raise ValueError(f"{kind} {name!r}: {error}") from None


def _writable(parameters: Any) -> list[str]:
    """The parameters whose values can be written as text, as their defaults show."""
    plain = (*PLAIN, type(inspect.Parameter.empty))
    return [name for name, each in parameters.items() if isinstance(each.default, plain)]


def _own(kind: str, name: str, base: type) -> type:
    """The user's own class at ``package.module:ClassName``."""
    module_name, _, class_name = name.partition(":")
    try:
        module = importlib.import_module(module_name)
    except Exception as error:  # it is the user's code: anything may happen in it
        reason = f"{type(error).__name__}: {error}"
        raise ValueError(f"{kind} {name!r}: cannot import {module_name!r}: {reason}") from error
    found = getattr(module, class_name, None)
    if found is None:
        classes = [key for key, value in vars(module).items() if _is_a(value, base)]
        message = unknown(f"{kind} in {module_name!r}:", class_name, classes)
        raise ValueError(message if classes else f"{module_name!r} has no {kind} {class_name!r}")
    if not _is_a(found, base):
        raise ValueError(f"{name!r} is not a jostle {base.__name__} (a subclass of it is wanted)")
    return found


def _is_a(value: Any, base: type) -> bool:
    return isinstance(value, type) and issubclass(value, base)
