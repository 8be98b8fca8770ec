"""``Policy``: the contract of everything that chooses arms and learns from rewards."""

import dataclasses
from collections.abc import Mapping
from typing import Any, ClassVar, Self

import jax

from jostle.core.record import Record, field_names, numeric_fields, static
from jostle.core.validation import unknown, whole
from jostle.types import BanditSpec, Choice, Feedback, HasSpec, Round

UNKNOWN_ARMS = 2048
"""Arm ids that there is room for when nobody knows how many there are."""


class Policy(Record):
    """An immutable pytree of hyper-parameters with three pure functions.

    A subclass defines ``init``, ``choose`` and ``learn``, and ``reserve`` too if its state grows
    with the number of observations or of arm ids. Everything stochastic takes a key. An argument
    that has the name of a field of ``BanditSpec``, such as ``pool`` or ``users``, is a fact about
    the environment: ``for_environment`` fills it in.
    """

    behaviour: ClassVar[int] = 1
    """Raised whenever the same settings, seed and stream would give other choices than before, so
    that results of the old algorithm are not taken for those of the new one."""

    features: int = static()

    PARTS: ClassVar[tuple[str, ...]] = ()
    """Fields that hold records of further settings, such as ``training`` and ``network``."""

    @classmethod
    def for_environment(cls, environment: HasSpec, **settings: Any) -> Self:
        """The policy with these settings, built for ``environment``."""
        return cls.for_spec(environment.spec, **settings)

    @classmethod
    def for_spec(cls, spec: BanditSpec, **settings: Any) -> Self:
        """The policy with these settings, built for problems of these dimensions."""
        return cls(**cls.with_facts(spec, settings))

    @classmethod
    def with_facts(cls, spec: BanditSpec, settings: Mapping[str, Any]) -> dict[str, Any]:
        """``settings``, and those facts of ``spec`` that the policy has arguments for."""
        complete = dict(settings)
        for field in dataclasses.fields(cls):
            if field.name in BanditSpec._fields and field.name not in complete:
                value = spec._asdict()[field.name]
                if value is not None:
                    complete[field.name] = value
                elif field.default is dataclasses.MISSING:
                    needed = f"{cls.__name__} needs {field.name}"
                    raise ValueError(f"{needed}, which this environment does not provide")
        return complete

    @property
    def spec(self) -> BanditSpec:
        """The dimensions that the policy was built for; None for what does not matter to it."""
        names = field_names(self)
        facts = [name for name in BanditSpec._fields if name in names]
        return BanditSpec(**{name: getattr(self, name) for name in facts})

    def check(self) -> None:
        """Reject bad arguments."""
        whole("features", self.features)

    def init(self, key: jax.Array) -> Any:
        """The state before any observation."""
        raise NotImplementedError(f"{type(self).__name__} must define init")

    def choose(self, state: Any, key: Any, round: Round) -> Choice:
        """Choose an arm of the round. Never changes the state: deciding twice is harmless."""
        raise NotImplementedError(f"{type(self).__name__} must define choose")

    def choose_with_probabilities(self, state: Any, key: Any, round: Round) -> Choice:
        """As ``choose``, with the probabilities that the arm was drawn from.

        Arms have the same chances as with ``choose``, which is cheaper. A policy that does not know
        its probabilities leaves them None; see ``knows_probabilities``.
        """
        return self.choose(state, key, round)

    def learn(self, state: Any, key: jax.Array, feedback: Feedback) -> Any:
        """The state after one more observation."""
        raise NotImplementedError(f"{type(self).__name__} must define learn")

    def reserve(self, state: Any, *, observations: int, arms: int | None) -> Any:
        """The same state with room for this many observations and for arm ids below ``arms``.

        ``arms=None`` says that their number is not known: policies that keep something for each
        arm id then make room for ``UNKNOWN_ARMS`` of them.
        """
        return state

    def trim(self, state: Any, *, observations: int) -> Any:
        """The same state without room that ``observations`` observations leave unused."""
        return state

    def deciding(self, state: Any) -> Any:
        """The part of the state that ``choose`` reads, in the same structure."""
        return state

    def folded(self, state: Any) -> Any:
        """What decides on the host as ``choose_with_probabilities`` does, for many rounds at once.

        It is made once for a deciding state of NumPy arrays, and has a method ``choose`` like that
        of ``FoldedNPR``. None (the default): rounds are decided one by one, from the state.
        """
        return None

    def diverged(self, state: Any) -> bool:
        """Whether learning has failed for good, so that choices mean nothing any more."""
        return False

    def covariance_bytes(self, observations: int) -> int:
        """Memory for a covariance matrix after this many observations; 0 if there is none."""
        return 0

    @property
    def update_interval(self) -> int:
        """How many observations there are from one expensive update to the next."""
        return 1

    @property
    def needs_arms(self) -> bool:
        """Whether every observation must carry the id of its arm."""
        return False

    @property
    def indexes_arms(self) -> bool:
        """Whether the state holds something for each arm id, so that ``reserve`` bounds the ids."""
        return True

    @property
    def takes_weights(self) -> bool:
        """Whether ``learn`` lets an observation count for more or fewer than one."""
        return False

    @property
    def takes_blocks(self) -> bool:
        """Whether contexts of the disjoint model may come as ``Blocks``, without their zeros."""
        return False

    @property
    def knows_probabilities(self) -> bool:
        """Whether ``choose_with_probabilities`` states the probability of each arm."""
        return False

    @property
    def on_host(self) -> bool:
        """Whether ``choose`` also runs on NumPy arrays, with a NumPy generator as its key."""
        return False

    def with_settings(self, **settings: Any) -> Self:
        """A copy with settings changed, each wherever it belongs.

        A setting is a field of the policy, or else of one of its parts: ``NPR(8).with_settings(
        noise=0.2, steps=10, width=128)`` changes the policy, its training and its network.
        """
        own = field_names(self)
        changes = {name: value for name, value in settings.items() if name in own}
        for part in self.PARTS:
            record = changes.get(part, getattr(self, part))
            inside = field_names(record) if dataclasses.is_dataclass(record) else []
            theirs = {
                name: value
                for name, value in settings.items()
                if name in inside and name not in changes
            }
            if theirs:
                changes[part] = dataclasses.replace(record, **theirs)
                settings = {name: settings[name] for name in settings if name not in theirs}
        for name in settings:
            if name not in own:
                kind = f"setting of {type(self).__name__}:"
                raise ValueError(unknown(kind, name, self.setting_names()))
        return self.replace(**changes)

    def setting_names(self) -> list[str]:
        """The names that ``with_settings`` takes."""
        parts = [getattr(self, part) for part in self.PARTS]
        inside = [field_names(part) for part in parts if dataclasses.is_dataclass(part)]
        return [*field_names(self), *(name for names in inside for name in names)]

    def numeric_settings(self) -> list[str]:
        """The names of settings that are numbers compiled programs take as inputs."""
        parts = [getattr(self, part) for part in self.PARTS]
        records = [self, *(part for part in parts if isinstance(part, Record))]
        return [name for record in records for name in numeric_fields(record)]

    def settings(self) -> Mapping[str, Any]:
        """All settings by name, those of parts that are records among the policy's own."""
        values = dict(super().settings())
        for part in self.PARTS:
            if isinstance(values[part], Record):
                values.update(values.pop(part).settings())
        return values
