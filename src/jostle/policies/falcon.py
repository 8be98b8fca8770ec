"""Falcon: inverse gap weighting, as in FALCON+ (Simchi-Levi and Xu 2020), around NPR's mean."""

from typing import Any

from jostle.core.record import leaf
from jostle.policies._inverse_gaps import InverseGapPolicy
from jostle.policies._stacked import StackedPolicy, StackedState
from jostle.policies.falcon_paper import PaperFalcon


class Falcon(StackedPolicy, InverseGapPolicy):
    """Inverse gap weighting around NPR's mean.

        gamma  = sqrt(K n / complexity) / 2
        p_i    = 1 / (K + gamma (mean(x_best) - mean(x_i)) / sigma)     for all i but the best
        p_best = 1 - sum of the others

    with K arms shown, n observations so far, and sigma the deviation of errors made before
    learning, so that the unit of rewards does not matter. Until two rewards differ, it chooses
    uniformly. It differs from NPR in its exploration alone.

    ``Falcon.paper`` is FALCON+ of Simchi-Levi and Xu, "Bypassing the Monster", Algorithm 2, which
    fits its estimates at the ends of epochs. Here they are the present ones, as in SquareCB (Foster
    and Rakhlin, ICML 2020).

    Arguments:
        complexity: of the class of functions; the smaller, the greedier.
        others: see ``StackedPolicy`` and ``KnowsProbabilities``.
    """

    behaviour = 5
    paper_form = PaperFalcon

    complexity: Any = leaf(default=0.003, least=1e-12)

    def informed(self, state: StackedState) -> Any:
        """All observations: the mean rests on every one of them."""
        return state.forecaster.scales.seen

    def gap_unit(self, state: StackedState) -> Any:
        """The deviation of errors; 1 until two rewards differ."""
        scale = self.error_scale(state)
        return scale + (scale == 0)
