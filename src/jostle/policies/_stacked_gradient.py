"""``StackedGradientPolicy``: the stacked mean, with widths from the gradients of its network."""

from typing import Any, NamedTuple

from jostle.core.arrays import Contexts, Vector
from jostle.core.record import leaf
from jostle.models.features import scaled
from jostle.models.fitting import Fit
from jostle.models.forecaster import Forecaster
from jostle.models.history import Tried
from jostle.policies._gradient import GradientPolicy
from jostle.policies._stacked import StackedPolicy


class StackedGradientState(NamedTuple):
    """A network and the covariance of its gradients, beside regressions and scales."""

    fit: Fit
    history: Any
    tried: Tried
    covariance: Any
    forecaster: Forecaster


class StackedGradientPolicy(StackedPolicy, GradientPolicy):
    """A policy with the stacked mean, whose uncertainty is that of the network's gradients.

    The mean is that of ``StackedPolicy``. Widths are those of ``GradientPolicy`` at contexts in
    their unit, as the network sees them, times the deviation of errors made before learning: so
    neither the unit of rewards nor that of contexts matters to the exploration.

    Arguments:
        exploration: the weight of the uncertainty, in units of the errors' deviation.
        regularisation: lambda, both of the covariance and of Eq. (2); by default that of NPR, so
            that the network is trained alike.
        others: see ``StackedPolicy`` and ``GradientPolicy``.
    """

    behaviour = 6

    regularisation: Any = leaf(default=1e-5, least=1e-12)

    state_type = StackedGradientState

    def check(self) -> None:
        """Reject bad arguments."""
        super().check()
        if not self._has_network:
            raise ValueError(
                f"{type(self).__name__} needs a network, since it explores by its gradients; "
                "network=none is for NPR, EpsilonGreedy and Falcon"
            )

    def widths(self, state: Any, contexts: Contexts) -> Vector:
        """sigma sqrt(g' Z^-1 g / m) of each context; 0 until two rewards differ."""
        widths: Vector = self.error_scale(state) * super().widths(state, contexts)
        return widths

    def gradients(self, state: Any, contexts: Any) -> Any:
        """phi = g(x / unit; theta) / sqrt(m), one row per context."""
        return super().gradients(state, scaled(contexts, state.forecaster.unit))
