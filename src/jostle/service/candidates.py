"""``Candidates``: the actions of a request that may be chosen, and what is wrong with them."""

import re
from typing import Any

from jostle.features.together import Named
from jostle.service.messages import ActionItem, DecisionRequest, Mode
from jostle.service.problems import Invalid


class Candidates:
    """The actions of a request that may be chosen; ``Problem`` if there is something wrong."""

    __slots__ = ("_items", "_request", "actions", "baseline", "names")

    def __init__(self, request: DecisionRequest, mode: Mode):
        self._request, self._items = request, _candidates(request)
        self.names = [each.id for each in self._items]
        self.baseline = _baseline(request, self.names, mode)
        """The position of the baseline, if it is what is done."""
        features = [each.features for each in self._items]
        for own in features:
            if own and "id" in own:
                raise _second_id(request)
        self.actions = Named(self.names, features)
        """As the encoder takes them."""

    @property
    def context(self) -> Any:
        """Of the request."""
        return self._request.context

    def located(self, error: Exception) -> Invalid:
        """The error of the encoder, in terms of the request."""
        return _located(error, self._request, self._items)


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


def _second_id(request: DecisionRequest) -> Invalid:
    """An action's features must not have the name "id"."""
    place = next(
        i for i, each in enumerate(request.actions) if each.features and "id" in each.features
    )
    path = f"actions[{place}].features.id"
    return Invalid(f"{path} must not be there: id is the name of the action", path)


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
