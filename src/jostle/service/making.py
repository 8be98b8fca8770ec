"""Making a decision: from a request and a view to the record that is logged."""

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import msgspec
import numpy as np

from jostle.deciding import DecidingView
from jostle.decisions.requests import agreement, ranked
from jostle.features.encoder import Encoder, arm_id
from jostle.features.hashing import digest
from jostle.features.together import Named
from jostle.service.candidates import Candidates
from jostle.service.log.records import Decided
from jostle.service.messages import (
    Contribution,
    DecisionAnswer,
    DecisionRequest,
    Mode,
    ModelRef,
    Ranked,
)
from jostle.service.problems import Invalid, Problem, tried
from jostle.types import Choice

MULTIPLIER = 0xDA3E39CB94B95BDB
"""Increment of the generator of decisions (any odd number does)."""

_json = msgspec.json.Encoder().encode
_packed = msgspec.msgpack.Encoder().encode
_sorted = msgspec.msgpack.Encoder(order="deterministic").encode
_request = msgspec.msgpack.Decoder(DecisionRequest)


class Model:
    """What decisions are made with: an encoder, a view, and where they come from."""

    __slots__ = ("deciding", "encoder", "needs_arms", "observations", "ref")

    def __init__(self, encoder: Encoder, deciding: DecidingView, ref: ModelRef, observations: int):
        self.encoder, self.deciding, self.ref = encoder, deciding, ref
        self.observations = observations
        self.needs_arms = deciding.policy.needs_arms  # asked once: it takes microseconds


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
    """Equal for equal contents; requests are also equal if their names come in another order."""
    return digest(content)


def request_content(request: DecisionRequest) -> bytes:
    """A request as it is logged: names in the order in which they came, by which it was encoded."""
    try:
        return _packed(request)
    except OverflowError:
        path = _large_whole_number(msgspec.to_builtins(request), "")
        raise Invalid(
            f"{path} must be a whole number from -2^63 to 2^64 - 1, or have a point or an exponent",
            path,
        ) from None


def same_request(first: bytes, second: bytes) -> bool:
    """Whether two contents are of equal requests, in whatever order their names came."""
    return first == second or _sorted(_request.decode(first)) == _sorted(_request.decode(second))


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


class Asked(NamedTuple):
    """A decision that is to be made."""

    request: DecisionRequest
    event: str
    """The id of the decision."""
    expires: float
    """When it closes."""


Made = tuple[Decided, DecisionAnswer]
"""A decision; ``Decided`` lacks what only the app knows (its configuration and epoch)."""


def make_decisions(
    model: Model, asked: list[Asked], generator: Callable[[str], np.random.Generator], mode: Mode
) -> list[Made | Problem]:
    """Decide several times at once; each decision, or problem, is what it would be alone.

    Arguments:
        model: to decide with.
        asked: what to decide.
        generator: gives the random numbers of a decision by its event's id, until the next call.
        mode: of the app.
    """
    found: list[Any] = [tried(Candidates, each.request, mode) for each in asked]
    good = [place for place, each in enumerate(found) if not isinstance(each, Problem)]
    shown: list[Candidates] = [found[place] for place in good]
    encoded = model.encoder.encode_many([(each.context, each.actions) for each in shown])
    rows, whose = [], []
    for place, each in zip(good, encoded, strict=True):
        if isinstance(each, Exception):
            found[place] = found[place].located(each)
        else:
            rows.append(each)
            whose.append(place)
    events = [asked[place].event for place in whose]
    names = [found[place].names for place in whose]
    choices = _choices(model, [each for each, _ in rows], names, events, generator)
    for place, (vectors, numbers), choice in zip(whose, rows, choices, strict=True):
        if isinstance(choice, Exception):
            found[place] = found[place].located(choice)
        else:
            found[place] = _made(model, asked[place], found[place], vectors, numbers, choice, mode)
    return found


def _choices(
    model: Model,
    rows: list[np.ndarray],
    names: list[list[str]],
    events: list[str],
    generator: Callable[[str], np.random.Generator],
) -> list[Any]:
    """The policy's choices, or errors."""
    view, arms = model.deciding, None
    if model.needs_arms:
        arms = [[arm_id(name) for name in each] for each in names]
    try:
        return view.decide_many(rows, lambda place: generator(events[place]), arms=arms)
    except (ValueError, TypeError) as error:
        if len(rows) == 1:
            return [error]
    # One of them is wrong: let each be decided alone.
    return [
        _choices(model, [rows[i]], [names[i]], [events[i]], generator)[0] for i in range(len(rows))
    ]


def _made(
    model: Model,
    asked: Asked,
    shown: Candidates,
    rows: np.ndarray,
    numbers: dict[int, list[float]],
    choice: Choice,
    mode: Mode,
) -> Made | Problem:
    """The record of a decision, and its answer."""
    request, names = asked.request, shown.names
    index = choice.index if shown.baseline is None else shown.baseline
    known = choice.probabilities is not None
    probabilities = choice.probabilities.tolist() if known else [None] * len(names)
    probability = probabilities[index] if shown.baseline is None else request.baseline_probability
    scores = np.asarray(choice.scores).tolist()
    explanation = None
    if request.explain:
        explanation = explain(model, request, names[index])
    answer = DecisionAnswer(
        asked.event,
        names[index],
        probability,
        [Ranked(names[i], probabilities[i], scores[i]) for i in ranked(choice.scores, index)],
        model.ref,
        mode,
        asked.expires,
        explanation,
    )
    try:
        content = request_content(request)
    except Problem as problem:
        return problem
    decided = Decided(
        content,
        _json(answer),
        names[index],
        rows[index].tobytes(),
        model.ref.version,
        model.ref.position,
        0,
        0,
        mode,
        asked.expires,
        probability,
        list(numbers.items()) or None,
        arm_id(names[index]) if model.needs_arms else None,
        agreement(choice, index) if mode == "apprentice" else None,
        1.0 - max(probabilities) if known else 0.0,
        request.user,
        request.defer,
        len(names),
        None if request.baseline is None else names[index] == request.baseline,
    )
    return decided, answer


def explain(model: Model, request: DecisionRequest, action: str) -> list[Contribution]:
    """What the score of the chosen action loses without each feature, the largest first.

    All scores are drawn from the same random numbers.
    """
    encoder, deciding = model.encoder, model.deciding
    chosen = next(each for each in request.actions if each.id == action)
    context = request.context if isinstance(request.context, dict) else {}
    features = chosen.features or {}
    contexts, records, names = [request.context], [features], []
    for name in context:
        contexts.append({key: value for key, value in context.items() if key != name})
        records.append(features)
        names.append(f"context.{name}")
    for name in features:
        contexts.append(request.context)
        records.append({key: value for key, value in features.items() if key != name})
        names.append(f"action.{name}")
    encoded = encoder.encode_many(
        [(who, Named([chosen.id], [what])) for who, what in zip(contexts, records, strict=True)]
    )
    # An error: the schema requires the feature.
    good = [place for place, each in enumerate(encoded) if not isinstance(each, Exception)]
    drawn = deciding.decide_many(
        [encoded[place][0] for place in good],
        lambda _: np.random.default_rng(0),
        arms=[[arm_id(chosen.id)]] * len(good) if model.needs_arms else None,
    )
    scores = [math.nan] * len(encoded)
    for place, choice in zip(good, drawn, strict=True):
        scores[place] = float(choice.scores[0])
    found = [
        Contribution(name, scores[0] - score)
        for name, score in zip(names, scores[1:], strict=True)
        if not math.isnan(score)
    ]
    return sorted(found, key=lambda each: -abs(each.contribution))
