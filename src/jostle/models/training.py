"""``Training``: how the network of a neural policy is kept fitted to its observations.

One record that all neural policies share: ``NPR(features=8, training=Training(steps=10))``.
"""

from typing import Any

import optax

from jostle.core.record import Record, leaf, static
from jostle.core.validation import unknown, whole
from jostle.models.fitting import Fitting, FullBatch, MiniBatch, Pooled
from jostle.models.history import OLDEST, RANDOM

AUTO, POOLED, MINIBATCH, FULL = "auto", "pooled", "minibatch", "full"
FITTINGS = (AUTO, POOLED, MINIBATCH, FULL)


class Training(Record):
    """How a network is trained, and on which of the observations.

    Settings that are None by default are automatic: ``resolve`` fills them in for the contexts at
    hand, by the rule stated with each.

    Arguments:
        optimiser: a function from a step size to an Optax optimiser (``optax.adam``,
            ``optax.sgd``, ...), or a ready optimiser, which then has its own step size.
        step_size: of the optimiser.
        decay: how strongly each gradient step draws the parameters back to theta_0, where the
            regularisation of Eq. (2) is centred: it takes them ``step_size * decay`` of the way,
            whatever the optimiser (as AdamW does) and however many observations there are.
            Automatic: 0.2 with a pool; else 1, or 2 / blocks with more than two blocks, because
            the weights of a block see few of the observations and would be drawn back more than
            they are trained. This suits contexts with entries of about one. Contexts of norm one
            need a quarter of it or less, since their weights have to move further to fit the same
            rewards.
        average: choices use a moving average of the parameters that keeps this much of itself in
            each update, which evens out the noise of the last steps; 0 uses the parameters as they
            are. While observations are few it keeps less, seen / (seen + 100), to follow quickly.
        steps: gradient steps per update (J in the paper). Automatic: 2 with a pool, since each step
            then sees all observations; else 4.
        batch: observations per step, when fitting by mini-batches.
        every: update after every so many observations.
        restart: start each update from the initial parameters instead of the current ones, without
            averaging. Automatic: False.
        fitting: "pooled", "minibatch", "full", or "auto" (pooled if there is a pool, else by
            mini-batches); see ``jostle.models.fitting``.
        memory: the largest number of observations to keep; None keeps all.
        forget: what a full memory discards, the "oldest" observation or a "random" one.
    """

    optimiser: Any = static(default=optax.adam)
    step_size: Any = leaf(default=2e-3)
    decay: Any = leaf(default=None, optional=True)
    average: Any = leaf(default=0.9, most=0.999)
    steps: int | None = static(default=None)
    batch: int = static(default=64)
    every: int = static(default=1)
    restart: bool | None = static(default=None)
    fitting: str = static(default=AUTO)
    memory: int | None = static(default=None)
    forget: str = static(default=OLDEST)

    def check(self) -> None:
        """Reject bad arguments."""
        for name, value in (("steps", self.steps), ("memory", self.memory)):
            if value is not None:
                whole(name, value)
        whole("batch", self.batch)
        whole("every", self.every)
        if self.restart not in (None, True, False):
            raise TypeError(f"restart must be True, False or None, not {self.restart!r}")
        if not callable(self.optimiser) and not _is_optimiser(self.optimiser):
            raise TypeError(
                "optimiser must be an Optax optimiser, or a function from a step size to one, "
                f"such as optax.adam, not {self.optimiser!r}"
            )
        if self.fitting not in FITTINGS:
            raise ValueError(unknown("fitting", self.fitting, FITTINGS))
        if self.forget not in (OLDEST, RANDOM):
            raise ValueError(unknown("forget", self.forget, (OLDEST, RANDOM)))

    def resolve(
        self,
        *,
        pool: int | None = None,
        blocks: int | None = None,
        steps: int | None = None,
        decay: float | None = None,
        restart: bool = False,
    ) -> "Training":
        """The same with every automatic setting filled in.

        By the rules stated above, unless the policy has a rule of its own: ``steps``, ``decay`` and
        ``restart`` are then what it uses where the user left them automatic.
        """
        if steps is None:
            steps = 4 if pool is None else 2
        if decay is None:
            decay = min(1.0, 2 / (blocks or 1)) if pool is None else 0.2
        return self.replace(
            steps=steps if self.steps is None else self.steps,
            decay=decay if self.decay is None else self.decay,
            restart=restart if self.restart is None else self.restart,
        )

    def make_fitting(self, pool: int | None) -> Fitting:
        """How the observations are presented to gradient steps."""
        if pool is not None and self.fitting in (POOLED, AUTO):
            return Pooled(pool)
        if self.fitting == FULL:
            return FullBatch(self.memory, self.forget)
        return MiniBatch(self.memory, self.forget, self.batch, ahead=self.steps or 0)

    def make_optimiser(self) -> optax.GradientTransformation:
        """The Optax optimiser with its step size."""
        if _is_optimiser(self.optimiser):
            return self.optimiser
        return self.optimiser(self.step_size)


def _is_optimiser(value: Any) -> bool:
    return isinstance(value, optax.GradientTransformation)
