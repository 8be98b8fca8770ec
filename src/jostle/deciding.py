"""``DecidingView``: what a policy has learned, as far as deciding needs it, and nothing compiled.

    view = agent.deciding_view()
    view.save("view.npz")
    choice = DecidingView.load("view.npz").decide(contexts, np.random.default_rng(7))

A view never changes, so any number of threads may decide with it while its agent learns. It is much
smaller than the agent: no history and no covariance. It loads in milliseconds.
"""

import functools
import json
import os
from collections.abc import Callable, Sequence
from typing import Any

import jax
import numpy as np

from jostle import serialization
from jostle.agent_input import InputChecks, Shown
from jostle.arm_slots import ArmSlots
from jostle.core.contexts import Blocks
from jostle.policies.base import Policy
from jostle.types import Choice, Round

KIND = "view"


class DecidingView:
    """The deciding part of an agent at one moment.

    Arguments:
        policy: one that decides on the host (``policy.on_host``).
        state: NumPy arrays in the structure of ``policy.deciding(...)``.
        arms: which places the arms have in them.
        passing: whether there will be another view after few decisions, so that it does not pay to
            fold the state for them (``Policy.folded``).
    """

    def __init__(self, policy: Policy, state: Any, arms: ArmSlots, *, passing: bool = False):
        if not policy.on_host:
            raise ValueError(
                f"policy must decide on the host, which {type(policy).__name__} does not: "
                "its decisions are compiled, and need an Agent"
            )
        self.policy, self.arms = policy, arms
        self._state = state
        self._takes_blocks = policy.takes_blocks
        self._checks = InputChecks(policy, arms.limit)
        self._folds, self._folded = not passing, None

    def decide(
        self,
        contexts: Any,
        generator: np.random.Generator,
        *,
        arms: Any = None,
        user: Any = None,
        mask: Any = None,
    ) -> Choice:
        """The decision of ``Agent.decide``, with random numbers of ``generator``.

        The same contexts and a generator in the same state give the same decision, bit for bit.
        Scores differ from the agent's in their last digits if the policy can be folded.
        """
        shown = self._checks.shown(contexts, arms, user, mask)
        folded = self._fold() if mask is None else None
        if folded is not None:
            decided = self._choose_folded(folded, shown.contexts[None], lambda _: generator)
            own = Choice(*(part[0] for part in decided))
            return completed(own, shown, has_arms=arms is not None, has_user=user is not None)
        slots = shown.ids if arms is None else self.arms.look_up(shown.ids)
        round = round_of(shown, slots, self._takes_blocks)
        choice = self.choose(round, generator, self.policy.choose_with_probabilities)
        return completed(choice, shown, has_arms=arms is not None, has_user=user is not None)

    def decide_many(
        self,
        contexts: Sequence[np.ndarray],
        generator: Callable[[int], np.random.Generator],
        *,
        arms: Sequence[Any] | None = None,
    ) -> list[Choice]:
        """The decisions of ``decide`` in several rounds, bit for bit, and faster if it folds.

        Arguments:
            contexts: of each round, (k, features), where k may differ.
            generator: gives that of a round by its place. It is used up before the next call.
            arms: of each round.
        """
        folded = self._fold() if arms is None else None
        if folded is None:
            ids = [None] * len(contexts) if arms is None else arms
            return [
                self.decide(rows, generator(place), arms=own)
                for place, (rows, own) in enumerate(zip(contexts, ids, strict=True))
            ]
        by_size: dict[int, list[int]] = {}
        for place, rows in enumerate(contexts):
            by_size.setdefault(len(rows), []).append(place)
        choices: dict[int, Choice] = {}
        for places in by_size.values():
            rows = self._checks.shown_together([contexts[place] for place in places])
            decided = self._choose_folded(folded, rows, lambda i, own=places: generator(own[i]))
            indices = decided.indices.tolist()
            for i, place in enumerate(places):
                index = indices[i]
                choices[place] = Choice(
                    index, decided.scores[i], decided.probabilities[i], rows[i, index].copy()
                )
        return [choices[place] for place in range(len(contexts))]

    def _fold(self) -> Any:
        """The folded policy, made once; None if there is none."""
        if self._folds:
            self._folded, self._folds = self.policy.folded(self._state), False
        return self._folded

    def _choose_folded(self, folded: Any, contexts: np.ndarray, generator: Any) -> Any:
        with np.errstate(invalid="ignore"):
            return folded.choose(contexts, generator)

    def choose(self, round: Round, generator: np.random.Generator, way: Any) -> Choice:
        """The choice by ``way``, one of the policy's two ways of choosing."""
        # Once in many runs NumPy flagged a product of finite numbers as invalid. Input is
        # checked, and policies rank what is not a number last: no warning for users.
        with np.errstate(invalid="ignore"):
            choice: Choice = way(self._state, generator, round)
            return choice

    def as_data(self) -> tuple[dict[str, Any], Any]:
        """What a file holds: JSON data, and arrays."""
        header = {"policy": serialization.describe(self.policy), "arms": self.arms.as_data()}
        return header, self._state

    @classmethod
    def from_data(
        cls, header: dict[str, Any], leaves: list[np.ndarray], policy: Policy | None = None
    ) -> "DecidingView":
        """The view that ``as_data`` described; ``policy`` as in ``Agent.load``."""
        if policy is None:
            policy, structure = _known_structure(json.dumps(header["policy"]))
        else:
            structure = _structure(policy)
        if structure.num_leaves != len(leaves):
            raise ValueError(
                f"policy does not fit the saved view: a {type(policy).__name__} with these "
                f"settings decides with {structure.num_leaves} arrays, not {len(leaves)}"
            )
        arms = ArmSlots.from_data(policy, header["arms"])
        return cls(policy, jax.tree.unflatten(structure, leaves), arms)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write everything to one file, whole or not at all."""
        serialization.write(path, *self.as_data(), KIND)

    @classmethod
    def load(cls, path: str | os.PathLike[str], policy: Policy | None = None) -> "DecidingView":
        """The view saved at ``path``."""
        return cls.from_data(*serialization.read(path, KIND), policy)


def round_of(shown: Shown, slots: np.ndarray, takes_blocks: bool) -> Round:
    """The round that a policy chooses in."""
    contexts = Blocks(shown.contexts, slots) if takes_blocks else shown.contexts
    return Round(contexts, shown.mask, slots, shown.user)


def completed(choice: Choice, shown: Shown, *, has_arms: bool, has_user: bool) -> Choice:
    """The choice with what learning from it needs."""
    index = int(choice.index)
    return Choice(
        index,
        choice.scores,
        choice.probabilities,
        shown.contexts[index].copy(),
        int(shown.ids[index]) if has_arms else None,
        int(shown.user) if has_user else None,
    )


def _structure(policy: Policy) -> Any:
    """The structure of the policy's deciding state, by tracing: nothing is computed."""
    init = jax.eval_shape(lambda: policy.deciding(policy.init(jax.random.key(0))))
    return jax.tree.structure(init)


@functools.lru_cache(maxsize=64)
def _known_structure(description: str) -> tuple[Policy, Any]:
    """A policy by its description, and the structure of its deciding state."""
    policy: Policy = serialization.rebuild(json.loads(description))
    return policy, _structure(policy)
