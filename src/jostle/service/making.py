"""Making a decision: from a request and a view to the record that is logged."""

import math
import re
from typing import Any

import msgspec
import numpy as np

from jostle.deciding import DecidingView
from jostle.decisions.requests import agreement, ranked
from jostle.features.encoder import Encoder, arm_id
from jostle.features.hashing import digest
from jostle.service.log.records import Decided
from jostle.service.messages import (
    ActionItem,
    Contribution,
    DecisionAnswer,
    DecisionRequest,
    Mode,
    ModelRef,
    Ranked,
)
from jostle.service.problems import Invalid
from jostle.types import Choice

MULTIPLIER = 0xDA3E39CB94B95BDB
"""Increment of the generator of decisions (any odd number does)."""

_json = msgspec.json.Encoder().encode
_sorted = msgspec.msgpack.Encoder(order="deterministic").encode


class Model:
    """What decisions are made with: an encoder, a view, and where they come from."""

    __slots__ = ("deciding", "encoder", "observations", "ref")

    def __init__(self, encoder: Encoder, deciding: DecidingView, ref: ModelRef, observations: int):
        self.encoder, self.deciding, self.ref = encoder, deciding, ref
        self.observations = observations


class Randomness:
    """Random numbers of a decision, by the app's seed and the event's id alone.

    So every logged probability can be computed again. One generator is set to the state of each
    decision in turn, because making one takes longer than deciding with it.
    """

    def __init__(self) -> None:
        self._bits = np.random.PCG64(0)
        self._generator = np.random.Generator(self._bits)
        self._state: Any = self._bits.state

    def of(self, seed: int, event: str) -> np.random.Generator:
        """The generator of one decision, until the next one is asked for."""
        content = int(digest(f"{seed}:{event}".encode()), 16)
        self._state["state"] = {"state": content, "inc": MULTIPLIER}
        self._state["has_uint32"], self._state["uinteger"] = 0, 0
        self._bits.state = self._state
        return self._generator


def request_digest(content: bytes) -> str:
    """Equal for equal requests, in whatever order their names come."""
    return digest(content)


def request_content(request: DecisionRequest) -> bytes:
    """A request as it is logged."""
    try:
        return _sorted(request)
    except OverflowError:
        path = _large_whole_number(msgspec.to_builtins(request), "")
        raise Invalid(
            f"{path} must be a whole number from -2^63 to 2^64 - 1, or have a point or an exponent",
            path,
        ) from None


def _large_whole_number(value: Any, path: str) -> str | None:
    """The path of the first whole number that does not fit into 64 bits; None if all do."""
    if isinstance(value, int):
        return None if -(2**63) <= value < 2**64 else path
    inside: list[tuple[str, Any]] = []
    if isinstance(value, dict):
        inside = [(f"{path}.{name}" if path else str(name), each) for name, each in value.items()]
    elif isinstance(value, list):
        inside = [(f"{path}[{place}]", each) for place, each in enumerate(value)]
    return next(filter(None, (_large_whole_number(each, where) for where, each in inside)), None)


def make_decision(
    model: Model,
    request: DecisionRequest,
    event: str,
    generator: np.random.Generator,
    *,
    mode: Mode,
    expires: float,
) -> tuple[Decided, DecisionAnswer]:
    """Decide; ``Decided`` lacks what only the app knows (its configuration and epoch).

    Arguments:
        model: to decide with.
        request: what to decide.
        event: the id of the decision.
        generator: its random numbers.
        mode: of the app.
        expires: when the decision closes.
    """
    candidates = _candidates(request)
    names = [each.id for each in candidates]
    baseline = _baseline(request, names, mode)
    rows, numbers, choice = _choice(model, request, candidates, names, generator)
    index = choice.index if baseline is None else baseline
    probability: float | None = None
    if baseline is not None:
        probability = request.baseline_probability
    elif choice.probabilities is not None:
        probability = float(choice.probabilities[index])
    probabilities = (
        [None] * len(names) if choice.probabilities is None else choice.probabilities.tolist()
    )
    scores = np.asarray(choice.scores).tolist()
    explanation = None
    if request.explain:
        explanation = explain(model, request, names[index])
    answer = DecisionAnswer(
        event,
        names[index],
        probability,
        [Ranked(names[i], probabilities[i], scores[i]) for i in ranked(choice.scores, index)],
        model.ref,
        mode,
        expires,
        explanation,
    )
    decided = Decided(
        request_content(request),
        _json(answer),
        names[index],
        rows[index].tobytes(),
        model.ref.version,
        model.ref.position,
        0,
        0,
        mode,
        expires,
        probability,
        list(numbers.items()) or None,
        arm_id(names[index]) if model.deciding.policy.needs_arms else None,
        agreement(choice, index) if mode == "apprentice" else None,
        0.0 if probabilities[0] is None else 1.0 - max(probabilities),
        request.user,
        request.defer,
        len(names),
        None if request.baseline is None else names[index] == request.baseline,
    )
    return decided, answer


def _candidates(request: DecisionRequest) -> list[ActionItem]:
    """The actions that may be chosen."""
    names = {each.id for each in request.actions}
    if len(names) < len(request.actions):
        seen: set[str] = set()
        for place, each in enumerate(request.actions):
            if each.id in seen:
                raise Invalid(
                    f"actions must have ids of their own, but {each.id!r:.60} is there twice",
                    f"actions[{place}].id",
                )
            seen.add(each.id)
    if not request.exclude:
        return request.actions
    excluded = set(request.exclude)
    if unknown := excluded - names:
        place = next(i for i, each in enumerate(request.exclude) if each in unknown)
        raise Invalid(
            f"exclude must hold ids of actions, not {request.exclude[place]!r:.60}",
            f"exclude[{place}]",
        )
    left = [each for each in request.actions if each.id not in excluded]
    if not left:
        raise Invalid("exclude must leave at least one action, but excludes all", "exclude")
    return left


def _baseline(request: DecisionRequest, names: list[str], mode: Mode) -> int | None:
    """The position of the baseline, if it is what is done."""
    if request.baseline is None:
        if mode == "apprentice":
            raise Invalid(
                "baseline is missing: an apprentice needs the action that you would take",
                "baseline",
            )
        return None
    if request.baseline not in names:
        raise Invalid(
            f"baseline must be the id of an action that is not excluded, not "
            f"{request.baseline!r:.60}",
            "baseline",
        )
    return None if mode == "online" else names.index(request.baseline)


def _choice(
    model: Model,
    request: DecisionRequest,
    candidates: list[ActionItem],
    names: list[str],
    generator: np.random.Generator,
) -> tuple[np.ndarray, dict[int, list[float]], Choice]:
    """The encoded rows, the numbers that moments learn from, and the policy's choice."""
    records = [_record(each, request) for each in candidates]
    try:
        rows, numbers = model.encoder.encode_and_count(request.context, records)
        arms = None
        if model.deciding.policy.needs_arms:
            arms = [arm_id(name) for name in names]
        return rows, numbers, model.deciding.decide(rows, generator, arms=arms)
    except (ValueError, TypeError) as error:
        raise _located(error, request, candidates) from None


def _record(action: ActionItem, request: DecisionRequest) -> dict[str, Any]:
    """An action as the encoder takes it."""
    if not action.features:
        return {"id": action.id}
    if "id" in action.features:
        path = f"actions[{request.actions.index(action)}].features.id"
        raise Invalid(f"{path} must not be there: id is the name of the action", path)
    return {"id": action.id, **action.features}


def _located(error: Exception, request: DecisionRequest, candidates: list[ActionItem]) -> Invalid:
    """The error of the encoder, in terms of the request."""
    detail, path = str(error), None
    if found := re.match(r"(?:actions\[(\d+)\]|(context))([^\s:]*)", detail):
        place, context, rest = found.groups()
        path = f"context{rest}"
        if not context:
            whole = request.actions.index(candidates[int(place)])
            inside = f".features{rest}" if rest and rest != ".id" else rest
            path = f"actions[{whole}]{inside}"
        detail = path + detail[found.end() :]
    return Invalid(detail, path)


def explain(model: Model, request: DecisionRequest, action: str) -> list[Contribution]:
    """What the score of the chosen action loses without each feature, the largest first.

    All scores are drawn from the same random numbers.
    """
    encoder, deciding = model.encoder, model.deciding
    chosen = next(each for each in request.actions if each.id == action)
    context = request.context if isinstance(request.context, dict) else {}
    features = chosen.features or {}
    record = {"id": chosen.id, **features}
    pairs = [(request.context, record)]
    names = []
    for name in context:
        pairs.append(({key: value for key, value in context.items() if key != name}, record))
        names.append(f"context.{name}")
    for name in features:
        pairs.append((request.context, {k: v for k, v in record.items() if k != name}))
        names.append(f"action.{name}")
    scores = []
    for who, what in pairs:
        try:
            rows = encoder.encode(who, [what])
        except ValueError:  # the schema requires the feature
            scores.append(math.nan)
            continue
        arms = [arm_id(chosen.id)] if deciding.policy.needs_arms else None
        drawn = deciding.decide(rows, np.random.default_rng(0), arms=arms)
        scores.append(float(drawn.scores[0]))
    found = [
        Contribution(name, scores[0] - score)
        for name, score in zip(names, scores[1:], strict=True)
        if not math.isnan(score)
    ]
    return sorted(found, key=lambda each: -abs(each.contribution))
